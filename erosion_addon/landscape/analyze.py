# SPDX-License-Identifier: GPL-3.0-or-later
"""Analysis of a landscape: drainage over all tiles, equal cell by cell to that of the land in one
piece.

Tiles are read three times: for their basins, for the flow once all basins are led out, for the
layers. In between, one task each exchanges data on the borders of all tiles, see `drainage.tiled`.
Stream orders follow once the channels of all tiles are known.
"""

import hashlib
import json
import math
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from .. import VERSION
from ..base.arrays import Array
from ..base.errors import InputError
from ..base.kernels.elementary import tan
from ..base.threads import granted, in_bands
from ..drainage.analysis import WAY, smallest_channel
from ..drainage.flow_graph import FlowGraph
from ..drainage.sea import river_ends
from ..drainage.tiled.exchange import flow, join, ways_out
from ..drainage.tiled.tile import Arrays, Place, TileFlow
from ..grid.stencils import continued
from ..terrain.fields import ANALYZED
from .erode import Workers
from .export import layer_of
from .journal import Journal, users_secret
from .storage.arrays import arrays_in, mapped, write_arrays
from .storage.folder import Landscape, Tile, Window, changing, sweep
from .storage.manifest import MASK
from .tasks import Task

OUTLETS = MASK + "outlet"
"""Mask of the landscape's outlets, where it has one."""

LAYERS = ANALYZED
"""Layers of an analysis."""

FOLDER = "analysis"
"""Folder for intermediate results of tasks and their journal; removed at the end."""

FLAT = 3.0
"""Degrees; gentler land counts as flat."""

_BINS = 900
"""Classes of slope, a tenth of a degree each."""


@cache
def _steepness() -> Array:
    """Least slope (m/m) of each class but the first."""
    return np.array([tan(math.radians(number / 10)) for number in range(1, _BINS)])


_KINDS = ("|b1", "|u1", "<i4", "<i8", "<f4", "<f8")
"""Kinds of numbers of intermediate results."""

_BETWEEN = ("passes", "flow", "join")
"""Kinds of tasks that look at the borders of all tiles."""

_CHANNELS = ("cells", "onward", "known", "sent")
"""Arrays of a tile's channels, see `TileFlow.channels`."""

_PERCENTILES = {50: "median", 90: "90th percentile", 99: "99th percentile"}

_WORDS = {
    "basins": "basins of tile {tile}",
    "passes": "passes between all basins",
    "route": "flow on tile {tile}",
    "flow": "flow between all tiles",
    "measure": "tile {tile} measured",
    "join": "channels between all tiles",
    "order": "channels of tile {tile}",
}


@dataclass(frozen=True)
class Question:
    """Assumptions of an analysis.

    edges: open or closed. sea_level: m, where rivers end, or None. channel_area: km² from which a
    channel begins, 0 for a part of the landscape, see `AnalysisParameters`.
    """

    edges: str = "open"
    sea_level: float | None = None
    channel_area: float = 0.0

    def least(self, landscape: Landscape) -> float:
        """Drainage area of the smallest channel in m²."""
        rows, cols = landscape.shape
        along, across = landscape.manifest.spacing
        return smallest_channel(self.channel_area, along * across * (rows * cols))


@dataclass(frozen=True)
class AnalysisTask(Task):
    """Task of an analysis."""

    question: Question = Question()

    @property
    def name(self) -> str:
        """Name of the task and of its folder."""
        return self.kind if self.kind in _BETWEEN else f"{self.kind}_{self.tile.name}"

    def do(self, folder: str, threads: int = 0) -> dict[str, Any]:
        """Do the task; returns its name and its measurements."""
        return {
            "name": self.name,
            **_WORK[self.kind](Landscape(Path(folder)), self, granted(threads)),
        }


