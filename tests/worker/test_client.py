# SPDX-License-Identifier: GPL-3.0-or-later
"""A thread of worker or client that ends for any reason ends the process, with a message."""

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from erosion_addon.recipe.recipe import Recipe
from erosion_addon.terrain.terrain import Terrain
from erosion_addon.worker import client
from erosion_addon.worker import client as runners
from erosion_addon.worker.client import Runner
from erosion_addon.worker.messages import send
from tests.terrains import fractal

pytestmark = pytest.mark.worker

ROOT = Path(__file__).resolve().parents[2]
LAND = Terrain(fractal(16, 16, 10.0), 10.0)
ENDLESS = Recipe.load("arcane").with_values({"droplet.drops_per_cell": 1000.0})
HUGE = (
    b'{"kind": "run", "values": {}, "arrays": [["elevation", "<f8", [1000000000, 1000000000]]]}\n'
)
"""An array for which no machine has the memory."""


@pytest.fixture
def start():
    """start(): a client with its process, which ends with the test."""
    started = []

    def start_one():
        started.append(Runner({}))
        return started[-1]

    yield start_one
    for runner in started:
        runner.kill()


def last_words(runner, seconds=300.0):
    """The client's reason for the end of its process, which has ended."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for message in runner.poll(0.5):
            if message.kind == "ended":
                assert not runner.alive
                return message.values["reason"]
    raise AssertionError("nobody said that the worker had ended")


def write(runner, line):
    runner._process.stdin.write(line)
    runner._process.stdin.flush()


@pytest.mark.thorough
@pytest.mark.parametrize("busy", [False, True])
@pytest.mark.parametrize(
    "line, reason",
    [
        (HUGE, "There is not enough memory for this terrain"),
        (b"[1]\n", "(exit code 1)"),
        (b"\xff\n", "(exit code 1)"),
    ],
)
def test_a_worker_that_cannot_take_in_a_message_ends_and_that_is_said(start, line, reason, busy):
    runner = start()
    if busy:
        runner.run(LAND, ENDLESS, {})
    while not any(
        message.kind == ("progress" if busy else "ready") for message in runner.poll(1.0)
    ):
        assert runner.alive
    write(runner, line)
    assert reason in last_words(runner)
    assert runner.fault == ""


def speaking(monkeypatch, source):
    """Clients start a process that runs this instead of a worker."""
    start = f"import sys, time; out = sys.stdout.buffer; {source}; out.flush(); time.sleep(600)"
    monkeypatch.setattr(client, "_START", start)


@pytest.mark.parametrize(
    "answer, reason",
    [
        (b"what?\n", "an invalid answer"),
        (b'{"kind": "compiling", "values": {}, "arrays": []}\n', "an invalid answer"),
        (
            b'{"kind": "result", "values": {}, "arrays": [["elevation", "O", [4]]]}\n',
            "an invalid answer",
        ),
        (HUGE, "There is not enough memory for the result"),
    ],
)
def test_an_answer_that_cannot_be_taken_in_ends_the_worker_and_that_is_said(
    start, monkeypatch, answer, reason
):
    speaking(monkeypatch, f"out.write({answer!r})")
    assert reason in last_words(start())


def test_a_worker_that_shuts_its_mouth_and_lives_on_is_ended(start, monkeypatch):
    monkeypatch.setattr(runners, "LAST_SECONDS", 0.2)
    speaking(monkeypatch, "import os; os.close(1); time.sleep(600)")
    assert "ended" in last_words(start())


@pytest.mark.parametrize(
    "error, reason",
    [
        (MemoryError(), "not enough memory to send the terrain"),
        (KeyError("x"), "could not be sent to the erosion process"),
    ],
)
def test_an_order_that_cannot_be_handed_over_ends_the_worker_and_that_is_said(
    start, monkeypatch, error, reason
):
    def failing(stream, *order):
        send(stream, *order[:1])
        raise error

    monkeypatch.setattr(runners, "send", failing)
    runner = start()
    runner.run(LAND, ENDLESS, {})
    assert reason in last_words(runner)


def test_a_runner_whose_threads_cannot_start_leaves_no_process(monkeypatch):
    started = []
    popen = subprocess.Popen

    def remembered(*given, **more):
        started.append(popen(*given, **more))
        return started[-1]

    monkeypatch.setattr(client.subprocess, "Popen", remembered)

    def refuse(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(OSError, match="new thread"):
        Runner({})
    assert started[0].wait(60) != 0
    for pipe in (started[0].stdin, started[0].stdout):
        pipe.close()


ORPHAN = """
import sys, time
from erosion_addon.worker.client import Runner
from tests.worker.test_client import ENDLESS, LAND
runner = Runner({})
runner.run(LAND, ENDLESS, {})
while not any(message.kind == "progress" for message in runner.poll(1.0)):
    pass
print(runner._process.pid, flush=True)
time.sleep(600)
"""


def lives(process):
    """Whether the process exists and is not a zombie, which some containers keep."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="looks the process up in /proc")
def test_a_worker_whose_starter_is_killed_in_a_run_is_no_orphan():
    starter = subprocess.Popen(
        [sys.executable, "-c", ORPHAN], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    try:
        worker = int(starter.stdout.readline())
    finally:
        starter.kill()
        starter.wait()
        starter.stdout.close()
    end = time.monotonic() + 60
    while lives(worker):
        assert time.monotonic() < end, "the worker lives on"
        time.sleep(0.05)
