# SPDX-License-Identifier: GPL-3.0-or-later
import threading
import time

import pytest

from erosion_addon.base import threads
from erosion_addon.base.threads import WorkerPool, granted, in_bands, processors


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


def test_bands_run_at_once():
    meeting = threading.Barrier(3, timeout=120)  # which breaks unless three are there together
    in_bands(lambda first, last: meeting.wait(), 3, threads=3, band=1)


def test_no_thread_is_left():
    before = threading.active_count()
    in_bands(lambda first, last: time.sleep(0.001), 100, threads=4, band=1)
    assert threading.active_count() == before


def test_the_first_error_is_raised_and_nothing_is_begun_after_it():
    begun = []

    def work(first, last):
        begun.append(first)
        if first in (2, 5):
            time.sleep(0.02 * (first == 2))
            raise ValueError(first)
        time.sleep(0.001)

    before = threading.active_count()
    with pytest.raises(ValueError, match="2"):
        in_bands(work, 2000, threads=2, band=1)
    assert threading.active_count() == before
    assert len(begun) < 1000


def test_no_number_asks_for_all_processors_and_a_number_is_kept():
    assert [granted(most) for most in (0, 1, 3)] == [processors(), 1, 3]


def test_there_is_at_least_one_processor():
    assert processors() >= 1


@pytest.mark.parametrize("given", [0, 1, 2])
def test_where_the_system_gives_fewer_threads_those_do_all_the_work(monkeypatch, given):
    """As where a farm limits how many a user may have."""
    start = threading.Thread.start
    started = []

    def grudging(thread):
        if len(started) == given:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", grudging)
    bands = []
    places = []
    in_bands(lambda first, last: bands.append(first), 100, threads=4, band=10)
    assert sorted(bands) == list(range(0, 100, 10))
    del started[:]
    pool = WorkerPool(4)
    for _ in range(3):
        pool.run(places.append)
    assert sorted(places) == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]


def test_an_error_of_a_team_is_raised_once_and_the_team_works_on():
    def work(place):
        if place > 0:
            raise ValueError(place)

    pool = WorkerPool(3)
    places = []
    with pytest.raises(ValueError, match="1"):
        pool.run(work)
    pool.run(places.append)
    assert sorted(places) == [0, 1, 2]


def test_a_team_is_dismissed_after_an_interruption_in_the_middle_of_handing_over(monkeypatch):
    # a thread that has not come to its lock yet
    monkeypatch.setattr(threads, "_started", lambda helpers: helpers)
    crew = threads._Shared(1)
    crew.go[0].release()
    crew.dismiss()
    crew._serve(0)  # comes now, finds no work, and ends
    assert crew.go[0].locked()
