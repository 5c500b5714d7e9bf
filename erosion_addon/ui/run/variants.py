# SPDX-License-Identifier: GPL-3.0-or-later
"""Variants: small previews with several seeds and values of a parameter, to choose from."""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import bpy
import bpy.utils.previews
import numpy as np
from bpy.app.handlers import persistent

from ...base.errors import InputError, Sentence
from ...base.parameters import Specification, specifications
from ...processes.registry import PROCESSES
from ...run.preview import variants_of
from ...scene.masks import masks
from ...scene.run import readiness
from ...scene.run.errand import Plan
from ...scene.run.preview import ground_of
from ...scene.session import session
from ...scene.terrain.active import active_terrain
from ...scene.terrain.lattice import Array
from ...scene.worker import computing
from ...worker.messages import Request
from ...worker.requests import pictures_in, variants_request
from ..base import handlers
from ..base.panel import SubPanel
from ..base.parameter_properties import CONTEXT, exact, label
from ..base.terrain_operator import allowed, reports_refusals
from ..base.translations import phrase
from ..masks import mask_settings
from ..recipe import recipes, steps
from . import modal
from .modal import ErrandOperator

SIDE = 128
"""Cells along the longer side of a variant, at most."""

NOTHING = "NOTHING"

LIKE_A_FACTOR = 4.0
"""Ratio of the range above which values are spaced by a factor."""


class Variants(NamedTuple):
    """Variants of a terrain, by its session_uid.

    kind, target: of the step and NUMBER.PARAMETER, empty for none. icons: Blender's numbers of the
    pictures, a row per value.
    """

    uid: int
    kind: str
    target: str
    values: list[Any]
    seeds: list[int]
    icons: list[list[int]]


def _item(settings: Any, target: str) -> tuple[Any, Specification] | None:
    """Item and declaration for NUMBER.PARAMETER; None if there is no such step."""
    number, _, name = target.partition(".")
    if not number.isdigit() or not 1 <= int(number) <= len(settings.steps):
        return None
    item = settings.steps[int(number) - 1]
    declarations = specifications(PROCESSES[item.kind].parameters)
    return (item, declarations[name]) if name in declarations else None


def _parameters(settings: Any) -> Iterator[tuple[str, str, str]]:
    """Parameters that can vary, as menu items with a heading for each enabled step."""
    for number, item in enumerate(settings.steps, 1):
        values = steps.values_of(item, []) if item.enabled else {}
        named = [
            (
                f"{number}.{declaration.name}",
                bpy.app.translations.pgettext_iface(label(declaration.name), CONTEXT),
                declaration.sentence,
            )
            for declaration in specifications(PROCESSES[item.kind].parameters).values()
            if declaration.name in values
            and not declaration.is_list
            and not declaration.is_file
            and declaration.acts(values)
        ]
        if named:
            yield "", item.name or PROCESSES[item.kind].label, ""
            yield from named


def _menu(operator: Any, context: bpy.types.Context | None) -> list[tuple[str, str, str]]:
    terrain = active_terrain(context) if context is not None else None
    session.variants.items[:] = [(NOTHING, phrase("Nothing"), "Only the seeds differ")]
    session.variants.items.extend(_parameters(terrain.erosion) if terrain is not None else ())
    return session.variants.items


def _ends(item: Any, declaration: Specification) -> tuple[float, float]:
    """Default range of a varied number: half to twice its value, or its slider."""
    value = float(steps.values_of(item, [])[declaration.name])
    low, high = (value / 2, value * 2) if value else declaration.soft_range
    low = max(low, declaration.low)
    high = min(high, declaration.high)
    return min(low, high), max(low, high)


def _is_number(declaration: Specification) -> bool:
    return isinstance(declaration.default, int | float) and not isinstance(
        declaration.default, bool
    )


def values_between(declaration: Specification, low: float, high: float, count: int) -> list[Any]:
    """Values from low to high, of three digits or whole: with equal steps, or equal factors for a
    wide range.
    """
    shares = [place / max(count - 1, 1) for place in range(count)] if count > 1 else [0.5]
    if low * high > 0.0 and max(high / low, low / high) >= LIKE_A_FACTOR:
        numbers = [low * math.pow(high / low, share) for share in shares]
    else:
        numbers = [low + (high - low) * share for share in shares]
    whole = isinstance(declaration.default, int)
    return list(
        dict.fromkeys(
            declaration.checked(round(number) if whole else float(f"{number:.3g}"))
            for number in numbers
        )
    )


def _begin_at(operator: Any, context: bpy.types.Context) -> None:
    """Set the range that suits the chosen parameter."""
    terrain = active_terrain(context)
    match = _item(terrain.erosion, operator.vary) if terrain is not None else None
    if match is not None and _is_number(match[1]):
        operator.lowest, operator.highest = _ends(*match)


