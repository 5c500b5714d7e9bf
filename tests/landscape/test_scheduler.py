# SPDX-License-Identifier: GPL-3.0-or-later
"""Landscapes on a scheduler that runs already, found by its address or its file, and after it was
killed.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from erosion_addon import VERSION
from erosion_addon.base.errors import InputError
from erosion_addon.cli.commands import main
from erosion_addon.landscape.cluster import Cluster, cluster
from erosion_addon.landscape.erode import Alone, erode
from erosion_addon.landscape.storage.folder import Landscape
from erosion_addon.landscape.tasks import WORK
from tests.landscape.conftest import QUICK, fractal

pytestmark = pytest.mark.slow
distributed = pytest.importorskip("distributed")

ROOT = Path(__file__).parents[2]


@contextmanager
def farm(folder, worker_path=ROOT):
    """A scheduler with one worker as processes of their own: the scheduler, and its file.
    worker_path: its package.
    """
    file = folder / "scheduler.json"

    def started(kind, *words):
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *map(str, words)]
        where = (
            {"cwd": worker_path, "env": {**os.environ, "PYTHONPATH": str(worker_path)}}
            if kind == "worker"
            else {}
        )
        return subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **where
        )

    scheduler = started(
        "scheduler",
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        "--no-dashboard",
        "--scheduler-file",
        file,
    )
    worker = started(
        "worker", "--scheduler-file", file, "--nthreads", "1", "--no-nanny", "--no-dashboard"
    )
    try:
        end = time.monotonic() + 60
        while not file.exists() or not file.read_text():
            assert scheduler.poll() is None and time.monotonic() < end
            time.sleep(0.1)
        yield scheduler, file
    finally:
        for process in (worker, scheduler):
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def calm(tmp_path_factory):
    """Hashes of a landscape eroded in this process."""
    folder = tmp_path_factory.mktemp("calm") / "land"
    fractal(folder)
    assert main(["landscape", "erode", str(folder), *QUICK, "--quiet"]) == 0
    return Landscape(folder).manifest.layers


@pytest.mark.thorough
@pytest.mark.parametrize("by", ["address", "file"])
def test_a_scheduler_is_found_by_its_address_and_by_its_file(landscape, calm, tmp_path, by):
    with farm(tmp_path) as (_, file):
        where = str(file) if by == "file" else json.loads(file.read_text())["address"]
        assert (
            main(
                ["landscape", "erode", str(landscape.folder), *QUICK, "--quiet", "--cluster", where]
            )
            == 0
        )
    assert Landscape(landscape.folder).manifest.layers == calm


@pytest.mark.thorough
def test_after_the_scheduler_was_killed_the_run_goes_on_from_the_folder(
    landscape, recipe, calm, tmp_path
):
    told = []

    def on_progress(fraction, message):
        told.append(message)
        if len(told) == 3:
            scheduler.kill()

    with (
        farm(tmp_path) as (scheduler, file),
        cluster(str(file)) as workers,
        pytest.raises(
            InputError,
            match=r"The cluster was lost: .* What is done is kept; start the command again",
        ),
    ):
        erode(landscape.folder, recipe, workers, coarse=80, on_progress=on_progress)
    before = len(told)
    erode(landscape.folder, recipe, Alone(), coarse=80, on_progress=on_progress)
    assert Landscape(landscape.folder).manifest.layers == calm
    assert before < len(told) and "the whole eroded on coarse cells" not in told[before:]


def other_package(folder, kind):
    """A copy of the package with another version, other sources, or as it was before versions were
    compared.
    """
    package = Path(shutil.copytree(ROOT / "erosion_addon", folder / kind / "erosion_addon"))
    changed = {"version": "__init__.py", "sources": "landscape/plan.py", "old": "__init__.py"}[kind]
    text = (package / changed).read_text(encoding="utf-8").replace(f'"{VERSION}"', '"0.0.7"')
    (package / changed).write_text(text + "\n", encoding="utf-8")
    if kind == "old":
        shutil.rmtree(package / "landscape")
    return package.parent


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["version", "sources", "old"])
@pytest.mark.parametrize("late", [False, True])
def test_a_worker_of_another_version_does_no_task(
    landscape, tmp_path, capsys, kind, late, monkeypatch
):
    """late: it comes when the first ones have been compared."""
    if late:
        monkeypatch.setattr(
            Cluster,
            "require_version",
            lambda cluster, ask=Cluster.require_version: next(looks) or ask(cluster),
        )
        looks = iter([True, False])
    with farm(tmp_path, other_package(tmp_path, kind)) as (_, file):
        if not late:
            with distributed.Client(scheduler_file=str(file)) as client:
                client.wait_for_workers(1, timeout=60)
        words = [
            "landscape",
            "erode",
            str(landscape.folder),
            *QUICK,
            "--quiet",
            "--cluster",
            str(file),
        ]
        assert main(words) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and f"and this is {VERSION} (" in told
    assert f"A worker has version {VERSION if kind == 'sources' else '0.0.7'} (" in told
    assert not list((landscape.folder / WORK).glob("*/*"))
