# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that add and remove a terrain's companions, such as water surface and foliage."""

import bpy

from ...base.errors import Sentence
from ...base.parameters import Specification
from ...scene.companions import companions
from ...scene.derived import update_derived
from ...scene.run import readiness
from ...scene.run.errand import Plan
from ...scene.terrain.active import KIND, active_terrain
from ..base.parameter_properties import draw_values, properties_of
from ..base.terrain_operator import TerrainOperator, allowed, reports_refusals
from ..base.terrain_settings import settings_of
from ..base.translations import report
from ..run.modal import ErrandOperator

_THRESHOLD = Specification(
    "threshold",
    0.0,
    (
        "Minimum depth of visible water: higher values leave out puddles. Auto: a "
        "hundredth of a cell."
    ),
    low=0,
    high=1e6,
    soft_high=10,
    unit="m",
    zero="Auto",
    usual=0.1,
)

_FOLIAGE = (
    Specification(
        "shells",
        32,
        (
            "Number of rendered shells: higher values show finer forms. The viewport shows a "
            "quarter of them."
        ),
        low=1,
        high=256,
    ),
    Specification(
        "height",
        0.0,
        "Height of the tallest plants: higher values make a deeper cover. Auto: 0.8 cells.",
        low=0,
        high=1e6,
        soft_high=50,
        unit="m",
        zero="Auto",
        usual=2.0,
    ),
)

_PLANTS = (
    Specification(
        "trees", True, "Conifers, broad-leaved trees, hedges and palms, where the palette has them."
    ),
    Specification("shrubs", True, "Bushes."),
    Specification("grass", True, "Tufts of grass, visible only near the camera."),
    Specification("boulders", True, "Boulders that fell from cliffs."),
    Specification(
        "density",
        1.0,
        "Density of the plants: higher values close gaps.",
        low=0,
        high=10,
        soft_high=2,
    ),
    Specification(
        "size",
        0.0,
        "Factor of all heights, 1 for natural ones: lower values make the land look larger. "
        "Auto: 1, and less on land narrower than 1 km.",
        low=0,
        high=1000,
        soft_high=5,
        zero="Auto",
        usual=1.0,
    ),
    Specification(
        "limit",
        60_000,
        (
            "Maximum number of plants and boulders: higher values fill the distance, and renders "
            "take longer."
        ),
        low=1,
        high=2_000_000,
        soft_high=200_000,
    ),
)


class EROSION_OT_water_add(ErrandOperator, bpy.types.Operator):
    """Show the water as a separate surface that follows every run. Press again to update it"""

    bl_idname = "erosion.water_add"
    bl_label = "Add Water Surface"
    bl_options = {"REGISTER", "UNDO"}

    work = "Levels of Detail"

    __annotations__ = properties_of([_THRESHOLD])

    def draw(self, context: bpy.types.Context) -> None:
        draw_values(self.layout, self, ["threshold"])

    def plan(self) -> Plan:
        from ...scene.derived import lod
        from ...scene.water import water_surface

        threshold = self.threshold

        def change(terrain: bpy.types.Object) -> tuple[str, list[str]]:
            water_surface.add(terrain, threshold)
            return "", update_derived.update_companions(
                terrain, settings_of(terrain), {*update_derived.BESIDE_WATER, "lod"}
            )

        return Plan(lambda terrain: lod.requests_of_water(terrain, threshold), change)


class EROSION_OT_foliage_add(TerrainOperator, bpy.types.Operator):
    """Grow plants on wet, gentle ground. They follow every run. Press again to change them"""

    bl_idname = "erosion.foliage_add"
    bl_label = "Add Foliage"
    bl_options = {"REGISTER", "UNDO"}

    __annotations__ = properties_of(_FOLIAGE)

    def draw(self, context: bpy.types.Context) -> None:
        draw_values(self.layout, self, [declaration.name for declaration in _FOLIAGE])

    @reports_refusals()
    def execute(self, context: bpy.types.Context) -> set[str]:
        from ...scene.plants import foliage

        plants = foliage.add(active_terrain(context), self.shells, self.height)
        cycles = getattr(context.scene, "cycles", None)
        if cycles is not None and cycles.transparent_max_bounces < 2 * self.shells:
            # with fewer, rays between the plants end black
            cycles.transparent_max_bounces = 2 * self.shells
        if plants.display_type == "BOUNDS":
            count = (
                "is visible in Rendered view; for Material Preview, set Viewport Display ▸ "
                "Display As to Textured."
            )
            report(self, {"INFO"}, Sentence("{name} {count}").format(name=plants.name, count=count))
        return {"FINISHED"}


class EROSION_OT_plants_add(TerrainOperator, bpy.types.Operator):
    """Scatter trees, shrubs, grass and boulders where they belong in the palette's landscape,
    densest near the camera. They follow every run. Press again to change them, or after the camera
    has moved
    """

    bl_idname = "erosion.plants_add"
    bl_label = "Add Plants and Boulders"
    bl_options = {"REGISTER", "UNDO"}

    __annotations__ = properties_of(_PLANTS)

    def draw(self, context: bpy.types.Context) -> None:
        draw_values(self.layout, self, [declaration.name for declaration in _PLANTS])

    @reports_refusals()
    def execute(self, context: bpy.types.Context) -> set[str]:
        from ...scene.plants import plants

        settings = {declaration.name: getattr(self, declaration.name) for declaration in _PLANTS}
        plants.add(active_terrain(context), **settings)
        return {"FINISHED"}


class EROSION_OT_surroundings_add(TerrainOperator, bpy.types.Operator):
    """Continue the land around the terrain to the horizon. It follows every run, and is not a part
    of the terrain
    """

    bl_idname = "erosion.surroundings_add"
    bl_label = "Add Surrounding Land"
    bl_options = {"REGISTER", "UNDO"}

    @reports_refusals()
    def execute(self, context: bpy.types.Context) -> set[str]:
        from ...scene.derived import surroundings

        surroundings.add(active_terrain(context))
        return {"FINISHED"}


class EROSION_OT_companion_remove(TerrainOperator, bpy.types.Operator):
    """Remove it from the terrain, with its unused data"""

    bl_idname = "erosion.companion_remove"
    bl_label = "Remove from Terrain"
    bl_options = {"REGISTER", "UNDO"}

    kind: bpy.props.EnumProperty(
        name="Kind",
        description="Objects to remove",
        items=[(kind, label, f"Remove: {label}") for kind, label in companions.KINDS.items()],
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        terrain = active_terrain(context)
        reason = readiness.why_not(terrain)
        if reason is None and terrain is not None and not companions.find(terrain):
            reason = Sentence(
                "{name} has no water, rivers, lakes, sea, foliage, plants or levels of detail."
            ).format(name=terrain.name)
        return allowed(cls, reason)

    def execute(self, context: bpy.types.Context) -> set[str]:
        terrain = active_terrain(context)
        if context.object != terrain and context.object[KIND] == self.kind:
            context.view_layer.objects.active = terrain  # the active object is about to be removed
        if not update_derived.remove_companions(terrain, self.kind):
            report(
                self,
                {"WARNING"},
                Sentence("{name} has no {kind}.").format(
                    name=terrain.name, kind=companions.KINDS[self.kind].lower()
                ),
            )
            return {"CANCELLED"}
        return {"FINISHED"}


CLASSES = (
    EROSION_OT_water_add,
    EROSION_OT_foliage_add,
    EROSION_OT_plants_add,
    EROSION_OT_surroundings_add,
    EROSION_OT_companion_remove,
)
