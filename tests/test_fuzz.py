# SPDX-License-Identifier: GPL-3.0-or-later
"""A fixed half minute of what `make fuzz` does for as long as it is told."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FEW = ["recipe", "image", "checkpoint"]
"""Kinds for `make test`: manifests, words and side files have tests of their own by hand."""
FAST = [*FEW, "reading", "side", "manifest", "words"]
SLOWER = ["pixels", "mask", "mesh", "place", "numbers", "raster"]
"""All kinds but those for which Blender draws its panels, or tiles are eroded."""


CASES = [
    (FEW, 30),
    pytest.param(FAST, 100, marks=pytest.mark.thorough),
    pytest.param(SLOWER, 300, marks=pytest.mark.thorough),
    pytest.param(["blend"], 30, marks=pytest.mark.thorough),
    pytest.param(["landscape"], 30, marks=pytest.mark.thorough),
]
"""Kinds, and the number of inputs of each."""


@pytest.mark.fuzz
@pytest.mark.worker
@pytest.mark.skipif(
    importlib.util.find_spec("atheris") is None, reason="Atheris has no wheel for this machine"
)
@pytest.mark.parametrize(("kinds", "runs"), CASES)
def test_nothing_that_comes_in_files_or_words_raises_anything_but_a_sentence(kinds, runs):
    command = [sys.executable, "-m", "tests.fuzz", *kinds, "--runs", str(runs)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    # Inputs to begin with are all tried, also where there are more.
    counts = re.findall(r"(?m)^\w+: (\d+) inputs, 0 failures$", done.stdout)
    assert len(counts) == len(kinds) and all(int(count) >= runs for count in counts), done.stdout
