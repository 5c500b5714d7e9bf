# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs run with file names in ISO 8859-1."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
START = (
    'import sys\nassert sys.getfilesystemencoding() == "iso8859-1", sys.getfilesystemencoding()\n'
)


def run(program: str, *arguments: bytes, locales: Path) -> None:
    """Run a program there that has to end well; its locale is made in the folder `locales`. Skips
    without localedef.
    """
    made = locales / "en_US.ISO-8859-1"
    words = ["localedef", "-i", "en_US", "-f", "ISO-8859-1", str(made)]
    if (
        not shutil.which("localedef")
        or subprocess.run(words, capture_output=True, check=False).returncode
    ):
        pytest.skip("no locale of ISO 8859-1 can be made")
    given = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONUTF8", "PYTHONIOENCODING")
    }
    given |= {"LOCPATH": str(locales), "LC_ALL": made.name, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", START + program, *arguments],
        env=given,
        capture_output=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr.decode(errors="replace")