class EROSION_OT_variants(ErrandOperator, bpy.types.Operator):
    """Erode a small version of the terrain with several seeds, and optionally several values of a
    parameter, and show pictures to choose from. The terrain does not change
    """

    bl_idname = "erosion.variants"
    bl_label = "Make Variants"
    bl_options = {"REGISTER"}

    work = "Variants"

    seeds: bpy.props.IntProperty(
        name="Seeds",
        description="Number of seeds, starting with the terrain's own",
        default=3,
        min=1,
        max=6,
    )
    vary: bpy.props.EnumProperty(
        name="Vary",
        description="Parameter that varies from picture to picture",
        items=_menu,
        update=_begin_at,
        options={"SKIP_SAVE"},
    )
    values: bpy.props.IntProperty(
        name="Values", description="Number of values", default=3, min=1, max=6
    )
    lowest: bpy.props.FloatProperty(
        name="From", description="The first value", options={"SKIP_SAVE"}
    )
    highest: bpy.props.FloatProperty(name="To", description="The last value", options={"SKIP_SAVE"})
    asked: bpy.props.BoolProperty(
        description="Whether the user has said already what to make",
        options={"SKIP_SAVE", "HIDDEN"},
    )

    checks = readiness.RUN

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        if self.asked or session.modal.returning:
            return super().invoke(context, event)
        settings = active_terrain(context).erosion
        steps.ensure(settings)
        _begin_at(self, context)
        self.asked = True
        return context.window_manager.invoke_props_dialog(self)

    def execute(self, context: bpy.types.Context) -> set[str]:
        if self.asked:  # the dialog ends with a click, and the work begins in the next turn
            modal.repeat(type(self).bl_idname, self.as_keywords())
            return {"FINISHED"}
        return super().execute(context)

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.prop(self, "seeds")
        layout.prop(self, "vary")
        match = _item(active_terrain(context).erosion, self.vary)
        if match is not None and _is_number(match[1]):
            column = layout.column(align=True)
            column.prop(self, "lowest")
            column.prop(self, "highest")
            layout.prop(self, "values")

    def plan(self) -> Plan:
        terrain = active_terrain(bpy.context)
        settings = terrain.erosion
        steps.ensure(settings)
        kind, target, values = self._varied(settings)
        seeds = [min(settings.seed, 2**31 - self.seeds) + number for number in range(self.seeds)]
        recipe = steps.recipe_of(settings, masks.spring_rows(terrain, settings.springs))
        ground = ground_of(
            terrain, None, mask_settings.arrays_of(terrain), settings.continue_from_result, SIDE
        )
        rows = [recipe.with_values({target: value}) for value in values] if target else [recipe]
        variants = variants_of(rows, seeds, ground.fitted)
        request = variants_request(ground.terrain, variants, ground.masks)

        def requests(obj: bpy.types.Object) -> list[Request]:
            return [request]

        def change(obj: bpy.types.Object) -> tuple[str, list[str]]:
            _set_result(
                Variants(obj.session_uid, kind, target, values, seeds, []),
                pictures_in(computing.compute(request)),
            )
            return (
                Sentence(
                    "{count} variants of {name} are in the panel; click one to use it."
                ).format(count=len(variants), name=obj.name),
                [],
            )

        return Plan(requests, change)

    def _varied(self, settings: Any) -> tuple[str, str, list[Any]]:
        """Kind of step, NUMBER.PARAMETER and values; empty if only seeds differ."""
        if self.vary in ("", NOTHING):
            return "", "", []
        match = _item(settings, self.vary)
        if match is None:
            raise InputError("{parameter} is not a parameter of this recipe's steps.").format(
                parameter=repr(self.vary)
            )
        item, declaration = match
        if declaration.choices or isinstance(declaration.default, bool):
            return item.kind, self.vary, [*(declaration.choices or (False, True))]
        has_range = self.properties.is_property_set("lowest") or self.properties.is_property_set(
            "highest"
        )
        if has_range:
            low, high = exact(self.lowest, None), exact(self.highest, None)
        else:
            low, high = _ends(item, declaration)
        return item.kind, self.vary, values_between(declaration, low, high, self.values)


def _set_result(variants: Variants, pictures: list[Array]) -> None:
    """Show these pictures in the panel, replacing the last ones."""
    forget()
    session.variants.pictures = bpy.utils.previews.new()
    icons = []
    for number, picture in enumerate(pictures):
        preview = session.variants.pictures.new(str(number))
        rows, cols, _ = picture.shape
        pixels = np.ones((rows, cols, 4), np.float32)
        pixels[..., :3] = picture / np.float32(255.0)
        preview.image_size = cols, rows
        preview.image_pixels_float = pixels.ravel()
        icons.append(preview.icon_id)
    across = len(variants.seeds)
    session.variants.result = variants._replace(
        icons=[icons[first : first + across] for first in range(0, len(icons), across)]
    )


