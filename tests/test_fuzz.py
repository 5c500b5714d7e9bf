# SPDX-License-Identifier: GPL-3.0-or-later
"""A fixed minute of what `make fuzz` does for as long as it is told."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.fuzz
@pytest.mark.worker
@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="Atheris has no wheel for this machine")
def test_nothing_that_comes_in_files_or_words_raises_anything_but_a_sentence():
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz", "--runs", "300"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("300 inputs, 0 failures") == 8, done.stdout
