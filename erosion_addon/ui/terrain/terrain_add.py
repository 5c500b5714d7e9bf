# SPDX-License-Identifier: GPL-3.0-or-later
"""Add ▸ Mesh ▸ Terrain: start terrains, adjustable in the redo panel."""

from typing import Any

import bpy

from ...base.errors import Sentence
from ...base.parameters import Specification, groups, specifications
from ...generators.registry import SOURCES, WIDTH, lengths, make
from ...recipe.recipe import SEED
from ...scene.terrain.grid import make_terrain_object
from ...scene.worker import computing, worker_process
from ...terrain.terrain import SMALLEST_SIDE, Terrain
from ...worker.requests import start_in, start_request
from ..base import preferences, views
from ..base.parameter_properties import exact, length, property_of
from ..base.terrain_operator import allowed, reports_refusals, select_only
from ..base.translations import phrase

MANY = 4_000_000
"""Number of vertices above which Blender becomes slow."""

_KINDS = [
    (source.kind, source.label, source.about.rstrip("."), source.icon, number)
    for number, source in enumerate(SOURCES.values())
]


def _name(kind: str, parameter: str) -> str:
    """Operator property of a parameter; each kind has its own, with its own default."""
    return f"{kind}_{parameter}"


FOLLOWS = -1.0
"""Stored value of a length that is not set."""


def _length(kind: str, declaration: Specification) -> dict[str, Any]:
    """Property of a form's length, which follows the terrain's size until it is set, and its
    storage.
    """
    stored = f"{_name(kind, declaration.name)}_stored"

    def get(operator: Any) -> float:
        value = getattr(operator, stored)
        if value != FOLLOWS:
            return float(value)
        return lengths(kind, max(_sides(operator)))[declaration.name]

    def store(operator: Any, value: float) -> None:
        setattr(operator, stored, value)

    scaled = declaration._replace(default=lengths(kind, WIDTH)[declaration.name])
    return {
        _name(kind, declaration.name): property_of(
            scaled, get=get, set=store, options={"SKIP_SAVE"}
        ),
        stored: bpy.props.FloatProperty(name=declaration.name, default=FOLLOWS, options={"HIDDEN"}),
    }


def _sides(operator: Any) -> tuple[float, float]:
    """Length and width in meters."""
    return exact(operator.size_y, None), exact(operator.size_x, None)


def _parameters() -> dict[str, Any]:
    """Operator properties of the parameters of all kinds."""
    properties: dict[str, Any] = {}
    for kind, source in SOURCES.items():
        for name, declaration in specifications(source.parameters).items():
            if declaration.width_power:
                properties |= _length(kind, declaration)
            else:
                properties[_name(kind, name)] = property_of(declaration)
    return properties