def forget() -> None:
    """Free the pictures."""
    session.variants.result = None
    if session.variants.pictures is not None:
        bpy.utils.previews.remove(session.variants.pictures)
        session.variants.pictures = None


def _of(terrain: bpy.types.Object | None) -> Variants | None:
    """Variants of this terrain; None if the last ones belong to another."""
    result: Variants | None = session.variants.result
    is_of_terrain = terrain is not None and result is not None and result.uid == terrain.session_uid
    return result if is_of_terrain else None


class EROSION_OT_variant_choose(bpy.types.Operator):
    """Use the seed of this variant, and its value of the parameter. Run then erodes the full
    terrain with them
    """

    bl_idname = "erosion.variant_choose"
    bl_label = "Choose Variant"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}  # a press on its picture

    number: bpy.props.IntProperty(
        name="Number",
        description="Number of the variant, counted along the rows from 0",
        min=0,
        options={"SKIP_SAVE", "HIDDEN"},
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        terrain = active_terrain(context)
        reason = recipes.why_no_recipe(context)
        if reason is None and _of(terrain) is None:
            reason = Sentence("There are no variants of this terrain; make some first")
        return allowed(cls, reason)

    @reports_refusals()
    def execute(self, context: bpy.types.Context) -> set[str]:
        terrain = active_terrain(context)
        variants = _of(terrain)
        settings = terrain.erosion
        row, column = divmod(self.number, len(variants.seeds))
        if row >= len(variants.icons):
            raise InputError("There are {count} variants, counted from 0.").format(
                count=len(variants.icons) * len(variants.seeds)
            )
        if variants.target:
            match = _item(settings, variants.target)
            if match is None or match[0].kind != variants.kind:
                raise InputError(
                    "The steps have changed since the variants were made; make the variants again."
                )
            setattr(getattr(match[0], variants.kind), match[1].name, variants.values[row])
        settings.seed = variants.seeds[column]
        return {"FINISHED"}


class EROSION_PT_variants(SubPanel):
    bl_label = "Variants"

    def draw(self, context: bpy.types.Context) -> None:
        terrain = active_terrain(context)
        self.layout.operator("erosion.variants", icon="IMGDISPLAY")
        variants = _of(terrain)
        if variants is not None:
            _draw_pictures(
                self.layout, variants, terrain.erosion, _side(context, len(variants.seeds))
            )


def _side(context: bpy.types.Context, across: int) -> float:
    """Size of pictures that fill the panel in a row, in interface units."""
    width = 15.0
    if context.region:
        width = context.region.width / context.preferences.system.ui_scale / 20.0
    return max((width - 3.0) / across - 0.3, 2.0)


def _draw_pictures(
    layout: bpy.types.UILayout, variants: Variants, settings: Any, side: float
) -> None:
    """Draw a row for each value below its name, and a column for each seed."""
    match = _item(settings, variants.target)
    value = steps.values_of(match[0], []).get(match[1].name) if match is not None else None
    for number, icons in enumerate(variants.icons):
        if match is not None:
            name = bpy.app.translations.pgettext_iface(label(match[1].name), CONTEXT)
            layout.label(text=f"{name}: {_word(variants.values[number])}", translate=False)
        row = layout.row()
        for place, (seed, icon) in enumerate(zip(variants.seeds, icons, strict=True)):
            tile = row.column(align=True)
            is_current = seed == settings.seed and (
                not variants.target or value == variants.values[number]
            )
            properties = recipes.draw_tile(
                tile, icon, side, side, is_current, EROSION_OT_variant_choose.bl_idname
            )
            properties.number = number * len(variants.seeds) + place
    row = layout.row()
    for seed in variants.seeds:
        row.label(text=phrase("Seed {number}", number=seed), translate=False)


def _word(value: Any) -> str:
    if isinstance(value, str):
        return bpy.app.translations.pgettext_iface(label(value), CONTEXT)
    if isinstance(value, bool):
        return phrase("Yes" if value else "No")
    return f"{value:g}"


@persistent
def _file_opened(*_: Any) -> None:
    forget()


def unregister() -> None:
    """Free the pictures."""
    forget()


CLASSES = (EROSION_OT_variants, EROSION_OT_variant_choose, EROSION_PT_variants)

HANDLERS: handlers.Handlers = (("load_post", _file_opened),)
