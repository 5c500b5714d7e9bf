# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared by all tests: markers by folder and fixture, warnings as errors, no measured speeds."""

import atexit
import os
import signal
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
STATUS = pytest.StashKey[int]()

# Bytecode is kept even where the environment says otherwise: without it, each of the hundreds of
# processes that tests start compiles all sources again.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

IN_BLENDER = (HERE / "scene", HERE / "ui")
CASE = "case"
"""Parameter of tests that draw what they test at random: its number is the seed."""

LONG_FIXTURES = {"zip_path", "eroded_landscape"}
"""Fixtures of tests that take long: the extension as a zip, built and installed; a landscape eroded
in tiles.
"""


def pytest_addoption(parser):
    parser.addoption(
        "--thorough", action="store_true", help="run what is marked thorough, and nothing else"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    mark(items)
    parts = {True: [], False: []}
    for item in items:
        parts[item.get_closest_marker("thorough") is not None].append(item)
    is_thorough = config.getoption("--thorough")
    items[:] = parts[is_thorough]
    config.hook.pytest_deselected(items=parts[not is_thorough])


def mark(items):
    """Mark tests by folder, parameter and fixture."""
    for item in items:
        if any(item.path.is_relative_to(folder) for folder in IN_BLENDER):
            item.add_marker(pytest.mark.blender)
        elif item.path.parent not in (HERE, HERE / "cli"):
            # all the code that runs is ours, numpy's or numba's
            item.add_marker(pytest.mark.filterwarnings("error"))
        if item.path.parent.name == "kernels" and item.path.parent.parent != HERE / "base":
            item.add_marker(pytest.mark.kernel)
        if CASE in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.fuzz)
        if LONG_FIXTURES.intersection(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.slow)


# Where software draws, it compiles each shader for a few small pictures: optimizing takes longer
# than drawing.
os.environ.setdefault("GALLIVM_PERF", "nopt")


def pytest_configure(config):
    atexit.register(_end, config.stash)


def pytest_sessionfinish(session, exitstatus):
    session.config.stash[STATUS] = int(exitstatus)


@pytest.fixture
def keyboard():
    """Ctrl-C as in a terminal: a shell's background job ignores it, and so do the processes that it
    starts.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def _end(stash):
    """End the process after all else that was to be done at its end, which was registered later and
    so came earlier.

    Blender 4.5 as a Python module may hang after that, on a lock of its sound device
    (projects.blender.org #146640, mended in 5.0).
    """
    if STATUS in stash:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(stash[STATUS])
