# SPDX-License-Identifier: GPL-3.0-or-later
"""Misspelled names of Blender are errors for mypy, in the scene and in the interface."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MISTAKES = {
    "erosion_addon/scene/run/readiness.py": ("is_job_running(", "is_job_runing("),
    "erosion_addon/ui/base/panel.py": ("region.width", "region.widht"),
}
"""Module -> right and wrong words."""


@pytest.mark.slow
def test_a_misspelled_name_of_blender_is_found(tmp_path):
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache")]
    for module, (right, wrong) in MISTAKES.items():
        text = (ROOT / module).read_text(encoding="utf-8")
        assert right in text
        shadow = tmp_path / Path(module).name
        shadow.write_text(text.replace(right, wrong), encoding="utf-8")
        command += ["--shadow-file", str(ROOT / module), str(shadow)]
    command += [str(ROOT / module) for module in MISTAKES]
    messages = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout
    for module, (_, wrong) in MISTAKES.items():
        name = wrong.split(".")[-1].strip("(")
        lines = [line for line in messages.splitlines() if line.startswith(f"{module}:")]
        assert any(f'no attribute "{name}"' in line for line in lines), messages
