# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks of an erosion: each a function of the files of earlier ones, with the same bytes wherever
it runs.

A task writes its files whole or not at all and changes no file of another, so one that was killed
is simply done again. One of an earlier order, which ends when there is a newer one, writes nothing.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count, groupby
from pathlib import Path
from typing import Any

import numpy as np

from ..base.arrays import Array
from ..base.errors import InputError
from ..base.threads import granted
from ..drainage.sea import river_ends
from ..recipe.recipe import Recipe, Step
from ..run.simulation import erode
from ..terrain.fields import FIELDS, RISE
from ..terrain.terrain import HIGHEST, Terrain
from . import inflow
from .plan import COLORS, Plan
from .storage.arrays import LARGEST, arrays_in, mapped, part_of, remove, require_sound, write_arrays
from .storage.folder import Landscape, Tile, Window, bounds
from .storage.manifest import MASK, START, Manifest
from .storage.spread import clamped, extremes, means, spread
from .window import SURFACE, since_start

WORK = "work"
"""Folder for intermediate results of tasks, beside the layers."""

MASSES = ("added", "exported", "moved", "suspended")
"""Volumes of a run, m³."""

VOLUMES = ("before", "spread", "shaped")
"""Volumes of a finished tile, m³: at the start, and added on coarse cells and on tiles."""

_MEANS, _ROUGH = "means", "roughness"
"""Start heights on coarse cells, and their standard deviation within these, m."""

_DERIVED = ("bedrock", "wear", "deposition")
"""Fields that follow from the layers at the start and at the end."""


@dataclass(frozen=True)
class Task:
    """A task by its kind (coarse, shape, cover, finish) and its tile. needs: names of the tasks
    before it.
    """

    kind: str
    tile: Tile
    cells: int
    needs: tuple[str, ...]

    @property
    def name(self) -> str:
        """Name in the journal and of its folder."""
        return self.kind if self.kind == "coarse" else f"{self.kind}_{self.tile.name}"

    def do(self, folder: str, threads: int = 0) -> dict[str, Any]:
        """Do the task, see `run`."""
        return run(folder, self.name, threads)


def tasks_of(plan: Plan) -> list[Task]:
    """Tasks of an erosion in order of need."""
    landscape = plan.landscape
    rows, cols = plan.coarse_shape
    tasks = [Task("coarse", Tile(0, 0), rows * cols, ())]
    tiles = landscape.tiles()
    shaped = plan.tile_recipe() is not None
    if shaped:
        for tile in sorted(tiles, key=lambda tile: (plan.color_of(tile), tile.y, tile.x)):
            window = plan.window(tile)
            before = [
                near for near in plan.around(window) if plan.color_of(near) < plan.color_of(tile)
            ]
            tasks.append(
                _task("shape", tile, window, ["coarse", *(f"shape_{near.name}" for near in before)])
            )
    covered = plan.cover_recipe() is not None
    for kind in ("cover", "finish") if covered else ("finish",):
        for tile in tiles:
            window = plan.window(tile) if kind == "cover" else landscape.window(tile)
            near = plan.around(window)
            needs = ["coarse", *(f"shape_{neighbor.name}" for neighbor in near if shaped)]
            if kind == "finish":
                needs += [f"cover_{neighbor.name}" for neighbor in near if covered]
            tasks.append(_task(kind, tile, window, needs))
    return tasks


def rounds(tasks: Sequence[Task]) -> list[tuple[int, int]]:
    """First and last number of the tasks of each round; they need only tasks of earlier rounds."""
    firsts = [0] if tasks else []
    names = set[str]()
    for number, task in enumerate(tasks):
        if not names.isdisjoint(task.needs):
            firsts.append(number)
            names.clear()
        names.add(task.name)
    if tasks:
        return list(zip(firsts, [first - 1 for first in [*firsts[1:], len(tasks)]], strict=True))
    return []


def run(folder: str, name: str, threads: int = 0) -> dict[str, Any]:
    """Do a task; returns its line in the journal: name, hashes of its files, masses, seconds.

    folder: of the landscape. threads: the most to use; the bytes do not depend on it.
    """
    landscape = Landscape(Path(folder))
    assert landscape.manifest.erosion is not None
    plan = Plan(landscape, landscape.manifest.erosion)
    kind, _, place = name.partition("_")
    tile = Tile(*(int(part[1:]) for part in place.split("_"))) if place else Tile(0, 0)
    start = time.perf_counter()
    work = {"coarse": _coarse, "shape": _shape, "cover": _cover, "finish": _finish}[kind]
    files, measurements = work(plan, tile, threads)
    return {"name": name, "files": files, **measurements, "seconds": time.perf_counter() - start}


