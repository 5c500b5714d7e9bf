# SPDX-License-Identifier: GPL-3.0-or-later
"""All processes in menu order. Each is a folder; a new one adds a line here."""

from . import brush, droplet, dunes, rill, snow, talus, uplift, water, weathering, wind
from .shared.process import Process

_WITHOUT_BRUSH: dict[str, Process] = {
    process.kind: process
    for process in (
        droplet.PROCESS,
        rill.PROCESS,
        water.PROCESS,
        wind.PROCESS,
        dunes.PROCESS,
        talus.PROCESS,
        weathering.PROCESS,
        uplift.PROCESS,
        snow.PROCESS,
    )
}

PROCESSES: dict[str, Process] = {**_WITHOUT_BRUSH, "brush": brush.process_of(_WITHOUT_BRUSH)}
