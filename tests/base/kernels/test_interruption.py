# SPDX-License-Identifier: GPL-3.0-or-later
"""Signals while a kernel works."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from erosion_addon.base.kernels import interruption
from erosion_addon.base.kernels.jit import kernel
from erosion_addon.base.threads import in_bands, in_parts

ROOT = Path(__file__).resolve().parents[3]
posix = pytest.mark.skipif(os.name == "nt", reason="no such signals on Windows")


@kernel
def count_until_stopped(numbers):
    """Write the number of the turn into one place after the other, until the first number is not
    0.
    """
    place = 1
    turn = 0.0
    while numbers[0] == 0.0 and turn < 1e11:
        turn += 1.0
        numbers[place] = turn
        place = 1 + place % (numbers.size - 1)


class Ended(BaseException):
    """What the handler raises."""


@pytest.fixture
def alarm():
    """A signal in a tenth of a second, whose handler raises `Ended`."""

    def end(number, frame):
        raise Ended

    before = signal.signal(signal.SIGALRM, end)
    yield lambda: signal.setitimer(signal.ITIMER_REAL, 0.1)
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    signal.signal(signal.SIGALRM, before)


@posix
@pytest.mark.parametrize(
    "call",
    [
        lambda numbers: count_until_stopped(numbers),
        lambda numbers: in_bands(lambda first, last: count_until_stopped(numbers), 2, 2, band=1),
        lambda numbers: in_parts(lambda part: count_until_stopped(numbers), 2, 2),
    ],
    ids=["alone", "in bands", "in parts"],
)
def test_a_signal_does_not_wait_for_a_long_kernel(alarm, call):
    count_until_stopped(np.ones(interruption.LARGE))  # compiled
    numbers = np.zeros(interruption.LARGE)
    with interruption.handled(), pytest.raises(Ended):
        alarm()
        call(numbers)
    before = numbers.max()
    while numbers.max() == before:  # it works on
        time.sleep(0.01)
    numbers[0] = 1.0


def test_only_the_main_thread_leaves_only_long_kernels_to_another():
    many = np.zeros(interruption.LARGE)
    few = np.zeros(interruption.LARGE - 1)
    assert not interruption.is_long((many,))
    with interruption.handled():
        assert interruption.is_long((many,)) and interruption.is_long((1.0, (few, (None, many))))
        assert not interruption.is_long((few, 1.0, None, (few,)))
        found = []
        other = threading.Thread(target=lambda: found.append(interruption.is_long((many,))))
        other.start()
        other.join()
        assert found == [False]


def test_a_result_and_an_error_come_back_from_the_other_thread():
    assert interruption.aside(lambda: 3) == 3
    with pytest.raises(ZeroDivisionError):
        interruption.aside(lambda: 1 / 0)


@posix
def test_the_process_ends_with_its_code_while_a_kernel_works():
    script = (
        "import signal, time\n"
        "from erosion_addon.cli.terminal.signals import leave\n"
        "from erosion_addon.base.kernels.interruption import aside\n"
        "class Ended(BaseException): pass\n"
        "def end(number, frame): raise Ended\n"
        "signal.signal(signal.SIGALRM, end)\n"
        "signal.alarm(1)\n"
        "print('begun')\n"
        "try: aside(lambda: time.sleep(1000))\n"
        "except Ended: leave(75)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert (done.returncode, done.stdout, done.stderr) == (75, "begun\n", "")