def _task(kind: str, tile: Tile, window: Window, needs: list[str]) -> Task:
    rows, cols = window.shape
    return Task(kind, tile, rows * cols, tuple(dict.fromkeys(needs)))


Outcome = tuple[dict[str, str], dict[str, Any]]


def _coarse(plan: Plan, tile: Tile, threads: int) -> Outcome:
    """The landscape as a whole on coarse cells: the change of each layer, or the layers where
    nothing is coarser.
    """
    landscape = plan.landscape
    factor = plan.factor
    recipe = plan.coarse_recipe()
    start = {}
    rough = {}
    for name in _names(landscape, START):
        start[name], rough[name] = means(landscape, START + name, factor)
    elevation = start.pop("elevation")
    terrain = Terrain(elevation, plan.coarse_spacing, start)
    masks = {name: _coarse_mask(landscape, name, factor) for name in _names(landscape, MASK)}
    if recipe is None:
        streams = inflow.measured(
            plan, terrain, _beds(plan, elevation, elevation, rough["elevation"]), masks, threads
        )
        return _written(plan, "coarse", {_MEANS: terrain.elevation, **streams}), {
            "mass": _no_mass()
        }
    seed = plan.erosion.seed
    edges = plan.erosion.edges
    after = erode(terrain, recipe, seed=seed, edges=edges, masks=masks, threads=threads)
    arrays = {"elevation": after.elevation, **after.fields}
    if factor > 1:
        before = {"elevation": terrain.elevation, **terrain.fields}
        changed = {name: arrays[name] - before.get(name, 0.0) for name in SURFACE if name in arrays}
        changes = {name: arrays[name] for name in plan.left_coarsely() if name in arrays}
        arrays = {**changed, **changes, _MEANS: terrain.elevation, _ROUGH: rough["elevation"]}
        if plan.has_rivers_across_tiles():
            outlets = river_ends(None, masks.get("outlet"))
            arrays |= inflow.routed(plan, after.elevation, outlets, granted(threads))
        beds = _beds(plan, after.elevation, terrain.elevation, rough["elevation"])
        arrays |= inflow.measured(plan, after, beds, masks, threads)
    return _written(plan, "coarse", arrays), {"mass": _mass(after)}


def _beds(plan: Plan, heights: Array, start: Array, rough: Array) -> Array:
    """Heights (m) of the lowest fine cells of coarse ones, where streams run. heights, start: means
    now and at the start, m. rough: standard deviation at the start, m.
    """
    lowest = extremes(plan.landscape, f"{START}elevation", plan.factor, np.minimum)
    return np.asarray(heights + (lowest - start) * _left(heights - start, rough))


def _coarse_mask(landscape: Landscape, name: str, factor: int) -> Array:
    """Means of a mask on coarse cells; any outlet makes one of a coarse cell."""
    layer = MASK + name
    if name == "outlet":
        return extremes(landscape, layer, factor, np.maximum)
    return means(landscape, layer, factor)[0]


def _shape(plan: Plan, tile: Tile, threads: int) -> Outcome:
    """A tile and its halo, eroded by a share that falls across the halo."""
    window = plan.window(tile)
    recipe = plan.tile_recipe()
    assert recipe is not None
    masks = _masks(plan, window)
    layers = state(plan, window, masks, plan.color_of(tile))
    after, mass = _eroded(
        plan, layers | _left_coarsely(plan, window), masks, recipe, tile, threads, shared=True
    )
    arrays = {"elevation": after.elevation, **after.fields}
    if RISE in layers:
        arrays[RISE] = layers[RISE]
    fields = {name: array for name, array in arrays.items() if name not in _DERIVED}
    return _written(plan, f"shape_{tile.name}", fields), {"mass": mass}


def _cover(plan: Plan, tile: Tile, threads: int) -> Outcome:
    """Cover of the finished ground of a tile and its halo."""
    window = plan.window(tile)
    recipe = plan.cover_recipe()
    assert recipe is not None
    masks = _masks(plan, window)
    after, _ = _eroded(plan, state(plan, window, masks), masks, recipe, tile, threads, shared=False)
    arrays = {
        name: array for name, array in after.fields.items() if name not in (*SURFACE, *_DERIVED)
    }
    return _written(plan, f"cover_{tile.name}", arrays), {"mass": _no_mass()}