def analyze(
    folder: Path,
    workers: Workers,
    question: Question | None = None,
    on_progress: Callable[[float, str], object] = lambda fraction, message: None,
    on_note: Callable[[str], object] = lambda sentence: None,
) -> Landscape:
    """Analyze a landscape, before erosion if it has not been eroded: further layers, `LAYERS`, and
    figures.

    The figures stand in the manifest's `analysis`. The same bytes on any number of workers. An
    interrupted run continues if the same user starts it again on the same machine. on_progress,
    on_note: see `erode.erode`. InputError for a damaged landscape, or where the sea leaves no land.
    """
    question = question or Question()
    with changing(folder):
        landscape = Landscape(folder)
        layer = layer_of(landscape, "elevation")
        asked = {**asdict(question), "of": layer}
        if _is_analyzed(landscape, asked) and not landscape.faults((layer, *LAYERS)):
            on_progress(1.0, "it is analyzed already")
            return landscape
        read = (layer, OUTLETS) if landscape.has(OUTLETS) else (layer,)
        for sentences in landscape.faults(read).values():
            raise InputError(f"{sentences[0]}; make or erode the landscape again.")
        landscape = _without_analysis(landscape)
        tasks = tasks_of(landscape, question)
        # Files of other users are not trusted, as they say where in memory kernels write.
        journal = Journal(
            folder,
            FOLDER,
            _key(landscape, asked),
            lambda task, result: True,
            users_secret(),
            alone=False,
        )
        if journal.is_foreign:
            on_note(journal.note)
        if journal.is_foreign or not journal.is_there:
            journal.begin()
        results = journal.sound(tasks)
        cells = {task.name: task.cells for task in tasks}
        total = sum(cells.values())
        share = sum(cells[name] for name in results)
        for result in workers.work(folder, tasks, set(results)):
            journal.add(result)
            results[result["name"]] = result
            share += cells[result["name"]]
            kind, _, tile = result["name"].partition("_")
            on_progress(share / total, _WORDS[kind].format(tile=tile))
        measured = [results[task.name] for task in tasks if task.kind == "measure"]
        hashes: dict[str, dict[str, str]] = {name: {} for name in LAYERS}
        for task in tasks:
            for file, digest in results[task.name]["files"].items():
                name, _, tile = file.rpartition("/")
                if name in hashes:
                    hashes[name][tile] = digest
        figures = _figures(landscape, measured)
        manifest = replace(landscape.manifest, analysis={"asked": asked, **figures}).with_layers(
            hashes
        )
        manifest.save(folder)
        shutil.rmtree(folder / FOLDER, ignore_errors=True)
        sweep(folder)
        return Landscape(folder, manifest)


def lines(figures: dict[str, Any]) -> list[tuple[str, str]]:
    """Label and text of each figure of an analysis."""
    shape = figures["hypsometric_integral"]
    return [
        ("Land", f"{figures['land_area'] / 1e6:.4g} km²"),
        ("Heights", f"{figures['lowest']:.1f} to {figures['highest']:.1f} m"),
        ("Land in closed basins", f"{figures['pits']:.1%}"),
        ("Water that fills them", f"{figures['lake_volume']:.4g} m³"),
        ("Largest drainage area", f"{figures['largest_drainage_area'] / 1e6:.4g} km²"),
        ("Hypsometric integral", "flat" if shape is None else f"{shape:.2f}"),
        *(
            (f"Slope, {name}", f"{figures[f'slope_p{share}']:.1f}°")
            for share, name in _PERCENTILES.items()
        ),
        ("Land under 3°", f"{figures['flat']:.1%}"),
    ]


def tasks_of(landscape: Landscape, question: Question) -> list[AnalysisTask]:
    """Tasks of an analysis in order of need."""
    tiles = landscape.tiles()
    tasks = list[AnalysisTask]()
    before: tuple[str, ...] = ()
    for kind in _WORK:
        if kind in _BETWEEN:
            group = [AnalysisTask(kind, Tile(0, 0), len(tiles), before, question)]
        else:
            shapes = [landscape.window(tile).shape for tile in tiles]
            group = [
                AnalysisTask(kind, tile, rows * cols, before, question)
                for tile, (rows, cols) in zip(tiles, shapes, strict=True)
            ]
        before = tuple(task.name for task in group)
        tasks += group
    return tasks


def _is_analyzed(landscape: Landscape, asked: dict[str, Any]) -> bool:
    """Whether the manifest has all layers and figures of this analysis."""
    figures = landscape.manifest.analysis
    try:
        return (
            figures.get("asked") == asked
            and all(map(landscape.has, LAYERS))
            and bool(lines(figures))
        )
    except (KeyError, TypeError, ValueError):
        return False


def _without_analysis(landscape: Landscape) -> Landscape:
    """The landscape without the layers of an earlier analysis, which the tasks replace."""
    layers = {
        name: tiles for name, tiles in landscape.manifest.layers.items() if name not in LAYERS
    }
    if layers.keys() == landscape.manifest.layers.keys():
        return landscape
    manifest = replace(landscape.manifest, layers=layers, analysis={})
    manifest.save(landscape.folder)
    return Landscape(landscape.folder, manifest)


