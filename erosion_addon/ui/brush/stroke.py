# SPDX-License-Identifier: GPL-3.0-or-later
"""A stroke of the brush: from the press of the button to its release, and one step of undo."""

import math
from typing import Any

import bpy
from bpy_extras import view3d_utils

from ...base.errors import InputError, Sentence, print_traceback
from ...processes.brush.parameters import Stroke
from ...scene.brush import aim, ground
from ...scene.brush.stillness import why_still
from ...scene.original import original
from ...scene.run import readiness
from ...scene.run.readiness import OUT_OF_MEMORY
from ...scene.terrain import obstacle
from ...scene.terrain.active import active_terrain
from ...scene.worker import worker_process
from ..base import preferences
from ..base.parameter_properties import exact
from ..base.terrain_operator import allowed, reports_refusals
from ..base.translations import phrase, report
from ..masks import mask_settings
from ..recipe import brush_layers, loaded_recipe
from .settings import brush_settings

TICK = 0.03
"""Seconds between two queries of the worker."""

STILL = 4
"""Ticks after which a resting brush dabs again."""

SPACING = 0.25
"""Distance between two dabs, in radii."""

MODES = (
    ("NORMAL", "Normal", "By the settings"),
    ("INVERT", "Invert", "Lower the ground, or remove sand; other kinds stay as they are"),
    ("SMOOTH", "Smooth", "Let the ground creep, with every kind of stroke"),
)


def _why_unseen(context: bpy.types.Context, terrain: bpy.types.Object) -> str | None:
    """Reason why strokes would be invisible."""
    view = context.space_data if isinstance(context.space_data, bpy.types.SpaceView3D) else None
    if terrain.visible_get(viewport=view):
        return None
    if terrain.hide_get() or terrain.hide_viewport:
        return Sentence("{name} is hidden; show it before you paint.").format(name=terrain.name)
    if view is not None and view.local_view and not terrain.local_view_get(view):
        return Sentence(
            "{name} is not in this local view; leave the view before you paint."
        ).format(name=terrain.name)
    return Sentence(
        "{name} is hidden with its collection or with all meshes; show it before you paint."
    ).format(name=terrain.name)


class EROSION_PG_dab(bpy.types.PropertyGroup):
    """A dab of a stroke that a script paints"""

    location: bpy.props.FloatVectorProperty(
        name="Location", description="Place in the world", subtype="XYZ"
    )
    pressure: bpy.props.FloatProperty(
        name="Pressure", description="Pressure of the pen", default=1.0, min=0.0, max=1.0
    )


