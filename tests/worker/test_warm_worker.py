# SPDX-License-Identifier: GPL-3.0-or-later
"""The worker before its first drop: library test, compilation, and cancellation of both."""

import itertools
import subprocess
import sys
import time
import weakref
from pathlib import Path

import numpy as np
import pytest

from erosion_addon import Recipe, erode
from erosion_addon.terrain.terrain import Terrain
from erosion_addon.worker.client import Runner
from tests.terrains import fractal

pytestmark = pytest.mark.worker

ARCANE = Recipe.load("arcane")
LAND = Terrain(fractal(24, 30, 120.0), 10.0)


class Witness(Runner):
    """A runner that remembers what it has heard, in order."""

    def __init__(self, environment):
        self.heard = []
        super().__init__(environment)

    def _take_note(self, message):
        self.heard.append((message.kind, message.values))
        super()._take_note(message)

    def said(self, kind):
        return [values for heard, values in self.heard if heard == kind]


@pytest.fixture
def start():
    """start(**environment): a worker that ends with the test."""
    started = []

    def start_one(**environment):
        started.append(Witness(environment))
        return started[-1]

    yield start_one
    for runner in started:
        runner.kill()


def wait_for(condition, seconds=300.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def result_of(runner):
    """Report and elevation of the run in progress."""
    while True:
        for message in runner.poll(1.0):
            assert message.kind in ("ready", "progress", "result"), message.values
            if message.kind == "result":
                return message.values["report"], message.arrays["elevation"]


@pytest.fixture(scope="module")
def expected():
    return erode(LAND, ARCANE)


@pytest.mark.thorough
@pytest.mark.compile
def test_kernels_are_compiled_once_by_runs_and_by_the_order_to_warm_also_after_a_kill(
    start, tmp_path, expected
):
    environment = {"TERRAIN_EROSION_CACHE": str(tmp_path)}
    first = start(**environment)
    first.run(LAND, ARCANE, {})
    wait_for(lambda: first.compiling and first.compiling[0] > 0.5)
    first.kill()
    assert not first.alive and not first.said("progress")

    second = start(**environment)
    second.run(LAND, ARCANE, {})
    assert result_of(second)[1].tobytes() == expected.elevation.tobytes()
    fractions = [values["fraction"] for values in second.said("compiling")]
    assert 0.0 <= fractions[0] < 0.1 and fractions[-1] <= 1.0
    # Where a module is imported late, there is a little more left than before.
    assert all(then > before - 0.05 for before, then in itertools.pairwise(fractions))
    messages = {values["message"] for values in second.said("compiling")}
    assert messages == {"Compiling for this recipe (once), step 1 of 1"}
    assert second.compiling is None

    third = start(**environment)  # for which everything is there
    third.run(LAND, ARCANE, {})
    assert result_of(third)[1].tobytes() == expected.elevation.tobytes()
    assert third.said("compiling") == []

    # what a run calls; the code of the rest is in theirs
    kept = sorted(tmp_path.rglob("droplet.*.nbc"))
    assert kept
    for path in kept:
        path.unlink()
    # in which the order to warm compiles what is gone, and the run nothing
    fourth = start(**environment)
    fourth.warm(ARCANE, LAND.spacing, [], [])
    assert fourth.warming
    wait_for(lambda: not fourth.warming)
    assert fourth.said("compiling") and fourth.compiling is None
    del fourth.heard[:]
    fourth.run(LAND, ARCANE, {})
    assert result_of(fourth)[1].tobytes() == expected.elevation.tobytes()
    assert fourth.said("compiling") == []


def test_a_run_that_comes_while_it_is_warming_waits_its_turn(start, expected):
    runner = start()
    runner.warm(ARCANE, LAND.spacing, [], [])
    runner.run(LAND, ARCANE, {})
    assert result_of(runner)[1].tobytes() == expected.elevation.tobytes()
    kinds = [kind for kind, _ in runner.heard]
    assert kinds.index("warm") < kinds.index("progress")


def test_the_order_to_warm_does_not_end_a_run(start):
    runner = start()
    runner.run(LAND, ARCANE.with_values({"droplet.drops_per_cell": 200.0}), {})
    runner.warm(ARCANE, LAND.spacing, [], [])
    assert result_of(runner)[0]["finished"] == 1.0
    assert not runner.warming


def test_a_recipe_that_is_none_does_not_end_the_worker(start):
    runner = start()
    runner._send("warm", {"recipe": {"name": 3}, "spacing": [1, 1], "masks": [], "fields": []})
    runner.run(LAND, ARCANE, {})
    assert result_of(runner)[0]["finished"] == 1.0


def test_no_copy_of_a_terrain_stays_with_the_runner(start):
    """Of 4096² cells with all fields it would be gigabytes in Blender, until the next run."""
    runner = start()
    land = Terrain(LAND.elevation.copy(), LAND.spacing)
    runner.run(land, ARCANE, {})
    given = weakref.ref(land.elevation)
    result = weakref.ref(result_of(runner)[1])
    del land
    wait_for(lambda: given() is None and result() is None, 10.0)


@pytest.mark.parametrize("threads", [0, 1, 2])
def test_the_number_of_threads_reaches_the_run(start, threads, expected):
    from erosion_addon.base.threads import processors

    runner = start()
    runner.run(LAND, ARCANE, {}, threads)
    report, elevation = result_of(runner)
    assert report["threads"] == (threads or processors())
    assert elevation.tobytes() == expected.elevation.tobytes()


BROKEN = {
    "raises": ("llvmlite", "raise ImportError('made for another Python')"),
    "of another version": ("llvmlite", "__version__ = '0.1'"),
    "computes wrongly": ("numba", "raise RuntimeError('numba needs NumPy 9')"),
    "cannot even begin": ("numpy", "raise ImportError('numpy was built for another processor')"),
    "crashes": ("llvmlite", "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"),
}


@pytest.fixture(scope="module")
def bare_python(tmp_path_factory):
    """A Python without packages."""
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    return next(folder.glob("*/" + Path(sys.executable).name))


@pytest.mark.parametrize(
    "how", [name for name in BROKEN if name != "crashes" or sys.platform != "win32"]
)
def test_a_neighbors_library_that_does_not_fit_is_said_in_a_sentence(
    start, bare_python, tmp_path, monkeypatch, how
):
    """Extensions share one folder of packages: here another one has put its own library in front of
    ours.
    """
    library, source = BROKEN[how]
    (tmp_path / library).mkdir()
    (tmp_path / library / "__init__.py").write_text(source)
    monkeypatch.setattr(sys, "executable", str(bare_python))
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    runner = start()
    wait_for(lambda: not runner.alive)
    reasons = [
        message.values["reason"] for message in runner.poll(5.0) if "reason" in message.values
    ]
    wait_for(lambda: runner.fault)
    assert set(reasons) <= {runner.fault}
    assert runner.fault.startswith(
        "The libraries that erosion needs do not work together here (numba 0."
    )
    assert f"numpy {np.__version__}" in runner.fault
    assert "reinstall Terrain Erosion" in runner.fault and "Traceback" not in runner.fault


@pytest.mark.skipif(sys.platform != "linux", reason="limits another process, which Linux alone can")
def test_memory_that_the_libraries_lack_is_not_taken_for_another_extension(start):
    import resource

    runner = start()
    resource.prlimit(runner._process.pid, resource.RLIMIT_AS, (220 << 20,) * 2)
    wait_for(lambda: not runner.alive)
    wait_for(lambda: runner.fault)
    assert runner.fault.startswith("There is not enough memory for the erosion process to start: ")
    assert runner.fault.endswith(" MB is free; close other programs, and restart Blender.")


def test_a_worker_that_is_killed_early_is_no_fault_of_the_libraries(start):
    runner = start()
    runner.kill()
    wait_for(lambda: any(message.kind == "ended" for message in runner.poll(0.1)))
    assert runner.fault == ""


def test_a_worker_that_works_says_with_what(start):
    runner = start()
    wait_for(lambda: runner.libraries)
    assert [word.split()[0] for word in runner.libraries.split(", ")] == [
        "numba",
        "llvmlite",
        "numpy",
    ]
