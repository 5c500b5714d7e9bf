# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender keeps of a run's settings: `object.erosion`."""

import bpy

from ..model.masks import MASK_KINDS
from ..model.recipe import EDGE_CHOICE, SEED
from . import previews
from .declared import label
from .masks import EROSION_PG_mask
from .steps import EROSION_PG_step, reload
from .surface_color import EROSION_PG_surface_color

FIRST_RECIPE = "alpine"

EDGE_ITEMS = [
    ("open", "Open", "Water leaves over the edges and takes its load along"),
    ("closed", "Closed", "The edges are walls: nothing leaves"),
    ("wrap", "Wrap", "The terrain is a seamless tile: what leaves on one side comes in on the other"),
]


class EROSION_PG_object(bpy.types.PropertyGroup):
    """Erosion of an object"""

    __annotations__ = {
        "seed": bpy.props.IntProperty(
            name="Seed", description="Another number, another terrain of the same kind",
            default=SEED.default, min=int(SEED.low), max=int(SEED.high),
        ),
        "edges": bpy.props.EnumProperty(
            name="Edges", description="What lies around the terrain", items=EDGE_ITEMS, default=EDGE_CHOICE.default
        ),
        "recipe_name": bpy.props.StringProperty(
            name="Recipe", description="The kind of landscape to make", default=FIRST_RECIPE,
            update=lambda settings, context: reload(settings),
        ),
        "recipe_choice": bpy.props.EnumProperty(
            name="Recipe", description="The kind of landscape to make, by its picture", options={"SKIP_SAVE"},
            items=previews.recipe_items, get=previews.chosen, set=previews.choose,
        ),
        "steps": bpy.props.CollectionProperty(type=EROSION_PG_step),
        "springs": bpy.props.PointerProperty(
            type=bpy.types.Collection, name="Springs",
            description="Each object of this collection is a spring on the terrain below it; its scale is its rate",
        ),
        "casters": bpy.props.PointerProperty(
            type=bpy.types.Collection, name="Casters",
            description="The objects of this collection throw soft shadows on the terrain, as a few spheres each",
        ),
        "continue_from_result": bpy.props.BoolProperty(
            name="Add to Last Run",
            description="Erode the terrain as it is now, instead of starting again from the terrain before erosion",
        ),
        "surface_color": bpy.props.PointerProperty(
            type=EROSION_PG_surface_color, name="Surface Color", description="The colours that the ground starts with"
        ),
        "report": bpy.props.StringProperty(name="Report", description="Report of the last run, as JSON"),
        **{kind: bpy.props.PointerProperty(type=EROSION_PG_mask, name=label(kind), description=meaning)
           for kind, (_, meaning) in MASK_KINDS.items()},
    }  # fmt: skip


def register() -> None:
    """Give every object its settings."""
    bpy.types.Object.erosion = bpy.props.PointerProperty(type=EROSION_PG_object, name="Erosion")


def unregister() -> None:
    """Take them away again; what files hold of them stays there."""
    del bpy.types.Object.erosion


CLASSES = (EROSION_PG_object,)
