# SPDX-License-Identifier: GPL-3.0-or-later
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from erosion_addon.base import threads
from erosion_addon.base.threads import granted, in_bands, in_parts, processors

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("threads", [1, 2, 7])
@pytest.mark.parametrize("count", [0, 1, 31, 32, 33, 200])
def test_the_bands_are_all_rows_and_the_same_on_any_number_of_threads(count, threads):
    bands = []
    in_bands(lambda first, last: bands.append((first, last)), count, threads)
    assert sorted(bands) == [(first, min(first + 32, count)) for first in range(0, count, 32)]


def test_one_thread_is_the_callers_own():
    used = []
    in_bands(lambda first, last: used.append(threading.current_thread()), 100, threads=1)
    assert set(used) == {threading.current_thread()}


@pytest.fixture
def sixteen_processors(monkeypatch):
    """A machine of sixteen processors, none of whose threads have been started yet."""
    monkeypatch.setattr(threads, "processors", lambda: 16)
    monkeypatch.setattr(threads, "_crews", [])


@pytest.mark.parametrize("count", [2, 3, 16])
def test_parts_run_at_once(sixteen_processors, count):
    # which breaks unless all are there together
    meeting = threading.Barrier(count, timeout=120)
    for _ in range(20):
        in_parts(lambda part: meeting.wait(), count, threads=16)


def test_no_more_threads_than_asked_for_or_than_processors(sixteen_processors, monkeypatch):
    def threads_of(count):
        used = set()

        def work(part):
            used.add(threading.current_thread())
            time.sleep(0.001)

        in_parts(work, 200, count)
        return len(used)

    in_parts(lambda part: time.sleep(0.001), 100, threads=16)  # all are there now
    assert threads_of(3) <= 3
    monkeypatch.setattr(threads, "processors", lambda: 2)
    assert threads_of(16) <= 2


def test_threads_are_started_once():
    in_bands(lambda first, last: time.sleep(0.001), 100, threads=4, band=1)
    before = threading.active_count()
    for _ in range(20):
        in_bands(lambda first, last: time.sleep(0.001), 100, threads=4, band=1)
    assert threading.active_count() == before


def test_parts_within_parts_and_calls_at_once_do_all_their_work(sixteen_processors):
    done = []

    def outer(part):
        in_parts(lambda inner: done.append((part, inner)), 50, threads=4)

    callers = [threading.Thread(target=in_parts, args=(outer, 5, 3), daemon=True) for _ in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(timeout=120)
    assert sorted(done) == sorted(4 * [(part, inner) for part in range(5) for inner in range(50)])


def test_ten_thousand_short_phases_end(sixteen_processors):
    """Threads that wake late find the phase over, or another one."""
    total = 0
    for count in range(10000):
        done = []
        in_parts(done.append, count % 20, threads=16)
        assert sorted(done) == list(range(count % 20))
        total += len(done)
    assert total == 10000 // 20 * sum(range(20))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no such call on Windows")
def test_a_forked_process_has_threads_of_its_own():
    script = (
        "import os, sys\n"
        "from erosion_addon.base import threads\n"
        "threads.processors = lambda: 4\n"
        "done = []\n"
        "threads.in_parts(done.append, 100, 4)\n"
        "child = os.fork()\n"
        "threads.in_parts(done.append, 100, 4)\n"
        "code = 0 if len(done) == 200 else 3\n"
        "if child == 0: os._exit(code)\n"
        "sys.exit(code or os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, timeout=300, check=True)


def test_the_first_error_is_raised_and_nothing_is_begun_after_it():
    begun = []

    def work(first, last):
        begun.append(first)
        if first in (2, 5):
            time.sleep(0.02 * (first == 2))
            raise ValueError(first)
        time.sleep(0.001)

    with pytest.raises(ValueError, match="2"):
        in_bands(work, 2000, threads=2, band=1)
    assert len(begun) < 1000


def test_no_number_asks_for_all_processors_and_a_number_is_kept():
    assert [granted(most) for most in (0, 1, 3)] == [processors(), 1, 3]


def test_there_is_at_least_one_processor():
    assert processors() >= 1


@pytest.mark.parametrize("limit", [0, 1, 2])
def test_where_the_system_provides_fewer_threads_those_do_all_the_work(
    sixteen_processors, monkeypatch, limit
):
    """A farm may limit how many a user may have."""
    start = threading.Thread.start
    started = []

    def grudging(thread):
        if len(started) == limit:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", grudging)
    bands = []
    in_bands(lambda first, last: bands.append(first), 100, threads=4, band=10)
    assert sorted(bands) == list(range(0, 100, 10))
    assert len(started) == limit


def test_after_an_error_the_threads_work_again(sixteen_processors):
    def work(part):
        if part > 0:
            raise ValueError(part)

    parts = []
    with pytest.raises(ValueError, match="1"):
        in_parts(work, 3, 3)
    in_parts(parts.append, 3, 3)
    assert sorted(parts) == [0, 1, 2]
