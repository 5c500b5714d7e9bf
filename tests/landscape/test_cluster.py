# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters of this machine are closed to its other users, and schedulers' files are checked."""

import os
import ssl
import subprocess
import sys
from contextlib import closing
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path

import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.landscape.cluster import cluster

pytest.importorskip("distributed")
psutil = pytest.importorskip("psutil")
pytest.importorskip("cryptography")
pytestmark = pytest.mark.slow

ATTACK = """
import asyncio, os, sys
from distributed import Security
from distributed.core import rpc
from distributed.protocol.pickle import dumps

folder, *ports = sys.argv[1:]
MAKE = {"function": dumps(os.mkdir), "args": dumps((folder,)), "kwargs": dumps({})}
DOORS = {"tcp": {}, "ws": {}, "tls": Security.temporary().get_connection_args("client")}


async def attack(address, keys):
    for operation in ("run_function", "run"):
        try:
            async with rpc(address, timeout=2, connection_args=keys) as node:
                await asyncio.wait_for(getattr(node, operation)(**MAKE), 2)
        except Exception:
            pass


async def main():
    doors = [(f"{door}://127.0.0.1:{port}", keys) for port in ports for door, keys in DOORS.items()]
    await asyncio.gather(*(attack(*door) for door in doors))


asyncio.run(main())
"""
"""Send a pickled function to all ports, without a key and with one of the attacker's own."""


def ports_of_this_process_and_its_children():
    processes = [psutil.Process(), *psutil.Process().children(recursive=True)]
    doors = [
        door
        for process in processes
        for door in process.net_connections()
        if door.status == psutil.CONN_LISTEN
    ]
    assert all(door.laddr.ip == "127.0.0.1" for door in doors)
    return [str(door.laddr.port) for door in doors]


def code_runs_by(ports, folder):
    subprocess.run(
        [sys.executable, "-c", ATTACK, folder, *ports], capture_output=True, check=True, timeout=120
    )
    return folder.exists()


@pytest.mark.thorough
def test_the_attack_of_these_tests_runs_code_in_a_cluster_without_keys(tmp_path):
    from distributed import LocalCluster

    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0"):
        assert code_runs_by(ports_of_this_process_and_its_children(), tmp_path / "attacked")


def test_nobody_else_runs_code_in_a_cluster_of_this_machine(tmp_path):
    with cluster(workers=2) as workers:
        assert len(workers.processes()) == 2
        ports = ports_of_this_process_and_its_children()
        assert len(ports) >= 3 and not code_runs_by(ports, tmp_path / "attacked")
        assert len(workers.processes()) == 2  # nor is it disturbed
    assert not ports_of_this_process_and_its_children()


@pytest.mark.parametrize("connection", [HTTPConnection, HTTPSConnection])
def test_a_cluster_of_this_machine_shows_no_page_to_a_browser(connection):
    trusting = (
        {"context": ssl._create_unverified_context()} if connection is HTTPSConnection else {}
    )
    with cluster(workers=1) as workers:
        assert workers.dashboard == ""
        for port in ports_of_this_process_and_its_children():
            with (
                closing(connection("127.0.0.1", int(port), timeout=5, **trusting)) as browser,
                pytest.raises((OSError, HTTPException)),
            ):
                browser.request("GET", "/info/main/workers.html")
                browser.getresponse()


@pytest.mark.skipif(os.name == "nt", reason="no modes of files there")
def test_what_workers_leave_on_the_disk_is_the_users_alone():
    """They read it back as pickles."""
    with cluster(workers=1) as workers:
        (worker,) = workers._client.scheduler_info()["workers"].values()
        private = Path(worker["local_directory"]).parents[1]
        assert private.stat().st_mode & 0o777 == 0o700 and private.stat().st_uid == os.getuid()
    assert not private.exists()


def test_without_the_library_for_keys_no_cluster_is_started(monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with (
        pytest.raises(
            InputError, match=r"need the libraries distributed and cryptography: pip install"
        ),
        cluster(),
    ):
        pass


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '"tcp://host:1"', '{"address": 5}', '{"address": ""}', "[" * 10_000]
)
def test_a_file_of_no_scheduler_is_refused(tmp_path, text):
    (tmp_path / "scheduler.json").write_text(text)
    with (
        pytest.raises(InputError, match=r"scheduler\.json is not the file of a Dask scheduler"),
        cluster(str(tmp_path / "scheduler.json")),
    ):
        pass
