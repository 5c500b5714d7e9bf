# SPDX-License-Identifier: GPL-3.0-or-later
"""Something done now and then, so that it never takes more than a share of the time."""

import time


class Sparing:
    """Tells when it may be done again. share: of the time, at most; pause: seconds between two times, at least."""

    def __init__(self, share: float, pause: float) -> None:
        self._share, self._pause = share, pause
        self._next = 0.0

    @property
    def due(self) -> bool:
        """Whether it may be done now."""
        return time.perf_counter() >= self._next

    def took(self, seconds: float) -> None:
        """It was done just now, and took so long."""
        self._next = time.perf_counter() + max(self._pause - seconds, seconds / self._share)