def _finish(plan: Plan, tile: Tile, threads: int) -> Outcome:
    """The layers of a tile, from all that runs have left."""
    landscape = plan.landscape
    window = plan.landscape.window(tile)
    start = {name: landscape.read(START + name, window) for name in _names(landscape, START)}
    masks = _masks(plan, window)
    layers = state(plan, window, masks)
    layers.setdefault("sediment", np.zeros(window.shape))
    result = {**layers, **since_start(start, layers), **_blended(plan, window)}
    for name, array in result.items():
        require_sound(array, landscape.path(name, tile), *bounds(name))
    single = {name: np.asarray(array, np.float32) for name, array in result.items()}
    files = _written(plan, f"finish_{tile.name}", single)
    rows, cols = landscape.manifest.spacing
    base = state(plan, window, masks, 0)["elevation"]
    volumes = (start["elevation"], base - start["elevation"], layers["elevation"] - base)
    return files, {
        name: _sum(array) * rows * cols for name, array in zip(VOLUMES, volumes, strict=True)
    }


def _sum(array: Array) -> float:
    return math.fsum(float(row.sum()) for row in array)


def state(
    plan: Plan, window: Window, masks: dict[str, Array], color: int = COLORS
) -> dict[str, Array]:
    """Layers of a window after the tiles of all colors before `color`: elevation, and sediment and
    uplift if any.

    masks: of the window, see `_masks`.
    """
    landscape = plan.landscape
    factor = plan.factor
    start = {name: landscape.read(START + name, window) for name in _names(landscape, START)}
    layers = dict(start)
    for name in SURFACE:
        coarse = _coarse_file(plan, name)
        if not coarse.exists():
            continue
        change = _spread(plan, name, window)
        if factor == 1:
            layers[name] = change
            continue
        if name == "elevation":
            change -= _buried(plan, change, layers[name], window)
        layers[name] = layers.get(name, 0.0) + change
    if "sediment" in layers:
        # a spread change may take more than there is
        np.maximum(layers["sediment"], 0.0, out=layers["sediment"])
    if factor > 1:
        _hold(masks, start, layers)
    if plan.tile_recipe() is None:
        return layers
    for tile in plan.around(window):
        if plan.color_of(tile) < color:
            area = plan.window(tile)
            part = area.meet(window)
            assert part is not None
            for name in SURFACE:
                if (
                    path := landscape.folder / WORK / f"shape_{tile.name}" / f"{name}.npy"
                ).exists():
                    layers.setdefault(name, np.zeros(window.shape))
                    values = part_of(path, area.shape, part.within(area), *_bounds(name))
                    layers[name][part.within(window)] = values
    return layers


def _spread(plan: Plan, name: str, window: Window) -> Array:
    """A coarse array on the cells of a window."""
    shape = plan.coarse_shape if name in (_MEANS, _ROUGH) else _shape_of(name, plan.coarse_shape)
    path = _coarse_file(plan, name)
    coarse = clamped(mapped(path, shape))

    def sound(rows: Array, cols: Array) -> Array:
        values = coarse(rows, cols)
        require_sound(values, path, *_bounds(name))
        return values

    return spread(sound, plan.factor, window)


def _coarse_file(plan: Plan, name: str) -> Path:
    """File of an array on coarse cells."""
    return plan.landscape.folder / WORK / "coarse" / f"{name}.npy"


def _coarse_array(
    plan: Plan, name: str, shape: tuple[int, ...], low: float = -LARGEST, high: float = LARGEST
) -> Array:
    """An array on coarse cells with values from `low` to `high`."""
    return part_of(_coarse_file(plan, name), shape, None, low, high)


def _coarse_heights(plan: Plan) -> Array:
    """Heights of the land after its erosion on coarse cells."""
    files = [_coarse_file(plan, name) for name in (_MEANS, "elevation")]
    present = [file for file in files if file.exists()]
    return np.asarray(
        sum(part_of(file, plan.coarse_shape, None, *_bounds(file.stem)) for file in present)
    )


def _bounds(name: str) -> tuple[float, float]:
    """Least and greatest value of an array on its way: of heights, or a change of them; what else
    there is.
    """
    if name in (*SURFACE, _MEANS, _ROUGH):
        return (-2.0 * HIGHEST, 2.0 * HIGHEST)
    return (-LARGEST, LARGEST)


