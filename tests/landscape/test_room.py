# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory, disk space and time that an erosion of a landscape may take."""

import shutil
from collections import namedtuple

import pytest

from erosion_addon.cli.commands import main
from erosion_addon.landscape import cluster as clusters
from erosion_addon.landscape import estimate
from erosion_addon.landscape.erode import Alone, erode, order
from erosion_addon.landscape.plan import Plan
from erosion_addon.landscape.storage.folder import Landscape
from erosion_addon.landscape.tasks import WORK
from tests.landscape.conftest import QUICK


class Weighed(Alone):
    """Tasks in this process, and the most bytes that the folder has beside the start after any of
    them.
    """

    most = 0

    def work(self, folder, tasks, done):
        for result in super().work(folder, tasks, done):
            files = [
                path
                for path in folder.rglob("*.npy")
                if path.relative_to(folder).parts[0] != "start"
            ]
            self.most = max(self.most, sum(path.stat().st_size for path in files))
            yield result


@pytest.mark.thorough
@pytest.mark.slow
def test_the_folder_grows_about_as_large_as_is_told(landscape, recipe):
    plan = Plan(landscape, order(landscape, recipe, None, None, 80))
    weighed = Weighed()
    erode(landscape.folder, recipe, weighed, coarse=80)
    assert 0.8 * weighed.most < estimate.disk_bytes(plan) < 1.25 * weighed.most


def test_a_disk_without_room_is_refused_before_any_work(landscape, monkeypatch, capsys):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(10**9, 10**9 - 10**6, 10**6))
    assert main(["landscape", "erode", str(landscape.folder), *QUICK]) == 2
    told = capsys.readouterr().err
    assert "and 1.0 MB is free there; make room" in told and told.count("\n") == 1
    assert not (landscape.folder / WORK).exists()


@pytest.mark.slow
def test_the_time_limit_ends_after_a_task_and_the_same_command_goes_on(
    landscape, recipe, capsys, tmp_path
):
    copy = shutil.copytree(landscape.folder, tmp_path / "copy")
    words = ["landscape", "erode", str(landscape.folder), *QUICK]
    assert main([*words, "--time-limit", "0.001"]) == 75
    told = capsys.readouterr().err
    assert (
        "Each process needs about" in told
        and "The time limit ended the run; the tasks that are done stay" in told
    )
    assert [path.name for path in (landscape.folder / WORK).iterdir() if path.is_dir()] == [
        "coarse"
    ]
    assert main([*words, "--time-limit", "1000", "--quiet"]) == 0
    there = erode(copy, recipe, Alone(), coarse=80)
    assert Landscape(landscape.folder).manifest.layers == there.manifest.layers


def test_workers_of_this_machine_share_its_memory(monkeypatch):
    monkeypatch.setattr(clusters, "available_memory", lambda: 10_000_000_000)
    assert clusters.worker_memory(1) == 9_000_000_000 and clusters.worker_memory(3) == 3_000_000_000
    monkeypatch.setattr(clusters, "available_memory", lambda: None)
    assert clusters.worker_memory(2) == 0


@pytest.mark.slow
def test_the_option_bounds_each_worker():
    pytest.importorskip("cryptography")
    with clusters.cluster(workers=1, memory=2e9) as workers:
        known = workers._client.scheduler_info()["workers"].values()
        assert [worker["memory_limit"] for worker in known] == [2_000_000_000]
