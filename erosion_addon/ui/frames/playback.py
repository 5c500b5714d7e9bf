# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators of playback: add and remove it, and export it for other programs."""

from pathlib import Path

import bpy
from bpy_extras.io_utils import ExportHelper

from ...base.atomic_files import Outputs
from ...base.errors import InputError, Sentence
from ...scene.frames import playback
from ...scene.run import readiness
from ...scene.terrain.active import active_terrain
from ..base.terrain_operator import TerrainOperator, allowed, reports_refusals
from ..base.translations import report
from ..run import frame_choice
from .result_slider import why_no_frames


class EROSION_OT_playback_add(bpy.types.Operator):
    """Play the kept frames on the terrain, from the scene's first frame on.

    A Geometry Nodes modifier reads the images, so the file plays and renders without this
    extension. The mesh stays
    """

    bl_idname = "erosion.playback_add"
    bl_label = "Play Frames"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        terrain = active_terrain(context)
        return allowed(cls, readiness.why_not(terrain) or why_no_frames(terrain))

    @reports_refusals()
    def execute(self, context: bpy.types.Context) -> set[str]:
        terrain = active_terrain(context)
        folder, record = frame_choice.frames_of(terrain)
        playback.add(terrain, folder, record, float(context.scene.frame_start))
        return {"FINISHED"}


class EROSION_OT_playback_remove(TerrainOperator, bpy.types.Operator):
    """Remove the playback from the terrain. The frames stay"""

    bl_idname = "erosion.playback_remove"
    bl_label = "Remove Playback"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        playback.remove(active_terrain(context))
        return {"FINISHED"}


class EROSION_OT_frames_export(ExportHelper, bpy.types.Operator):
    """Export the terrain with its playback as USD: points and maps at each frame of the scene, for
    other programs
    """

    bl_idname = "erosion.frames_export"
    bl_label = "Export Frames as USD"
    bl_options = {"INTERNAL"}

    filename_ext = ".usdc"
    filepath: bpy.props.StringProperty(
        name="File Path", subtype="FILE_PATH", options={"PATH_SUPPORTS_BLEND_RELATIVE"}
    )
    filter_glob: bpy.props.StringProperty(default="*.usd;*.usdc;*.usda", options={"HIDDEN"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        terrain = active_terrain(context)
        reason = readiness.why_not(terrain)
        if reason is None and playback.find(terrain) is None:
            reason = Sentence("Add the playback of frames first.")
        return allowed(cls, reason)

    @reports_refusals()
    def execute(self, context: bpy.types.Context) -> set[str]:
        terrain = active_terrain(context)
        path = Path(self.filepath)
        with Outputs() as outputs:
            target = outputs.plan(path, (".usd", ".usdc", ".usda"))
            with outputs.write(target) as file:
                _write(context, terrain, file)
            outputs.publish()
        report(self, {"INFO"}, Sentence("{name} is exported.").format(name=path.name))
        return {"FINISHED"}


def _write(context: bpy.types.Context, terrain: bpy.types.Object, file: Path) -> None:
    """Write the terrain alone, at every frame of the scene; InputError if that fails."""
    options = {
        "export_lights",
        "export_cameras",
        "export_curves",
        "export_points",
        "export_volumes",
        "export_hair",
    }
    supported = bpy.ops.wm.usd_export.get_rna_type().properties.keys()
    selected = context.selected_objects
    active = context.view_layer.objects.active
    frame = context.scene.frame_current
    try:
        for obj in selected:
            obj.select_set(False)
        terrain.select_set(True)
        context.view_layer.objects.active = terrain
        result = bpy.ops.wm.usd_export(
            filepath=str(file),
            selected_objects_only=True,
            export_animation=True,
            export_materials=False,
            evaluation_mode="RENDER",
            **dict.fromkeys(options.intersection(supported), False),
        )
    except RuntimeError as error:
        raise InputError("The USD file cannot be written: {error}").format(error=error) from error
    finally:
        for obj in context.selected_objects:
            obj.select_set(False)
        for obj in selected:
            obj.select_set(True)
        context.view_layer.objects.active = active
        context.scene.frame_set(frame)
    if result != {"FINISHED"} or not file.exists():
        raise InputError("Blender could not write the USD file; see the system console.")


CLASSES = (EROSION_OT_playback_add, EROSION_OT_playback_remove, EROSION_OT_frames_export)
