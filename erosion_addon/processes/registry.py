# SPDX-License-Identifier: GPL-3.0-or-later
"""The processes there are, in the order of menus. Each is a folder; a new one is a line here."""

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
