# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's own process loads no compiled code of the extension."""

import json
import subprocess
import sys

from tests.blender_child import ROOT


def test_no_operator_brings_compiled_code_into_blenders_process(tmp_path):
    command = [sys.executable, "-m", "tests.every_operator", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    seen = json.loads(done.stdout.strip().splitlines()[-1])
    assert seen["brought"] == {}
    # Those that act on a run under way, on an image of 8 bits or on a file that is named; and
    # kernels are kept nowhere that Blender knows of.
    on_runs = {"cancel", "finish", "pause", "write_result"}
    assert set(seen["refused"]) <= on_runs | {"steps_smooth", "landscape_make", "kernels_clear"}
