# SPDX-License-Identifier: GPL-3.0-or-later
"""A small file system, for tests that fill it."""

import os
import shutil
import subprocess
from contextlib import contextmanager

import pytest


@contextmanager
def small_disk(folder, kilobytes):
    """Mount a tmpfs of this size at a new folder; skip the test where mounting is not allowed."""
    folder.mkdir()
    if shutil.which("mount") is None or os.name == "nt":
        pytest.skip("there is no mount")
    options = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(folder)]
    if subprocess.run(options, capture_output=True, check=False).returncode:
        pytest.skip("a file system cannot be mounted")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)