class EROSION_OT_terrain_add(bpy.types.Operator):
    """Add a terrain to erode: mountains, hills, sand or geometric shapes"""

    bl_idname = "erosion.terrain_add"
    bl_label = "Terrain"
    bl_options = {"REGISTER", "UNDO"}

    __annotations__ = {
        "kind": bpy.props.EnumProperty(
            name="Kind", description="Kind of the terrain", items=_KINDS
        ),
        "size_x": length(
            "Size X",
            "Width in meters; one Blender unit is one meter",
            default=WIDTH,
            min=0.01,
            max=1e6,
            soft_min=10.0,
            soft_max=20000.0,
            step=1000,
        ),
        "size_y": length(
            "Y",
            "Length in meters; one Blender unit is one meter",
            default=WIDTH,
            min=0.01,
            max=1e6,
            soft_min=10.0,
            soft_max=20000.0,
            step=1000,
        ),
        "resolution": bpy.props.IntProperty(
            name="Resolution",
            default=512,
            min=SMALLEST_SIDE,
            max=16384,
            soft_max=4096,
            description=(
                "Vertices along the longer side: more show finer valleys and take longer to "
                "erode; the land stays the same"
            ),
        ),
        "seed": property_of(SEED),
        "frame": bpy.props.BoolProperty(
            name="Show All",
            default=True,
            options={"SKIP_SAVE", "HIDDEN"},
            description=(
                "Move the views so that they show the whole terrain, and let them reach that far "
                "(clip end)"
            ),
        ),
        **_parameters(),
    }

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return allowed(
            cls, None if context.mode == "OBJECT" else Sentence("Switch to Object Mode first")
        )

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        result = self.execute(context)
        if preferences.warms_up():
            worker_process.compile_all()  # compiled kinds, and the first run
        if "FINISHED" in result and self.frame and context.area and context.area.type == "VIEW_3D":
            views.frame(context, context.object)
        return result

    @reports_refusals("There is not enough memory for so many vertices; lower the resolution.")
    def execute(self, context: bpy.types.Context) -> set[str]:
        obj = self._add(context)
        select_only(context, obj)
        return {"FINISHED"}

    def _add(self, context: bpy.types.Context) -> bpy.types.Object:
        source = SOURCES[self.kind]
        values = self._values()
        terrain = self._terrain(context, values)
        obj = make_terrain_object(source.label, terrain, context.collection)
        obj.location = context.scene.cursor.location
        obj.erosion.recipe_name = source.recipe
        if values.get("tileable"):
            obj.erosion.edges = "wrap"
        views.show_isolated(context, obj)
        return obj

    def _terrain(self, context: bpy.types.Context, values: dict[str, Any]) -> Terrain:
        from ...scene.terrain.image import BlenderFiles

        rows, cols, spacing = self._grid()
        if SOURCES[self.kind].compiled:
            with views.waiting(context):
                asked = start_request(self.kind, (rows, cols), spacing, self.seed, values)
                return start_in(computing.compute(asked), spacing)
        return make(self.kind, rows, cols, spacing, self.seed, values, BlenderFiles())

    def _values(self) -> dict[str, Any]:
        """Parameters of the chosen kind by name."""
        values = {}
        for name, declaration in specifications(SOURCES[self.kind].parameters).items():
            value = exact(getattr(self, _name(self.kind, name)), declaration.default)
            values[name] = bpy.path.abspath(value) if declaration.is_file and value else value
        return values

    def _grid(self) -> tuple[int, int, tuple[float, float]]:
        """Rows, columns and (row, column) spacing of cells, as square as the size allows."""
        sides = _sides(self)
        cell = max(sides) / (self.resolution - 1)
        rows, cols = (max(SMALLEST_SIDE, round(side / cell) + 1) for side in sides)
        return rows, cols, (sides[0] / (rows - 1), sides[1] / (cols - 1))

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.prop(self, "kind")
        column = layout.column(align=True)
        column.prop(self, "size_x")
        column.prop(self, "size_y")
        layout.prop(self, "resolution")
        self._draw_size(layout, context.scene.unit_settings.scale_length)
        layout.prop(self, "seed")
        for declared in groups(SOURCES[self.kind].parameters).values():
            column = layout.column()
            for declaration in declared:
                column.prop(self, _name(self.kind, declaration.name))
            layout.separator()

    def _draw_size(self, layout: bpy.types.UILayout, scale_length: float) -> None:
        rows, cols, (row_spacing, col_spacing) = self._grid()
        column = layout.column(align=True)
        cell = f"{(row_spacing * col_spacing) ** 0.5:.3g}"
        text = phrase(
            "{cols} × {rows} vertices, {cell} m apart",
            cols=f"{cols:,}",
            rows=f"{rows:,}",
            cell=cell,
        )
        column.label(text=text, translate=False)
        if rows * cols > MANY:
            many = f"{rows * cols / 1e6:,.0f}"
            text = phrase("{millions} million vertices: Blender will respond slowly", millions=many)
            column.label(text=text, icon="ERROR", translate=False)
        if abs(scale_length - 1) > 1e-6:
            scale = f"{scale_length:.3g}"
            text = phrase(
                "The scene's unit scale is {scale}: {scale} m here is 1 m to erosion", scale=scale
            )
            column.label(text=text, icon="INFO", translate=False)


def draw_add(self: bpy.types.Menu, context: bpy.types.Context) -> None:
    """Draw the entry in Add ▸ Mesh."""
    self.layout.operator(EROSION_OT_terrain_add.bl_idname, icon="RNDCURVE")


def register() -> None:
    """Add the entry to Add ▸ Mesh."""
    bpy.types.VIEW3D_MT_mesh_add.append(draw_add)


def unregister() -> None:
    """Remove the entry."""
    bpy.types.VIEW3D_MT_mesh_add.remove(draw_add)


CLASSES = (EROSION_OT_terrain_add,)