class EROSION_OT_brush_stroke(bpy.types.Operator):
    """Paint erosion on the terrain. Ctrl inverts Raise and Sand, Shift smooths, Esc takes the
    stroke back
    """

    bl_idname = "erosion.brush_stroke"
    bl_label = "Erosion Brush"
    bl_options = {"UNDO"}

    mode: bpy.props.EnumProperty(
        name="Mode", description="Effect of the stroke", items=MODES, options={"SKIP_SAVE"}
    )
    stroke: bpy.props.CollectionProperty(
        type=EROSION_PG_dab,
        name="Stroke",
        description="For scripts: a dab at each location in the world",
        options={"SKIP_SAVE", "HIDDEN"},
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        # For meshes the operator reports the reason: a press of the tool shows no tooltip.
        terrain = active_terrain(context)
        is_mesh = terrain is not None and terrain.type == "MESH"
        return allowed(cls, None if is_mesh else readiness.why_not(terrain))

    def _read_ground(self, terrain: bpy.types.Object) -> None:
        """Read the terrain and its masks, unless cached."""
        self._mark = str(terrain.data.get(original.RESULT, ""))
        self._masks = mask_settings.arrays_of(terrain)
        self._ground = ground.of(terrain, self._masks.get("sediment"))

    def _begin(self, context: bpy.types.Context, terrain: bpy.types.Object, radius: float) -> None:
        from ...scene.brush.painter import Painter

        self._layer_is_new = brush_layers.layer_of(terrain, self._ground.digest) is None
        if self._layer_is_new and (full := brush_layers.why_full(terrain)):
            raise InputError("{full}; remove one before you paint.").format(full=full)
        self._was_result = original.has_source(terrain.data)
        stroke = _stroke(context, self.mode, radius, terrain)
        strata = None
        try:
            strata = loaded_recipe.recipe(terrain.erosion).strata
        except InputError:
            pass  # without a recipe there are no strata either
        self._painter = Painter(
            terrain,
            self._ground,
            stroke,
            self._masks,
            strata.to_dict() if strata else None,
            terrain.erosion.edges,
            preferences.threads(),
        )
        self._digits = max(0, math.ceil(2.3 - math.log10(radius)))

    def _dab(self, place: tuple[float, float], pressure: float) -> None:
        """A dab at meters along x and y, rounded like stored strokes to a two hundredth of the
        radius.
        """
        self._painter.dab(
            round(place[0], self._digits), round(place[1], self._digits), round(pressure, 3)
        )

    @reports_refusals()
    def _finish(self, context: bpy.types.Context) -> set[str]:
        painter = self._painter
        terrain = self._painter.find_object()
        if terrain is not None and not painter.has_changed:
            painter.leave()
            report(self, {"WARNING"}, why_still(terrain, self._ground, painter.stroke, self._masks))
            return {"CANCELLED"}
        painter.commit(self._keep)
        if terrain is not None and (names := obstacle.shapers(terrain)):
            report(
                self,
                {"WARNING"},
                Sentence(
                    "{names} acts on top of your strokes; apply it to paint on the visible shape."
                ).format(names=names),
            )
        return {"FINISHED"}

    def _keep(self) -> None:
        """Keep the stroke in the recipe."""
        painter = self._painter
        terrain = self._painter.find_object()
        if painter.dabs and terrain is not None:
            layer = None if self._layer_is_new else brush_layers.layer_shown(terrain, self._mark)
            brush_layers.keep(terrain, self._was_result, layer, painter.stroke)

    @reports_refusals()
    def execute(self, context: bpy.types.Context) -> set[str]:
        """The whole stroke, for scripts."""
        settings = brush_settings(context)
        terrain = active_terrain(context)
        if reason := readiness.why_not(terrain) or _why_unseen(context, terrain):
            raise InputError(reason)
        if not self.stroke:
            raise InputError("The stroke has no dabs; give it places on the terrain.")
        self._read_ground(terrain)
        self._begin(context, terrain, exact(settings.radius, None))
        try:
            self._paint()
        except BaseException:
            self._painter.cancel()
            raise
        return self._finish(context)

    def _paint(self) -> None:
        """Apply all dabs of a script."""
        for element in self.stroke:
            self._dab(aim.meters(self._ground.frame, element.location), element.pressure)
        self._painter.end()
        while not self._painter.ended and not self._painter.fault:
            self._painter.tick(0.05)
        if self._painter.fault:
            raise InputError(self._painter.fault)

    @reports_refusals()
    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        if self.stroke:
            return self.execute(context)
        settings = brush_settings(context)
        terrain = active_terrain(context)
        if reason := readiness.why_not(terrain) or _why_unseen(context, terrain):
            report(self, {"WARNING"}, reason)
            return {"CANCELLED", "PASS_THROUGH"}
        self._read_ground(terrain)
        mouse = (event.mouse_region_x, event.mouse_region_y)
        if (place := under_mouse(context, terrain, mouse)) is None:
            return {"CANCELLED", "PASS_THROUGH"}
        self._begin(context, terrain, radius_of(context, terrain, settings, place))
        self._last: tuple[float, float] | None = None
        self._told = ""
        self._still = 0
        self._mouse = mouse
        self._pressure = 1.0
        self._follow(context, event)
        self._timer = context.window_manager.event_timer_add(TICK, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        try:
            return self._react(context, event)
        except InputError as error:  # meanwhile no terrain any more
            report(self, {"ERROR"}, error.sentence)
        except MemoryError:
            report(self, {"ERROR"}, OUT_OF_MEMORY)
        except Exception:  # noqa: BLE001 - Blender would drop the stroke, and the mesh would go on showing it
            from ...scene.brush.painter import INTERNAL_ERROR

            print_traceback()
            report(self, {"ERROR"}, INTERNAL_ERROR)
        return self._give_up(context)

    def _react(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        if event.type in ("ESC", "RIGHTMOUSE") and event.value == "PRESS":
            return self._give_up(context)
        if event.type in ("MOUSEMOVE", "INBETWEEN_MOUSEMOVE"):
            self._follow(context, event)
        elif event.type == "LEFTMOUSE" and event.value == "RELEASE":
            self._painter.end()
        elif event.type == "TIMER":
            return self._tick(context)
        return {"RUNNING_MODAL"}

    def _tick(self, context: bpy.types.Context) -> set[str]:
        painter = self._painter
        if not painter.is_last:
            self._still += 1
            if self._still >= STILL and self._last is not None:
                self._dab(self._last, self._pressure)
                self._still = 0
        painter.tick()
        if painter.fault:
            report(self, {"ERROR"}, painter.fault)
            return self._give_up(context)
        self._on_progress(context)
        if not painter.ended or not painter.is_settled():
            return {"RUNNING_MODAL"}
        result = self._finish(context)
        self._leave(context)
        return result

    def _on_progress(self, context: bpy.types.Context) -> None:
        """Show in the status bar while the worker compiles."""
        compiling = worker_process.compiling()
        words = f"{phrase(compiling[1])} {compiling[0]:.0%}" if compiling else ""
        if words != self._told:
            context.workspace.status_text_set(words or None)
            self._told = words

    def _follow(self, context: bpy.types.Context, event: bpy.types.Event) -> None:
        """Dab along the mouse path."""
        if self._painter.is_last:
            return
        terrain = self._painter.find_object()
        mouse = (event.mouse_region_x, event.mouse_region_y)
        point = under_mouse(context, terrain, mouse) if terrain is not None else None
        if point is None:
            self._last = None
            return
        settings = brush_settings(context)
        self._pressure = (
            event.pressure if settings.use_pressure_strength and event.is_tablet else 1.0
        )
        rows, cols = self._ground.frame.spacing
        place = (point[0] * cols, point[1] * rows)
        step = SPACING * self._painter.stroke.radius
        if self._last is None:
            self._dab(place, self._pressure)
            self._last = place
        while (way := math.dist(self._last, place)) >= step:
            part = step / way
            self._last = tuple(a + part * (b - a) for a, b in zip(self._last, place, strict=True))  # type: ignore[assignment]
            self._dab(self._last, self._pressure)  # type: ignore[arg-type]
        self._still = 0

    def _give_up(self, context: bpy.types.Context) -> set[str]:
        self._painter.cancel()
        self._leave(context)
        return {"CANCELLED"}

    def _leave(self, context: bpy.types.Context) -> None:
        context.window_manager.event_timer_remove(self._timer)
        if self._told:
            context.workspace.status_text_set(None)
        if context.area is not None:  # possibly closed
            context.area.tag_redraw()

    def cancel(self, context: bpy.types.Context) -> None:
        """Called by Blender, e.g. when another file is opened."""
        self._give_up(context)


def _stroke(
    context: bpy.types.Context, mode: str, radius: float, terrain: bpy.types.Object
) -> Stroke:
    """A stroke by the settings, without dabs."""
    settings = brush_settings(context)
    seed = sum(len(item.strokes) for item in terrain.erosion.steps)
    values = {
        name: exact(getattr(settings, name), None) for name in ("strength", "falloff", "angle")
    }
    kind = "smooth" if mode == "SMOOTH" else settings.kind
    invert = settings.invert != (mode == "INVERT")
    return Stroke(kind=kind, radius=float(f"{radius:.4g}"), invert=invert, seed=seed, **values)


def under_mouse(
    context: bpy.types.Context, terrain: bpy.types.Object, mouse: tuple[float, float]
) -> tuple[float, float] | None:
    """Column and row of the terrain under a place of the region; None beside the terrain."""
    if context.region_data is None:
        return None
    surface = ground.latest(terrain)
    origin = view3d_utils.region_2d_to_origin_3d(context.region, context.region_data, mouse)
    direction = view3d_utils.region_2d_to_vector_3d(context.region, context.region_data, mouse)
    return aim.hit(surface.elevation, surface.levels, surface.frame, origin, direction)


def radius_of(
    context: bpy.types.Context, terrain: bpy.types.Object, settings: Any, place: tuple[float, float]
) -> float:
    """Radius of the brush on the ground (m) at a column and row."""
    if not settings.use_pixels:
        return float(exact(settings.radius, None))
    surface = ground.latest(terrain)
    at = aim.ring(surface.elevation, surface.frame, place, 0.0, 1)[0]
    middle = view3d_utils.location_3d_to_region_2d(context.region, context.region_data, at)
    beside = view3d_utils.region_2d_to_location_3d(
        context.region, context.region_data, (middle.x + settings.pixels, middle.y), at
    )
    return min(max((beside - at).length, 1e-3), 1e6)


CLASSES = (EROSION_PG_dab, EROSION_OT_brush_stroke)
