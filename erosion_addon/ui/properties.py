# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of a run, stored in the .blend file as `object.erosion`."""

import bpy

from ..recipe.recipe import EDGE_CHOICE, SEED
from ..terrain.masks import MASK_KINDS
from .base.parameter_properties import property_of
from .frames.frame_settings import EROSION_PG_frames
from .masks.mask_settings import SETTINGS
from .masks.surface_color import EROSION_PG_surface_color
from .recipe.steps import EROSION_PG_step, reload
from .run import live_preview

FIRST_RECIPE = "alpine"


class EROSION_PG_object(bpy.types.PropertyGroup):
    """Erosion of an object"""

    __annotations__ = {
        "seed": property_of(SEED),
        "edges": property_of(EDGE_CHOICE),
        "recipe_name": bpy.props.StringProperty(
            name="Recipe",
            description="The kind of landscape to make",
            default=FIRST_RECIPE,
            update=lambda settings, context: reload(settings),
        ),
        "recipe_loaded": bpy.props.StringProperty(
            name="Loaded Recipe",
            description="The recipe as it was loaded, as JSON",
            options={"HIDDEN"},
        ),
        "steps": bpy.props.CollectionProperty(
            type=EROSION_PG_step, name="Steps", description="Steps of the recipe, in order"
        ),
        "active_step": bpy.props.IntProperty(
            name="Active Step", description="Number of the step shown below", min=0
        ),
        "springs": bpy.props.PointerProperty(
            type=bpy.types.Collection,
            name="Springs",
            description=(
                "Each object of this collection is a spring on the terrain below it. Its "
                "scale is its discharge: higher values make a larger river. Unit: m³/s in"
                " water steps, a share of the drops in others"
            ),
        ),
        "casters": bpy.props.PointerProperty(
            type=bpy.types.Collection,
            name="Shadow Casters",
            description=(
                "The objects of this collection cast soft shadows on the terrain, as a few "
                "spheres each"
            ),
        ),
        "continue_from_result": bpy.props.BoolProperty(
            name="Continue from Result",
            description=(
                "Erode the terrain as it is now, instead of starting again from the terrain "
                "before erosion"
            ),
        ),
        "adds_up": bpy.props.BoolProperty(
            name="Add Up Maps",
            description="Add the wear and deposition of this run to the maps of the runs before",
        ),
        "surface_color": bpy.props.PointerProperty(
            type=EROSION_PG_surface_color,
            name="Surface Color",
            description="Starting colors of the ground",
        ),
        "region_name": bpy.props.StringProperty(
            name="Region",
            description=(
                "Vertex group or attribute of the vertices that Run on Region erodes. "
                "Empty: the selected vertices"
            ),
        ),
        "show_progress": bpy.props.BoolProperty(
            name="Show on Mesh",
            default=True,
            description=(
                "Show the terrain and its water during the run, several times a second if "
                "that does not slow down the run. The mesh itself stays unchanged: Esc leaves "
                "every vertex in place"
            ),
        ),
        "live_preview": bpy.props.BoolProperty(
            name="Live Preview",
            get=live_preview.wanted,
            set=live_preview.choose,
            description=(
                "Show a coarse preview of the settings on the terrain while you drag them. Large "
                "valleys lie about where a run cuts them; fine gullies are missing. Only Run "
                "changes the terrain itself"
            ),
        ),
        "live_preview_choice": bpy.props.IntProperty(
            name="Live Preview",
            description="0: no, 1: yes, -1: as the preferences say",
            default=-1,
            min=-1,
            max=1,
            options={"HIDDEN"},
        ),
        "frames": bpy.props.PointerProperty(
            type=EROSION_PG_frames,
            name="Frames",
            description="States of a run, kept as image files",
        ),
        "report": bpy.props.StringProperty(
            name="Report", description="Report of the last run, as JSON"
        ),
        **{
            kind: bpy.props.PointerProperty(
                type=SETTINGS[kind], name=mask.label, description=mask.tooltip
            )
            for kind, mask in MASK_KINDS.items()
        },
    }


def register() -> None:
    """Register the settings of objects."""
    bpy.types.Object.erosion = bpy.props.PointerProperty(type=EROSION_PG_object, name="Erosion")


def unregister() -> None:
    """Unregister them; files keep the stored values."""
    del bpy.types.Object.erosion


CLASSES = (EROSION_PG_object,)
