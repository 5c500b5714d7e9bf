# SPDX-License-Identifier: GPL-3.0-or-later
"""Water of the land around a tile: where rivers of the coarse cells enter its window, and their
drainage areas.

The coarse cells are routed once, after their erosion. A river that comes into a window enters at
the lowest of the fine cells of the first coarse cell inside. One that leaves and comes back enters
again, with all its water.

Of steps in which water runs over time, coarse cells record the water that crosses the lines around
windows, see `Gauges`. It enters at the lowest of the fine cells along each face of a coarse cell.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..base.arrays import Array
from ..base.errors import InputError
from ..drainage.flow_graph import FlowGraph
from ..processes.shared.state import Surroundings
from ..processes.shared.streams import Gauges, Streams
from ..run.simulation import erode
from ..terrain.terrain import Terrain
from .plan import Plan
from .storage.folder import Window

UPSTREAM, RECEIVER = "upstream", "receiver"
"""Cells of the landscape that drain through a coarse cell, its own among them; and the place of its
receiver.
"""

SLICES = 32
"""Equal parts of a step's time, for each of which coarse cells record a mean of the water that
crosses a line.
"""

_ALONG = "streams_along"
_DOWN = "streams_down"

Read = Callable[..., Array]
"""(name, shape, least and greatest value) → an array on coarse cells."""


def routed(plan: Plan, heights: Array, outlets: Array | None, threads: int) -> dict[str, Array]:
    """`UPSTREAM` and `RECEIVER` of all coarse cells, (rows, cols) float64. heights: m. outlets:
    (rows, cols) bool.
    """
    graph = FlowGraph(plan.coarse_shape, plan.coarse_spacing, plan.erosion.edges, outlets, threads)
    graph.route(graph.padded(heights))
    down, right = (
        np.minimum(plan.factor, count - plan.factor * np.arange(coarse))
        for count, coarse in zip(plan.landscape.shape, plan.coarse_shape, strict=True)
    )
    cells = np.multiply.outer(down, right).astype(np.float64)
    areas = graph.inside(graph.accumulate(graph.padded(cells)))
    return {UPSTREAM: areas.copy(), RECEIVER: graph.receivers().astype(np.float64)}


def entering(plan: Plan, window: Window, heights: Array, upstream: Array, receiver: Array) -> Array:
    """Cells beyond a window whose water enters it at a cell, (rows, cols) float32.

    heights: of the window, m. upstream, receiver: see `routed`.
    """
    inflow = np.zeros(window.shape, np.float32)
    inside = _inside(plan, window)
    rows = slice(max(inside.top - 1, 0), inside.bottom + 1)
    cols = slice(max(inside.left - 1, 0), inside.right + 1)
    row, col = np.divmod(receiver[rows, cols].astype(np.int64), plan.coarse_shape[1])
    cell = np.ogrid[rows.start : rows.start + row.shape[0], cols.start : cols.start + row.shape[1]]
    crossing = _within(inside, row, col) & ~_within(inside, *cell)
    for down, across, cells in zip(
        row[crossing], col[crossing], upstream[rows, cols][crossing], strict=True
    ):
        first_row = down * plan.factor - window.top
        first_col = across * plan.factor - window.left
        block = heights[first_row : first_row + plan.factor, first_col : first_col + plan.factor]
        lowest_row, lowest_col = divmod(int(block.argmin()), block.shape[1])
        inflow[first_row + lowest_row, first_col + lowest_col] += cells
    return inflow


def leaving(plan: Plan, window: Window, upstream: Array, receiver: Array) -> Array:
    """Cells of a window's border over which water leaves it, as on coarse cells: (rows, cols)
    float32, 1 there and else 0.
    """
    # The other cells of the border hold water back, also those from which a brook leaves to a
    # larger river that enters. Otherwise a lake over several tiles would run back from its rim into
    # the tile beside it, and none would cut the rim.
    factor = plan.factor
    inside = _inside(plan, window)
    count = plan.coarse_shape[1]
    over = Window(
        window.top // factor,
        -(-window.bottom // factor),
        window.left // factor,
        -(-window.right // factor),
    )
    row, col = np.ogrid[over.top : over.bottom, over.left : over.right]
    out = np.argwhere(~_within(inside, row, col))
    start = at = (out[:, 0] + over.top) * count + out[:, 1] + over.left
    places = receiver.reshape(-1)
    cells = upstream.reshape(-1)
    while True:  # downstream, to where the water comes back or ends
        goes = ~_within(inside, *np.divmod(at, count))
        after = np.where(goes, places[at].astype(np.int64), at)
        if (after == at).all():
            break
        _require_downstream(cells, at, after)
        at = after
    back = _within(inside, *np.divmod(at, count)) & (
        _from_inside(over, inside, upstream, receiver)[start] < 0.5 * cells[at]
    )
    ends = np.zeros((over.bottom - over.top, over.right - over.left), bool)
    ends[tuple(out.T)] = ~back
    if plan.erosion.edges == "open":
        ends |= (row == 0) | (row == plan.coarse_shape[0] - 1) | (col == 0) | (col == count - 1)
    rows, cols = (
        np.arange(first, end) // factor
        for first, end in ((window.top, window.bottom), (window.left, window.right))
    )
    outlets = ends[np.ix_(rows - over.top, cols - over.left)].astype(np.float32)
    outlets[1:-1, 1:-1] = 0.0
    return np.asarray(outlets)


def _from_inside(over: Window, inside: Window, upstream: Array, receiver: Array) -> Array:
    """Cells that drain through each coarse cell (flat), of the largest river that comes there from
    inside a window.

    over: coarse cells that the window meets; others have 0. inside: see `_inside`.
    """
    count = upstream.shape[1]
    places = receiver.reshape(-1)
    largest = np.zeros(upstream.size)
    row, col = np.ogrid[inside.top : inside.bottom, inside.left : inside.right]
    at = receiver[row, col].astype(np.int64)
    leaves = ~_within(inside, *np.divmod(at, count))
    at = at[leaves]
    cells = upstream[row, col][leaves]
    while at.size:
        np.maximum.at(largest, at, cells)
        after = places[at].astype(np.int64)
        _require_downstream(upstream.reshape(-1), at, after)
        on = (
            (after != at)
            & _within(over, *np.divmod(after, count))
            & ~_within(inside, *np.divmod(after, count))
        )
        at = after[on]
        cells = cells[on]
    return largest


def _require_downstream(cells: Array, at: Array, after: Array) -> None:
    """Raise InputError unless drained cells increase downstream; else water might run in circles.

    cells: that drain through each coarse cell. at, after: places on the way, and the next ones.
    """
    if not ((cells[after] > cells[at]) | (after == at)).all():
        raise InputError(
            "The coarse rivers of the landscape are damaged; delete its folder work, and erode it "
            "again."
        )


def rivers(plan: Plan, window: Window, heights: Array, read: Read) -> Surroundings | None:
    """Water that rivers bring into a window from beyond it; None for a plan without such rivers.

    heights: of the window, m. read: arrays of `routed`.
    """
    if not plan.has_rivers_across_tiles():
        return None
    shape = plan.coarse_shape
    rows, cols = plan.landscape.shape
    upstream = read(UPSTREAM, shape, 0.0, rows * cols)
    receiver = read(RECEIVER, shape, 0.0, shape[0] * shape[1] - 1)
    inflow = entering(plan, window, heights, upstream, receiver)
    return Surroundings(inflow, leaving=leaving(plan, window, upstream, receiver))


def measured(
    plan: Plan, land: Terrain, beds: Array, masks: dict[str, Array], threads: int
) -> dict[str, Array]:
    """Water and load across the lines around windows in each step with streams, see `Gauges`; by
    names for `streams`.

    land, masks: on coarse cells. beds: heights there at which streams run, m.
    """
    # Beds, because mean heights are higher at bends and would hold streams back. The ground that
    # the steps leave on coarse cells is discarded.
    recipe = plan.stream_recipe()
    arrays = dict[str, Array]()
    if recipe is None:
        return arrays
    recipe = plan.on_land(recipe, land.elevation)
    terrain = Terrain(beds, land.spacing, land.fields)
    for number, step in enumerate(recipe.steps):
        gauges = _gauges(plan)
        seed = plan.erosion.seed
        edges = plan.erosion.edges
        surroundings = Surroundings(gauges=gauges)
        part = replace(recipe, steps=(step,))
        terrain = erode(
            terrain, part, seed=seed, edges=edges, masks=masks, threads=threads, around=surroundings
        )
        arrays |= {f"{_ALONG}_{number}": gauges.along, f"{_DOWN}_{number}": gauges.down}
    return arrays


def streams(plan: Plan, window: Window, heights: Array, number: int, read: Read) -> Surroundings:
    """Water that comes into a window over time as on coarse cells; over the cells of its border
    there, none leaves.

    heights: of the window, m. number: of the step in `Plan.stream_recipe`. read: arrays of
    `measured`.
    """
    gauges = _gauges(plan)
    inside = _inside(plan, window)
    along = read(f"{_ALONG}_{number}", gauges.along.shape)
    down = read(f"{_DOWN}_{number}", gauges.down.shape)
    high, wide = window.shape
    closed = plan.erosion.edges == "closed"
    walls = [np.full(size, closed) for size in (wide, wide, high, high)]
    places = list[int]()
    rates = list[Array]()
    for side, line in enumerate((inside.top, inside.bottom, inside.left, inside.right)):
        far = side % 2  # 1 for sides where the window ends
        if min(inside.shape) <= 0 or line == far * plan.coarse_shape[side // 2]:
            continue
        if side < 2:
            crossing = down[:, :, np.searchsorted(gauges.rows, line), inside.left : inside.right]
            faces = np.clip(
                np.arange(window.left, window.right) // plan.factor, inside.left, inside.right - 1
            )
            first = inside.left
            behind = line * plan.factor - far - window.top
            cells = behind * wide + np.arange(wide)
        else:
            crossing = along[:, :, inside.top : inside.bottom, np.searchsorted(gauges.cols, line)]
            faces = np.clip(
                np.arange(window.top, window.bottom) // plan.factor, inside.top, inside.bottom - 1
            )
            first = inside.top
            behind = line * plan.factor - far - window.left
            cells = np.arange(high) * wide + behind
        indices, shares, walls[side] = _through(
            crossing.astype(np.float64) * (1 - 2 * far), faces - first, heights.ravel()[cells]
        )
        places += [int(cell) for cell in cells[indices]]
        rates += shares
    order = np.argsort(np.array(places, np.int64), kind="stable")
    water, load = np.reshape(rates, (-1, 2, SLICES))[order].transpose(1, 2, 0)
    return Surroundings(
        streams=Streams(np.array(places, np.int64)[order], water, np.maximum(load, 0.0), walls)
    )


def _through(crossing: Array, faces: Array, ground: Array) -> tuple[list[int], list[Array], Array]:
    """Places along a side of a window where water enters, the inflow at each, and whether each cell
    of the side is a wall.

    crossing: (2, slices, faces) water and load, inward. faces: number of the coarse face of each
    fine cell; ground: its height, m.
    """
    places = list[int]()
    rates = list[Array]()
    for face in np.flatnonzero((crossing[0] > 0.0).any(axis=0)):
        cells = np.flatnonzero(faces == face)
        places.append(int(cells[ground[cells].argmin()]))
        rates.append(np.where(crossing[0, :, face] > 0.0, crossing[:, :, face], 0.0))
    return places, rates, (crossing[0].sum(axis=0) > 0.0)[faces]


def _gauges(plan: Plan) -> Gauges:
    """Gauges on coarse cells, on the lines around the windows of all tiles."""
    insides = [_inside(plan, plan.window(tile)) for tile in plan.landscape.tiles()]
    insides = [inside for inside in insides if min(inside.shape) > 0]
    rows = {row for inside in insides for row in (inside.top, inside.bottom)} - {
        0,
        plan.coarse_shape[0],
    }
    cols = {col for inside in insides for col in (inside.left, inside.right)} - {
        0,
        plan.coarse_shape[1],
    }
    return Gauges(plan.coarse_shape, sorted(rows), sorted(cols), SLICES)


def _inside(plan: Plan, window: Window) -> Window:
    """Coarse cells that lie in a window but for its outermost cells, where all water leaves; at
    edges of the landscape nothing comes from beyond.
    """
    factor = plan.factor
    rows, cols = plan.landscape.shape
    return Window(
        -(-(window.top + 1) // factor) if window.top else 0,
        (window.bottom - 1) // factor if window.bottom < rows else plan.coarse_shape[0],
        -(-(window.left + 1) // factor) if window.left else 0,
        (window.right - 1) // factor if window.right < cols else plan.coarse_shape[1],
    )


def _within(cells: Window, row: Array, col: Array) -> Array:
    """Whether coarse cells lie in a window of them."""
    return np.asarray(
        (row >= cells.top) & (row < cells.bottom) & (col >= cells.left) & (col < cells.right)
    )
