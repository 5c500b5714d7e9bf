# SPDX-License-Identifier: GPL-3.0-or-later
"""Rate limiter: caps the share of wall time that a recurring action may use."""

import time


class Throttle:
    """Limit on one action. share: of the time, at most; pause: seconds between two actions, at
    least.
    """

    def __init__(self, share: float, pause: float) -> None:
        self._share = share
        self._pause = pause
        self._next = 0.0

    @property
    def due(self) -> bool:
        """Whether the action may run now."""
        return time.perf_counter() >= self._next

    def record(self, seconds: float) -> None:
        """Record an action that has just ended, with its duration."""
        self._next = time.perf_counter() + max(self._pause - seconds, seconds / self._share)
