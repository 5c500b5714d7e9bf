# SPDX-License-Identifier: GPL-3.0-or-later
"""numba's environment variables do not slow kernels down."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from erosion_addon.base.kernels import jit

pytestmark = pytest.mark.worker

ROOT = Path(__file__).resolve().parents[3]
COMPILED = """
import numpy as np
from erosion_addon.base.kernels import jit
import numba
jit.prepare()
print(len(jit._total.overloads), int(numba.config.OPT), bool(numba.config.BOUNDSCHECK))
"""


def child(*words, cwd=None, kept="", **settings):
    """Process with these arguments and settings; kept: folder of compiled kernels, or None."""
    given = {**os.environ, "PYTHONPATH": str(ROOT), "TERRAIN_EROSION_CACHE": kept, **settings}
    return subprocess.run(
        [sys.executable, *words],
        env=given,
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )


def test_settings_that_slow_kernels_down_are_ignored_with_a_sentence_each():
    settings = {"NUMBA_DISABLE_JIT": "1", "NUMBA_OPT": "0", "NUMBA_BOUNDSCHECK": "1"}
    done = child("-c", COMPILED, **settings)
    assert done.stdout.split() == ["1", "3", "False"]
    for name, value in settings.items():
        reason = "is ignored, because it makes erosion many times slower"
        assert f"{name}={value} {reason}.\n" in done.stderr


def test_without_such_settings_nothing_is_said():
    assert child("-c", COMPILED, NUMBA_DISABLE_JIT="0").stderr == ""


def test_the_command_line_says_it_in_one_line(tmp_path):
    words = ["-m", "erosion_addon", "make", "fractal", str(tmp_path / "hills.npy"), "--size", "8x8"]
    done = child(*words, NUMBA_DISABLE_JIT="1")
    assert done.stderr in (
        "",
        "NUMBA_DISABLE_JIT=1 is ignored, because it makes erosion many times slower.\n",
    )
    erode = [
        "-m",
        "erosion_addon",
        "erode",
        *[str(tmp_path / name) for name in ("hills.npy", "out.npy")],
        "--quiet",
    ]
    # where other tests have compiled what it calls
    kept = str(jit.CACHE.parent) if jit.CACHE else ""
    done = child(*erode, "--set", "droplet.drops_per_cell=0.1", kept=kept, NUMBA_DISABLE_JIT="1")
    assert (
        done.stderr
        == "NUMBA_DISABLE_JIT=1 is ignored, because it makes erosion many times slower.\n"
    )


def test_a_file_of_settings_in_the_current_folder_changes_nothing(tmp_path):
    """numba reads it with PyYAML, for which a few lines stand here."""
    (tmp_path / "yaml.py").write_text(
        "def safe_load(file): return dict(line.split(': ') for line in file)"
    )
    (tmp_path / ".numba_config.yaml").write_text("disable_jit: 1\nopt: 0\nboundscheck: 1\n")
    path = os.pathsep.join((str(tmp_path), str(ROOT)))
    done = child("-c", COMPILED, cwd=tmp_path, PYTHONPATH=path)
    assert (done.stdout.split(), done.stderr) == (["1", "3", "False"], "")


@pytest.mark.parametrize(
    "first", ["", "import yaml", "import numba; assert numba.config.CPU_NAME == 'i386'"]
)
def test_a_strangers_file_of_settings_is_not_read_at_all(tmp_path, first):
    """It could name a processor that this machine has not. Another program may have read it, until
    a compilation.
    """
    (tmp_path / "yaml.py").write_text(
        "def safe_load(file): return dict(line.split(': ') for line in file)"
    )
    (tmp_path / ".numba_config.yaml").write_text("cpu_name: i386")
    said = "import sys; print(numba.config.CPU_NAME, 'yaml' in sys.modules)"
    path = os.pathsep.join((str(tmp_path), str(ROOT)))
    done = child("-c", f"{first}\n{COMPILED}\n{said}", cwd=tmp_path, PYTHONPATH=path)
    assert done.stdout.split() == ["1", "3", "False", "None", str(bool(first))]


def test_nobody_is_asked_to_install_what_reads_that_file(tmp_path):
    (tmp_path / "yaml.py").write_text("raise ImportError")
    (tmp_path / ".numba_config.yaml").write_text("disable_jit: 1")
    done = child(
        "-c", COMPILED, cwd=tmp_path, PYTHONPATH=os.pathsep.join((str(tmp_path), str(ROOT)))
    )
    assert (done.stdout.split(), done.stderr) == (["1", "3", "False"], "")
