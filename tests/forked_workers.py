# SPDX-License-Identifier: GPL-3.0-or-later
"""Workers of tests, forked from one process that has imported all that they need.

Almost every test of a run has a worker of its own, as opening a file ends the one before, and
starting Python with numba takes a second of processor time. A fork takes a few milliseconds, and
is as fresh. Linux only; elsewhere workers start as they do in Blender.
"""

import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from erosion_addon.base.kernels import settings  # noqa: F401 - sets variables of numba
from erosion_addon.worker import client

ROOT = Path(__file__).resolve().parents[1]
STDERR = 2

TEMPLATE = """
import sys
sys.path[:0] = [sys.argv[1]]
sys.path += sys.argv[3:]
from tests.forked_workers import serve
serve(int(sys.argv[2]))
"""


def serve(descriptor: int) -> None:
    """Fork a worker for each request, until the other end closes. Its process reports two lines:
    the worker's number, and its exit code.
    """
    from erosion_addon.base.kernels import jit
    from erosion_addon.worker import worker

    jit.prepare()
    requests = socket.socket(fileno=descriptor)
    while True:
        request, descriptors, _, _ = socket.recv_fds(requests, 1 << 16, 4)
        if not request:
            os._exit(0)
        if os.fork() == 0:
            requests.close()
            _keep(worker, json.loads(request), *descriptors)
        for number in descriptors:
            os.close(number)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _keep(worker, folder: str, orders: int, answers: int, errors: int, report: int) -> None:
    """Fork the worker, and wait for its end."""
    number = os.fork()
    if number == 0:
        os.chdir(folder)
        for target, source in enumerate((orders, answers, errors)):
            os.dup2(source, target)
        os.closerange(3, 256)
        worker.main()
    for descriptor in (orders, answers, errors):
        os.close(descriptor)
    with os.fdopen(report, "w") as lines:
        print(number, file=lines, flush=True)
        _, status = os.waitpid(number, 0)
        print(os.waitstatus_to_exitcode(status), file=lines, flush=True)
    os._exit(0)


class Worker:
    """A forked worker, with the interface of a process that `client.start` returns."""

    def __init__(self, requests: socket.socket) -> None:
        orders, stdin = os.pipe()
        stdout, answers = os.pipe()
        report, to_report = os.pipe()
        request = json.dumps(str(Path.cwd())).encode()
        theirs = [orders, answers, STDERR, to_report]
        socket.send_fds(requests, [request], theirs)
        for number in (orders, answers, to_report):
            os.close(number)
        self.stdin = os.fdopen(stdin, "wb")
        self.stdout = os.fdopen(stdout, "rb")
        self.returncode: int | None = None
        self._lines = os.fdopen(report)
        self.pid = int(self._lines.readline())
        self._end = threading.Event()
        threading.Thread(target=self._wait, daemon=True).start()

    def _wait(self) -> None:
        self.returncode = int(self._lines.readline() or -9)
        self._end.set()

    def poll(self) -> int | None:
        return self.returncode

    def wait(self, timeout: float | None = None) -> int | None:
        if not self._end.wait(timeout):
            raise subprocess.TimeoutExpired("worker", timeout)
        return self.returncode

    def kill(self) -> None:
        if self.returncode is None:
            os.kill(self.pid, 9)


def _start_of(environment) -> object:
    """All that decides how a worker starts."""
    names = ("NUMBA", "PYTHON", "TERRAIN_EROSION_CACHE", "XDG", "HOME", "LD_", "MALLOC")
    variables = {name: value for name, value in environment.items() if name.startswith(names)}
    return sys.executable, sys.path[:1], variables


USUAL = _start_of(os.environ)


class Template:
    """The process that is forked: started for the first worker, and again if a test ends it."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._requests: socket.socket | None = None

    def fork(self) -> Worker:
        if self._process is None or self._process.poll() is not None:
            self._requests, theirs = socket.socketpair()
            paths = [str(ROOT), str(theirs.fileno()), *filter(os.path.isdir, sys.path)]
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-X", "utf8", "-c", TEMPLATE, *paths],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
            theirs.close()
        return Worker(self._requests)

    def end(self) -> None:
        if self._process is not None:
            self._requests.close()
            self._process.wait()


@pytest.fixture(scope="session")
def worker_template():
    template = Template()
    yield template
    template.end()


@pytest.fixture(autouse=True)
def forked_workers(worker_template):
    """Workers that would start as usual come from a fork: only in rooms that import this."""
    if sys.platform != "linux":
        yield
        return
    start = client.start

    def fork(module, environment, stdout, priority):
        is_usual = _start_of({**os.environ, **environment}) == USUAL
        if module == "worker.worker" and is_usual:
            return worker_template.fork()
        return start(module, environment, stdout, priority)

    client.start = fork
    yield
    client.start = start