def _key(landscape: Landscape, asked: dict[str, Any]) -> str:
    """Hash of all that the tasks' files follow from."""
    manifest = landscape.manifest
    grid = [manifest.rows, manifest.cols, manifest.tile, list(manifest.spacing)]
    read = [manifest.layers[asked["of"]], manifest.layers.get(OUTLETS, {})]
    text = json.dumps([grid, asked, *read], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _place(landscape: Landscape, tile: Tile) -> Place:
    window = landscape.window(tile)
    return Place(window.top, window.left, window.shape, landscape.shape)


def _tile_flow(landscape: Landscape, task: AnalysisTask, threads: int) -> TileFlow:
    place = _place(landscape, task.tile)
    heights = landscape.read(layer_of(landscape, "elevation"), Window(*place.around))
    question = task.question
    spacing = landscape.manifest.spacing
    mask = landscape.read(OUTLETS, landscape.window(task.tile)) if landscape.has(OUTLETS) else None
    outlets = river_ends(None, mask)
    return TileFlow(place, heights, spacing, question.edges, question.sea_level, threads, outlets)


def _basins(landscape: Landscape, task: AnalysisTask, threads: int) -> dict[str, Any]:
    return _kept(landscape, task.name, _tile_flow(landscape, task, threads).basins())


def _passes(landscape: Landscape, task: AnalysisTask, threads: int) -> dict[str, Any]:
    tiles = landscape.tiles()
    ways = ways_out([_left(landscape, f"basins_{tile.name}") for tile in tiles], landscape.shape)
    return _kept(
        landscape, task.name, {tile.name: way for tile, way in zip(tiles, ways, strict=True)}
    )


def _route(landscape: Landscape, task: AnalysisTask, threads: int) -> dict[str, Any]:
    tile = _tile_flow(landscape, task, threads)
    toward = tile.lead_out(_left(landscape, "passes", task.tile.name)[task.tile.name])
    return _kept(landscape, task.name, {"toward": toward.copy(), **tile.route(toward.copy())})


def _flow(landscape: Landscape, task: AnalysisTask, threads: int) -> dict[str, Any]:
    tiles = landscape.tiles()
    borders = [
        {
            **_left(landscape, f"basins_{tile.name}", "rim"),
            **_left(landscape, f"route_{tile.name}", "onward", "levels", "gives"),
        }
        for tile in tiles
    ]
    flows = zip(tiles, flow(borders), strict=True)
    return _kept(landscape, task.name, {tile.name: np.stack(parts) for tile, parts in flows})


def _measure(landscape: Landscape, task: AnalysisTask, threads: int) -> dict[str, Any]:
    """Layers of a tile, and sums over its land."""
    tile = _tile_flow(landscape, task, threads)
    along, across = landscape.manifest.spacing
    tile.route(_left(landscape, f"route_{task.tile.name}", "toward")["toward"])
    inflow, beyond = _left(landscape, "flow", task.tile.name)[task.tile.name]
    upstream, levels = tile.drain(inflow, beyond)
    heights = tile.graph.inside(tile.heights)
    slope, curvature = _surface(landscape, task.tile, threads)
    channels = _kept(landscape, task.name, tile.channels(inflow, task.question.least(landscape)))
    layers = {
        "drainage_area": upstream * (along * across),
        "lake_depth": levels - heights,
        "slope": slope,
        "curvature": curvature,
        "flow_direction": _directions(landscape, task.tile),
    }
    files = {
        f"{name}/{task.tile.name}": landscape.write(name, task.tile, array)
        for name, array in layers.items()
    }
    level = task.question.sea_level
    land = np.ones(heights.shape, bool) if level is None else heights > level
    depth = layers["lake_depth"][land]
    steep = np.searchsorted(_steepness(), slope[land], side="right")
    return {
        "files": {**channels["files"], **files},
        "land": int(land.sum()),
        "lowest": float(heights[land].min(initial=math.inf)),
        "highest": float(heights[land].max(initial=-math.inf)),
        "heights": math.fsum(heights[land]),
        "pits": int(np.count_nonzero(depth)),
        "water": math.fsum(depth) * along * across,
        "basin": float(layers["drainage_area"].max()),
        "slopes": np.bincount(steep, minlength=_BINS).tolist(),
    }


def _join(landscape: Landscape, task: AnalysisTask, threads: int) -> dict[str, Any]:
    tiles = landscape.tiles()
    orders = join([_left(landscape, f"measure_{tile.name}", *_CHANNELS) for tile in tiles])
    return _kept(
        landscape,
        task.name,
        {tile.name: channels for tile, channels in zip(tiles, orders, strict=True)},
    )


def _order(landscape: Landscape, task: AnalysisTask, threads: int) -> dict[str, Any]:
    """The layer of Strahler orders of a tile."""
    window = landscape.window(task.tile)
    left = _left(landscape, f"measure_{task.tile.name}", "orders", "cells")
    rows, cols = np.divmod(left["cells"], landscape.shape[1])
    orders = left["orders"]
    orders[rows - window.top, cols - window.left] = _left(landscape, "join", task.tile.name)[
        task.tile.name
    ]
    return {
        "files": {
            f"stream_order/{task.tile.name}": landscape.write("stream_order", task.tile, orders)
        }
    }


_WORK = {
    "basins": _basins,
    "passes": _passes,
    "route": _route,
    "flow": _flow,
    "measure": _measure,
    "join": _join,
    "order": _order,
}
"""Work of each kind of task, in order."""


def _directions(landscape: Landscape, tile: Tile) -> Array:
    """Directions of the water on a tile, as `drainage.land.Land.directions` has them."""
    from ..drainage.kernels import streams

    window = landscape.window(tile)
    near = Window(
        window.top - WAY, window.bottom + WAY, window.left - WAY, window.right + WAY
    ).meet(landscape.whole)
    assert near is not None
    rows, cols = near.shape
    graph = FlowGraph((rows, cols), landscape.manifest.spacing, "closed")
    toward = graph.inside(graph.network.toward)
    for neighbor in landscape.tiles():
        area = landscape.window(neighbor)
        if part := area.meet(near):
            codes = _left(landscape, f"route_{neighbor.name}", "toward")["toward"]
            ringed = codes.reshape(area.shape[0] + 2, area.shape[1] + 2)
            toward[part.within(near)] = ringed[1:-1, 1:-1][part.within(area)]
    directions = np.empty((rows, cols, 2), np.float32)
    row_spacing, col_spacing = landscape.manifest.spacing
    streams.ways(graph.network, cols, row_spacing, col_spacing, WAY, 0, rows, directions)
    return directions[window.within(near)]


def _surface(landscape: Landscape, tile: Tile, threads: int) -> tuple[Array, Array]:
    """Slope (m/m) and curvature (1/m) of a tile, as `drainage.land.Land.surface` has them."""
    from ..drainage.kernels import surface

    place = _place(landscape, tile)
    surroundings = Window(*place.around)
    rows, cols = place.shape
    ringed = continued(landscape.read(layer_of(landscape, "elevation"), surroundings), 1, False)
    top = place.top - surroundings.top
    left = place.left - surroundings.left
    ringed = np.ascontiguousarray(ringed[top : top + rows + 2, left : left + cols + 2])
    slopes = np.empty((rows, cols), np.float32)
    curvatures = np.empty((rows, cols), np.float32)
    aspects = np.empty((rows, 4), np.int64)
    row_spacing, col_spacing = landscape.manifest.spacing
    in_bands(
        lambda first, last: surface.measure(
            ringed, row_spacing, col_spacing, first, last, slopes, curvatures, aspects
        ),
        rows,
        threads,
    )
    return slopes, curvatures


def _figures(landscape: Landscape, tiles: list[dict[str, Any]]) -> dict[str, Any]:
    """Statistics of the land; slopes to a tenth of a degree, on the landscape's own cells."""
    land = sum(tile["land"] for tile in tiles)
    if not land:
        raise InputError("All of the landscape lies below the sea; lower the sea.")
    lowest = min(tile["lowest"] for tile in tiles)
    highest = max(tile["highest"] for tile in tiles)
    relief = highest - lowest
    along = landscape.manifest.spacing
    counts = np.sum([tile["slopes"] for tile in tiles], axis=0)
    below = np.cumsum(counts) / land
    mean = math.fsum(tile["heights"] for tile in tiles) / land
    return {
        "version": VERSION,
        "land_area": land * along[0] * along[1],
        "lowest": lowest,
        "highest": highest,
        "pits": sum(tile["pits"] for tile in tiles) / land,
        "lake_volume": math.fsum(tile["water"] for tile in tiles),
        "largest_drainage_area": max(tile["basin"] for tile in tiles),
        "hypsometric_integral": (mean - lowest) / relief if relief else None,
        **{
            f"slope_p{share}": (1 + int(np.searchsorted(below, share / 100))) / 10
            for share in _PERCENTILES
        },
        "flat": float(counts[: round(FLAT * 10)].sum() / land),
    }


def _kept(landscape: Landscape, task: str, arrays: Arrays) -> dict[str, Any]:
    digests = write_arrays(landscape.folder, f"{FOLDER}/{task}", arrays)
    return {"files": {f"{FOLDER}/{task}/{name}": digest for name, digest in digests.items()}}


def _left(landscape: Landscape, task: str, *names: str) -> Arrays:
    """Arrays written by a task: all, or the named ones."""
    folder = landscape.folder / FOLDER / task
    paths = [folder / f"{name}.npy" for name in names] or arrays_in(folder)
    return {path.stem: np.array(mapped(path, None, _KINDS)) for path in paths}