def _left_coarsely(plan: Plan, window: Window) -> dict[str, Array]:
    """Fields of a window that only coarse cells have, see `Plan.left_coarsely`."""
    present = [name for name in plan.left_coarsely() if _coarse_file(plan, name).exists()]
    return {name: _spread(plan, name, window) for name in present}


def _masks(plan: Plan, window: Window) -> dict[str, Array]:
    """Masks of a window by kind."""
    return {name: plan.landscape.read(MASK + name, window) for name in _names(plan.landscape, MASK)}


def _hold(masks: dict[str, Array], start: dict[str, Array], layers: dict[str, Array]) -> None:
    """Undo changes that spread from coarse cells to ground that masks keep."""
    none = np.zeros(start["elevation"].shape)
    if "protect" in masks:
        rock = start["elevation"] - start.get("sediment", none) + layers.get(RISE, none)
        locked = masks["protect"] == 1.0
        layers["elevation"] = np.where(
            locked, rock + layers.get("sediment", none), layers["elevation"]
        )
    locks = [
        masks[mask] == full_value
        for mask, full_value in (("strength", 0.0), ("plot", 1.0))
        if mask in masks
    ]
    outlets = river_ends(None, masks.get("outlet"))
    for locked in locks if outlets is None else [*locks, outlets]:
        for name in layers:
            layers[name] = np.where(locked, start.get(name, none), layers[name])


def _buried(plan: Plan, change: Array, start: Array, window: Window) -> Array:
    """Height (m) of the start's detail below coarse cells that is dug off or buried, where they
    change by more than it is high.
    """
    detail = start - _spread(plan, _MEANS, window)
    return np.asarray(detail * (1.0 - _left(change, _spread(plan, _ROUGH, window))))


def _left(change: Array, rough: Array) -> Array:
    """Share of the start's detail that a change leaves. rough: standard deviation of the detail,
    m.
    """
    square = rough * rough
    return np.asarray(square / (4.0 * change * change + square + 1e-12))


def _blended(plan: Plan, window: Window) -> dict[str, Array]:
    """Further fields of a window, from the runs around it, by their tiles' weights.

    Where half of the drops fall on each of two tiles, fields that go by the drops are only half
    there on both: dividing by the sum of squared weights makes them whole, and drops that leave one
    tile fade over its halo.
    """
    folder = plan.landscape.folder / WORK
    if plan.factor == 1:
        files = [
            path for path in _fields_in(folder / "coarse") if path.stem not in (*SURFACE, *_DERIVED)
        ]
        shape = plan.landscape.shape
        cells = window.within(plan.landscape.whole)
        return {path.stem: part_of(path, _shape_of(path.stem, shape), cells) for path in files}
    fields = _left_coarsely(plan, window) if plan.tile_recipe() is None else {}
    proportions = plan.proportions()
    squares = np.zeros(window.shape)
    for kind in ("shape", "cover"):
        for tile in plan.around(window):
            area = plan.window(tile)
            part = area.meet(window)
            assert part is not None
            weight = plan.weight(tile)[part.within(area)]
            share = plan.mean_weight(tile)
            if kind == "shape":
                squares[part.within(window)] += weight * weight
            for path in _fields_in(folder / f"{kind}_{tile.name}"):
                name = path.stem
                if name in SURFACE:
                    continue
                values = part_of(path, _shape_of(name, area.shape), part.within(area))
                into = fields.setdefault(name, np.zeros(_shape_of(name, window.shape)))
                if name in proportions:
                    values = proportions[name].numbers(values, share)
                into[part.within(window)] += values * (
                    weight if values.ndim == 2 else weight[..., None]
                )
    for name in fields.keys() & proportions.keys():
        fields[name] = proportions[name].values(fields[name] / squares)
    return fields


