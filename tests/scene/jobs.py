# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs without a window: polled until something has happened."""


def wait_for(run, condition, seconds=300.0):
    """Poll a run until the condition holds."""
    for _ in range(int(seconds / 0.05)):
        run.poll(0.05)
        if condition():
            return
    raise AssertionError(f"still {run.state} at {run.fraction}")
