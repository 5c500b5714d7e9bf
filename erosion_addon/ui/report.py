# SPDX-License-Identifier: GPL-3.0-or-later
"""What the last run says of itself."""

import json

import bpy

from ..model.report import in_words
from ..scene import companions
from .panel import SubPanel, draw_lines


class EROSION_PT_report(SubPanel):
    bl_label = "Last Run"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return super().poll(context) and bool(companions.terrain_of(context.object).erosion.report)

    def draw(self, context: bpy.types.Context) -> None:
        for line in in_words(json.loads(companions.terrain_of(context.object).erosion.report)):
            draw_lines(self.layout, [line], "NONE")


CLASSES = (EROSION_PT_report,)
