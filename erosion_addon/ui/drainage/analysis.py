# SPDX-License-Identifier: GPL-3.0-or-later
"""Analysis operator, and the panel with its results."""

import bpy

from ...base.errors import Sentence
from ...base.parameters import specifications
from ...drainage.parameters import AnalysisParameters
from ...scene.run import readiness
from ...scene.run.errand import Plan
from ...scene.session import session
from ...scene.terrain.active import active_terrain
from ...scene.water import analysis
from ...terrain.fields import ANALYZED
from ...worker.messages import Request
from ..base import parameter_properties
from ..base.panel import SubPanel, draw_lines
from ..base.parameter_properties import properties_of
from ..base.terrain_operator import allowed
from ..base.terrain_settings import settings_of
from ..masks import mask_watch
from ..run.modal import ParameterOperator


class EROSION_OT_analyze(ParameterOperator, bpy.types.Operator):
    """Compute drainage area, stream order, lake depth, slope, curvature and flow direction of the
    current terrain as attributes, with figures to compare it with real land. Runs keep them up to
    date
    """

    bl_idname = "erosion.analyze"
    bl_label = "Analyze"
    bl_options = {"REGISTER", "UNDO"}

    work = "Analysis"

    parameters = AnalysisParameters
    __annotations__ = properties_of(specifications(AnalysisParameters).values())

    def remembered(self, terrain: bpy.types.Object) -> AnalysisParameters | None:
        return analysis.settings_of(terrain.data)

    def plan(self) -> Plan:
        parameters = self.parameter_values()

        def requests(terrain: bpy.types.Object) -> list[Request]:
            return analysis.requests_of_analysis(terrain, parameters, settings_of(terrain))

        def change(terrain: bpy.types.Object) -> tuple[str, list[str]]:
            result = analysis.analyze(terrain, parameters, settings_of(terrain))
            return Sentence("Found {fields}.").format(fields=", ".join(result.fields)), result.notes

        return Plan(requests, change)


class EROSION_OT_analysis_remove(bpy.types.Operator):
    """Remove the analysis and its attributes from the terrain"""

    bl_idname = "erosion.analysis_remove"
    bl_label = "Remove Analysis"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        terrain = active_terrain(context)
        reason = readiness.why_not(terrain)
        if reason is None and terrain is not None and not analysis.kept_text(terrain.data):
            reason = Sentence("{name} was not analyzed.").format(name=terrain.name)
        return allowed(cls, reason)

    def execute(self, context: bpy.types.Context) -> set[str]:
        analysis.remove(active_terrain(context).data)
        return {"FINISHED"}


class EROSION_PT_analysis(SubPanel):
    bl_label = "Analysis"

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        mesh = active_terrain(context).data
        text = analysis.kept_text(mesh)
        row = layout.row(align=True)
        row.operator("erosion.analyze", icon="VIEWZOOM")
        if not text:
            return
        row.operator("erosion.analysis_remove", text="", icon="X")
        figures, notes = _told(text)
        if notes:
            draw_lines(layout, [*notes], "INFO")
        flow = layout.grid_flow(columns=2, even_columns=True, align=True)
        for name in ANALYZED:
            visible = mask_watch.is_shown(active_terrain(context), mask_watch.FIELD + name)
            flow.operator(
                "erosion.field_show", text=parameter_properties.label(name), depress=visible
            ).field = name
        column = layout.column(align=True)
        column.scale_y = 0.8
        for label, value in figures:
            split = column.split(factor=0.6)
            split.label(text=label)
            split.label(text=value, translate=False)


@session.cached(16)
def _told(text: str) -> tuple[list[tuple[str, str]], list[str]]:
    """Label and value of each figure, and notes; invalid content in a file is reported as
    missing.
    """
    from ...drainage.land_statistics import lines

    record = analysis.kept(text)
    try:
        return lines(record["figures"]), [str(note) for note in record["notes"]]
    except (ValueError, TypeError):
        return [], [Sentence("The figures of the analysis are damaged; analyze the terrain again.")]


CLASSES = (EROSION_OT_analyze, EROSION_OT_analysis_remove, EROSION_PT_analysis)
