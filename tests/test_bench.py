# SPDX-License-Identifier: GPL-3.0-or-later
"""The benchmarks run: kernels still agree with their independent C++, and table and plot hold every
process.
"""

import shutil

import pytest

from bench.bench import COMPARED
from bench.run import cores, scaling
from erosion_addon.processes.registry import PROCESSES

pytestmark = [pytest.mark.slow, pytest.mark.kernel]


@pytest.mark.thorough
@pytest.mark.skipif(not shutil.which("g++"), reason="the references need g++")
@pytest.mark.parametrize(
    "compared", COMPARED, ids=lambda module: module.__name__.rpartition(".")[2]
)
def test_kernel_agrees_with_reference(compared):
    assert compared.check().endswith(".")


def test_table_and_plot_hold_every_process(tmp_path):
    sides = (64, 128)
    threads = (1, 2)
    speeds = {
        (kind, side, count): 1.0 for kind in scaling.WORK for side in sides for count in threads
    }
    assert set(scaling.WORK) == set(PROCESSES) - {"uplift", "snow", "brush"}
    assert len(scaling.table(speeds)) == 2 + len(scaling.WORK) * len(threads)
    picture = tmp_path / "speeds.png"
    scaling.plot(speeds, "a processor", picture)
    assert picture.stat().st_size > 10_000


@pytest.mark.parametrize("kind", ["wind", "talus"])  # the first counts only when a storm is over
def test_speed_is_of_counted_work(kind, monkeypatch):
    monkeypatch.setattr(scaling, "SECONDS", 0.01)
    assert scaling.speed(kind, 64, 1) > 0


def test_parts_are_shared_out_as_threads_get_free():
    parts = [3.0, 1.0, 1.0, 1.0, 2.0]
    assert [cores.shared_out(parts, count) for count in (1, 2, 3, 5)] == [8.0, 5.0, 3.0, 3.0]


def test_work_of_a_recipe_is_that_of_its_phases_and_what_lies_between():
    land = cores.Terrain(cores.fractal(64, 100.0), 10.0)
    for step in cores.works(land, cores.Recipe.load("scree slopes"), 4):
        assert 0.0 < step.lone <= step.seconds
        assert step.on(4, 0.0) <= step.on(1, 0.0) == pytest.approx(step.seconds)
