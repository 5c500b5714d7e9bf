# SPDX-License-Identifier: GPL-3.0-or-later
"""Report panel of the last run."""

import json

import bpy

from ...base.errors import Sentence
from ...run.report import in_words
from ...scene.companions import companions
from ...scene.session import session
from ..base.panel import SubPanel, draw_lines


class EROSION_PT_report(SubPanel):
    bl_label = "Last Run"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return super().poll(context) and bool(companions.terrain_of(context.object).erosion.report)

    def draw(self, context: bpy.types.Context) -> None:
        for line in _lines(companions.terrain_of(context.object).erosion.report):
            draw_lines(self.layout, [line], "NONE")


@session.cached(16)
def _lines(report: str) -> list[str]:
    """Report in words; invalid content in a file is reported as missing."""
    try:
        return in_words(json.loads(report))
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError):
        return [Sentence("The report of the last run is damaged.")]


CLASSES = (EROSION_PT_report,)