def _eroded(
    plan: Plan,
    layers: dict[str, Array],
    mask_arrays: dict[str, Array],
    recipe: Recipe,
    tile: Tile,
    threads: int,
    shared: bool,
) -> tuple[Terrain, dict[str, float]]:
    """Terrain of a window after a recipe, and volumes of all its steps. shared: whether only the
    tile's share is done.
    """
    # Each tile gets its share of the drops, which dig with full strength: two runs of half the
    # strength left the ground a third rougher than one. Other processes do their share everywhere.
    fields = {name: layers[name] for name in ("sediment", *plan.left_coarsely()) if name in layers}
    terrain = Terrain(layers["elevation"], plan.landscape.manifest.spacing, fields)
    weight = plan.weight(tile)
    mass = _no_mass()
    heights = _coarse_heights(plan)
    recipe = plan.recipe_on(tile, plan.on_land(recipe, heights))
    window = plan.window(tile)
    read = partial(_coarse_array, plan)
    rivers = inflow.rivers(plan, window, terrain.elevation, read) if shared else None
    numbers = count()

    def kind_of(step: Step) -> tuple[bool, bool, int | None]:
        streams = next(numbers) if plan.takes_streams(step) else None
        return plan.is_of_drops(step), plan.has_coarse_rivers(step), streams

    for (falls, flows, number), group in groupby(recipe.steps, kind_of):
        steps = tuple(group)
        masks = dict(mask_arrays)
        share = weight
        surroundings = rivers if flows else None
        edges = plan.erosion.edges
        if number is not None:
            edges = "open"  # where those of the land are closed, streams have walls
            surroundings = inflow.streams(plan, window, terrain.elevation, number, read)
        if shared and falls:
            steps = tuple(_fewer_drops(step, plan.mean_weight(tile)) for step in steps)
            masks["rain"] = weight
            share = np.minimum(1.0, 4.0 * weight)
        if shared:
            masks["strength"] = share * masks.get("strength", 1.0)
        part = replace(recipe, steps=steps)
        seed = plan.seed_of(tile)
        terrain = erode(
            terrain, part, seed=seed, edges=edges, masks=masks, threads=threads, around=surroundings
        )
        mass = {name: mass[name] + volume for name, volume in _mass(terrain).items()}
    mass["suspended"] = _mass(terrain)["suspended"]
    return terrain, mass


def _fewer_drops(step: Step, share: float) -> Step:
    """Step with a share of its drops; a mask of rain only distributes them."""
    parameters: Any = step.parameters
    return replace(
        step, parameters=replace(parameters, drops_per_cell=parameters.drops_per_cell * share)
    )


def _names(landscape: Landscape, beginning: str) -> list[str]:
    """Names of layers before erosion or of masks, without their beginning."""
    return [
        name.removeprefix(beginning)
        for name in landscape.manifest.layers
        if name.startswith(beginning)
    ]


def _shape_of(name: str, shape: tuple[int, int]) -> tuple[int, ...]:
    components = FIELDS[name].components
    return shape if components == 1 else (*shape, components)


def _fields_in(folder: Path) -> list[Path]:
    """Files of fields that a task has left."""
    return [path for path in arrays_in(folder) if path.stem in FIELDS]


def _written(plan: Plan, task: str, arrays: dict[str, Array]) -> dict[str, str]:
    """Write the files of a task; InputError if the landscape has another order by now, or none."""
    folder = plan.landscape.folder
    digests = write_arrays(
        folder, f"{WORK}/{task}", arrays, partial(_begin_publishing, plan, task, set(arrays))
    )
    return {f"{WORK}/{task}/{name}": digest for name, digest in digests.items()}


def _begin_publishing(plan: Plan, task: str, names: set[str]) -> None:
    """Refuse an outdated order; remove files that are not the task's.

    Whoever begins another order saves it first, and then moves the folder of all tasks away at
    once. So either this look comes after, or the files of this task go away with that folder.
    """
    require_order(plan)
    for path in arrays_in(plan.landscape.folder / WORK / task):
        if path.stem not in names:
            remove(path)


def require_order(plan: Plan) -> None:
    """Raise InputError where the landscape has another order by now, or is complete."""
    folder = plan.landscape.folder
    landscape = Landscape(folder, Manifest.load(folder))
    erosion = landscape.manifest.erosion
    if erosion is None or landscape.has("elevation") or Plan(landscape, erosion).key != plan.key:
        raise InputError(
            f"{folder} has another order by now, or is complete; this task of an earlier one is "
            "left out."
        )


def _mass(after: Terrain) -> dict[str, float]:
    """Volumes (m³) of a run. Material left suspended in water is not passed on to another run."""
    mass = (after.report or {})["mass"]
    suspended = (
        float(np.sum(after.fields.get("suspended", 0.0), dtype=np.float64)) * after.cell_area
    )
    return {**{name: mass[name] for name in ("added", "exported", "moved")}, "suspended": suspended}


def _no_mass() -> dict[str, float]:
    return dict.fromkeys(MASSES, 0.0)
