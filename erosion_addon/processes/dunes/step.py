# SPDX-License-Identifier: GPL-3.0-or-later
"""Dunes step: sweeps with one wind each, in which slabs hop along its lines and steep slopes
slide.
"""

import math
import time
from dataclasses import replace
from typing import Any

import numpy as np

from ...base.arrays import EDGES, Array
from ...base.kernels.elementary import sincos, tan
from ...base.threads import in_bands
from ..shared.halo import ANY_HEIGHT, changed_elevation, ground_now, inner, ringed, volumes
from ..shared.shares import Ground, depth_bounds, shares, under_grass
from ..shared.slides import Slides
from ..shared.state import LARGEST, State, Step, Volumes, chunk_end
from ..shared.winds import drawn_wind, turned
from .parameters import CLIMB_ANGLE, FLIGHT, SHELTER_ANGLE, SLAB, SPEED_UP, DuneParameters

DUNE, SURROUNDINGS = 1.0, 12.0
"""Averaging radii in hops: of the ground that deflects the wind, and of the surroundings it is
compared with.
"""

LEAD = 2.0
"""Distance of the fastest wind before the top of a hill, in hops."""

HULL = 6.0
"""Half length of the ground along the wind that counts as one ridge, in hops."""

LEVELS = 8
"""Sweeps between updates of that height."""

STABLE = 0.2
"""Stability limit of creep: share of a height difference moved at a time."""

SLIDES = 3
"""Slide passes after a sweep; lees are then less than a degree too steep."""

LAST_SLIDES, LONG_SLIDES = 200, 32
"""Most slide rounds after the last sweep, and passes in each: enough for all sand to rest on fine
grids.
"""

BEACH, GRASS = 1.0, 3.0
"""Width of the beach and of the grass strip behind it, in hops."""

BELOW = 0.5
"""Margin in degrees by which slides stop below the repose angle.

Slopes at the corners of crests are a degree or two steeper than the faces between their cells; with
the margin they hardly exceed the angle.
"""

PORTION = 2**19
"""Approximate number of cells whose lines are processed at once."""

LINES = 16
"""Lines per work item."""

DROWNED = 0.01
"""Water depth in meters from which sand stays on the bottom."""

TURNS = 16
"""Greatest number of times that sand crosses a wrapped edge; the rest is exported."""

GOLDEN = 0.6180339887498949
"""Golden ratio: its multiples sample the winds of a rose evenly, whatever their weights."""


class DuneStep(Step):
    """Dunes step.

    A sweep consists of shadows, portions of lines, sand across wrapped edges, and slides.
    """

    bytes_per_cell = 16 + 24 + 12 + 20 + 8
    """Working memory beyond terrain and result: rock and loose, means, masks of slides and of hops,
    cover.
    """

    evolving: tuple[str, ...] = (
        "_rock", "_loose", "_bump", "_blown", "_entering", "_leaving", "_totals", "_active",
        "_exported", "_masks", "_done",
    )  # fmt: skip

    def __init__(self, state: State, parameters: DuneParameters, key: int) -> None:
        from ...base.kernels import rng
        from .kernels import creep, lines, local_mean, slabs

        self._kernel = slabs
        self._lines = lines
        self._mean = local_mean
        self._creep = creep
        self._random = rng
        self._key = np.uint64(key)
        self._parameters = parameters
        state = self._state = under_grass(state, 1.0)
        self._shape = rows, cols = state.elevation.shape[0], state.elevation.shape[1]
        loose = state.loose()
        self._rock = ringed(state.elevation - loose)
        self._loose = ringed(loose)
        self._bump = np.zeros((rows, cols))
        self._blown = np.zeros((rows, cols), np.uint8)
        longer = max(rows, cols)
        self._entering = np.zeros(longer)
        reach = 2 * slabs.STORM * parameters.hop(state.cell_size) / min(state.spacing)
        self._leaving = np.zeros(
            (longer, min(int(reach) + 2, longer) if state.edges == "wrap" else 1)
        )
        self._totals = np.zeros((longer, slabs.COUNTS))
        # Sand slides do not break rock, so hardness is ignored.
        masks = {
            kind: mask for kind, mask in state.masks.items() if kind not in ("hardness", "protect")
        }
        sliding = replace(state, masks=masks, strata=None)
        self._slides = Slides(sliding, self._rock, self._loose, parameters.repose_angle - BELOW)
        self._active = self._slides.active
        self._exported = self._slides.exported
        self._masks = self._slides.masks
        if not sliding.masks_change:
            self.evolving = tuple(name for name in self.evolving if name != "_masks")
        self._find_shore()
        self._cover = self._make_cover()
        self._shares = self._make_shares()
        self._portions = max(1, -(-rows * cols // PORTION))
        self._parts = self._portions + 3
        works = bool(loose.any()) or parameters.supply > 0 or self._beach.any()
        self._sweeps = parameters.sweeps(state.spacing) if works else 0
        self._end = self._sweeps * self._parts + (LAST_SLIDES if self._sweeps else 0)
        self._season = max(1, round(parameters.season / (parameters.years or 1.0) * self._sweeps))
        self._done = 0
        self.limits = {
            "_rock": ANY_HEIGHT,
            "_entering": (-math.inf, LARGEST),
            "_leaving": (0, 4 * longer * SLAB * state.cell_size),  # slab by slab it lands again
            "_active": (0, 1),
            "_blown": (0, 1),
            "_masks": (0, 1),
            "_done": (0, self._end),
        }

    def _make_cover(self) -> Array | None:
        """(cells, 2) float32: cover that catches sand (plants and water), and the liftable share of
        dry sand.
        """
        layers = self._state.layers
        moisture, grass, water = (layers.get(name) for name in ("moisture", "grass", "water_depth"))
        if moisture is None and grass is None and water is None:
            return None
        cover = np.zeros((*self._shape, 2), np.float32)
        cover[..., 0] = 0 if grass is None else np.clip(grass, 0, 1)
        cover[..., 1] = 1 if moisture is None else 1 - np.clip(moisture, 0, 1)
        if water is not None:
            cover[water > DROWNED] = 1, 0  # sand that falls in sinks
        if self._beach.any():
            strip = self._beside_water(BEACH + GRASS) & ~self._beach
            grown = np.float32(self._parameters.beach_grass)
            cover[strip] = np.maximum(cover[strip, 0], grown)[:, None] * (1, 0) + (
                cover[strip, 1:] * (1 - grown)
            ) * (0, 1)
            cover[self._beach, 1] = 1  # spray dries within hours
        return cover.reshape(-1, 2)

    def _beside_water(self, hops: float) -> Array:
        """Dry cells within a number of hops of standing water, (rows, cols) bool."""
        state = self._state
        wet = state.layers["water_depth"] > DROWNED
        near = wet
        mode = "wrap" if state.edges == "wrap" else "constant"
        for _ in range(round(hops * self._parameters.hop(state.cell_size) / state.cell_size)):
            wider = np.pad(near, 1, mode=mode)  # type: ignore[call-overload]
            near = wider[:-2, 1:-1] | wider[2:, 1:-1] | wider[1:-1, :-2] | wider[1:-1, 2:] | near
        return near & ~wet

    def _find_shore(self) -> None:
        """Beach: its cells (rows, cols), its height, and the sea level (m)."""
        state = self._state
        self._beach = np.zeros(self._shape, bool)
        self._beach_heights = np.empty(0)
        self._sea = -math.inf
        water = state.layers.get("water_depth")
        if self._parameters.beach_supply and water is not None and (water > DROWNED).any():
            self._beach = self._beside_water(BEACH)
            self._beach_heights = state.elevation[self._beach]
            self._sea = float(np.median((state.elevation + water)[water > DROWNED]))

    def _make_shares(self, ground: Ground | None = None) -> Array | None:
        """Mask layers of the cells, (cells, 4 or 6) float32, see `Shares.layers`; None without
        any.
        """
        factors = shares(self._state, ground)
        bounds = depth_bounds(self._state, 0.0, 1.0)
        if self._beach.any():  # damp sand over the ground water holds
            lowest, highest = bounds or (np.full(self._shape, sign * math.inf) for sign in (-1, 1))
            damp = np.full(self._shape, self._sea)
            # the sea gives back a slab
            damp[self._beach] = self._beach_heights - SLAB * self._state.cell_size
            bounds = [np.maximum(lowest, damp), highest]
        layers = factors.layers(bounds, self._shape)
        return None if layers is None else layers.reshape(self._state.elevation.size, -1)

    def advance(self) -> float:
        """Work for about a tenth of a second; returns the share of the work done, 1 once everything
        rests.
        """
        until = chunk_end()
        while self._done < self._end:
            self._part()
            if time.perf_counter() >= until:
                break
        return self._done / self._end if self._end else 1.0

    def _part(self) -> None:
        sweep, part = divmod(self._done, self._parts)
        self._done += 1
        if sweep >= self._sweeps:
            if self._slides.run(LONG_SLIDES, self._done * LONG_SLIDES) < LONG_SLIDES:
                self._done = self._end
        elif part == 0:
            self._begin(sweep)
        elif part <= self._portions:
            self._blow(sweep, part - 1)
        elif part == self._portions + 1:
            self._hand_on(sweep)
        else:
            self._roll()
            if self._beach.any():
                self._bring_ashore()
            self._active[1:-1] = 1
            self._slides.run(SLIDES, sweep * SLIDES)

    def _wind(self, sweep: int) -> tuple[Any, Any, Any]:
        """`Rays` and `Constants` of a sweep, and its random key."""
        parameters = self._parameters
        row_spacing, col_spacing = self._state.spacing
        start = np.uint64(self._random.stream(self._key, sweep))
        chances = [float(self._random.uniform(start, draw)) for draw in range(5)]
        even = (float(self._random.uniform(self._key, 0)) + sweep // self._season * GOLDEN) % 1.0
        direction = drawn_wind(parameters.direction, parameters.wind_rose, even) + turned(
            parameters.gustiness, chances[:3]
        )
        sine, cosine = sincos(math.radians(direction))
        # In cells, because they may not be square.
        row = float(sine) / row_spacing
        col = float(cosine) / col_spacing
        rays = self._lines.make_rays(row, col, chances[3])
        pitch = 1.0 / max(abs(row), abs(col))
        cell = self._state.cell_size
        constants = self._kernel.Constants(
            slab=SLAB * cell,
            hop=parameters.hop(cell) / pitch,
            speed_up=SPEED_UP / parameters.hop(cell),
            lead=round(LEAD * parameters.hop(cell) / pitch),
            drop=pitch * tan(math.radians(SHELTER_ANGLE)),
            climb=pitch * tan(math.radians(CLIMB_ANGLE)),
            wear=SLAB * cell * parameters.abrasion,
            reach=parameters.abrasion_height,
            dust=parameters.dust,
            hull=round(HULL * parameters.hop(cell) / pitch),
            brought=min(self._brought(rays), parameters.hop(cell) / pitch),
            edges=EDGES.index(self._state.edges),
        )
        return rays, constants, start

    def _brought(self, rays: Any) -> float:
        """Slabs supplied on each line that enters over an edge."""
        if not self._parameters.supply:
            return 0.0
        length, count = self._lines.extent(rays, self._shape)
        cells = self._shape[0] * self._shape[1]
        entries = (
            count
            if self._state.edges == "wrap"
            else count + abs(math.floor(rays.aside * (length - 1)))
        )
        slabs: float = (
            self._parameters.supply
            * cells
            / (self._sweeps * SLAB * self._state.cell_size * entries)
        )
        return slabs

    def _ground(self) -> Any:
        return self._kernel.Ground(
            self._rock.reshape(-1),
            self._loose.reshape(-1),
            self._bump.reshape(-1),
            self._blown.reshape(-1),
            self._cover,
            self._shares,
        )

    def _begin(self, sweep: int) -> None:
        """Update the local mean, the hardness, and the shadows that enter over edges."""
        rays, constants, _ = self._wind(sweep)
        if sweep % LEVELS == 0:
            self._find_bumps()
        if self._state.edges == "wrap":
            ground = self._ground()
            tails = np.zeros_like(self._entering)
            self._on_lines(
                0,
                self._lines.extent(rays, self._shape)[1],
                lambda first, last: self._kernel.find_shadows(
                    first, last, rays, self._shape, ground, constants, tails
                ),
            )
            self._kernel.hand_on_shadows(rays, self._shape, constants, tails, self._entering)

    def _bring_ashore(self) -> None:
        """Refill the beach from the sea's sand where the wind has removed it."""
        parameters = self._parameters
        width = BEACH * self._parameters.hop(self._state.cell_size)
        rock = inner(self._rock)
        loose = inner(self._loose)
        most = parameters.beach_supply * parameters.years / self._sweeps / width
        brought = np.clip(self._beach_heights - (rock + loose)[self._beach], 0.0, most)
        loose[self._beach] += brought
        self._totals[0, self._kernel.BROUGHT] += np.sum(brought)

    def _find_bumps(self) -> None:
        """Difference of two local means: at the scale of a dune, and of its surroundings."""
        surface = np.ascontiguousarray(inner(self._rock) + inner(self._loose))
        hop = self._parameters.hop(self._state.cell_size)
        self._bump[...] = self._smooth(surface, DUNE * hop) - self._smooth(
            surface, SURROUNDINGS * hop
        )

    def _smooth(self, surface: Array, reach: float) -> Array:
        """Local mean of the surface. reach: radius in meters."""
        rows, cols = self._shape
        threads = self._state.threads
        wrap = self._state.edges == "wrap"
        down, right = (
            max(1, min(round(reach / 2 / pitch), count // 4))
            for pitch, count in zip(self._state.spacing, self._shape, strict=True)
        )
        result = np.empty(self._shape)
        between = np.empty(self._shape)
        values = surface

        def along_rows(first: int, last: int) -> None:
            self._mean.mean_along_rows(values, between, first, last, right, wrap)

        def along_cols(first: int, last: int) -> None:
            self._mean.mean_along_cols(between, result, first, last, down, wrap)

        for _ in range(2):
            in_bands(along_rows, rows, threads)
            in_bands(along_cols, cols, threads)
            values = result
        return result

    def _on_lines(self, first: int, last: int, work: Any) -> None:
        """Call work(first, last) on a range of lines, on threads."""
        in_bands(
            lambda begin, end: work(first + begin, first + end),
            last - first,
            self._state.threads,
            LINES,
        )

    def _blow(self, sweep: int, portion: int) -> None:
        rays, constants, start = self._wind(sweep)
        if portion == 0 and self._state.hardness_changes:
            self._shares = self._make_shares(ground_now(self._rock, self._loose))
        _, count = self._lines.extent(rays, self._shape)
        first = count * portion // self._portions
        last = count * (portion + 1) // self._portions
        ground = self._ground()
        ends = self._kernel.Ends(self._entering, self._leaving, self._totals)
        self._on_lines(
            first,
            last,
            lambda begin, end: self._kernel.blow(
                begin, end, rays, self._shape, ground, constants, start, ends
            ),
        )

    def _hand_on(self, sweep: int) -> None:
        """Move sand across wrapped edges to the line that continues there."""
        if not self._leaving.any():
            return
        rays, constants, start = self._wind(sweep)
        _, count = self._lines.extent(rays, self._shape)
        shift = self._lines.following(0, rays, self._shape)
        ground = self._ground()
        ends = self._kernel.Ends(self._entering, self._leaving, self._totals)
        for turn in range(TURNS):
            if not self._leaving.any():
                return
            arriving = np.roll(self._leaving[:count], shift, axis=0)
            self._leaving[:] = 0.0
            key = np.uint64(self._random.stream(start, turn + 1))
            self._on_lines(
                0,
                count,
                lambda first, last, key=key, arriving=arriving: self._kernel.hand_on(
                    first, last, rays, self._shape, ground, constants, key, arriving, ends
                ),
            )
        self._totals[:, self._kernel.OUT] += self._leaving.sum(axis=1)
        self._leaving[:] = 0.0

    def _roll(self) -> None:
        """Creep of one sweep."""
        state = self._state
        kernel = self._creep
        rows = self._shape[0]
        passed = (
            SLAB
            * state.cell_size
            * FLIGHT
            * self._parameters.hop(state.cell_size)
            * self._parameters.creep
        )
        row_share, col_share = (passed / (pitch * pitch) for pitch in state.spacing)
        times = max(1, math.ceil(max(row_share, col_share) / STABLE))
        row_share /= times
        col_share /= times
        loose = inner(self._loose)
        wrap = state.edges == "wrap"
        along_rows = np.empty(self._shape)
        along_cols = np.empty(self._shape)
        rock = inner(self._rock)
        surface = np.empty(self._shape)

        def find_surface(first: int, last: int) -> None:
            np.add(rock[first:last], loose[first:last], out=surface[first:last])

        for _ in range(times if passed else 0):
            in_bands(find_surface, rows, state.threads)
            in_bands(
                lambda first, last: kernel.find_flows(
                    first,
                    last,
                    loose,
                    surface,
                    self._blown,
                    self._cover,
                    self._shares,
                    (row_share, col_share),
                    along_rows,
                    along_cols,
                ),
                rows,
                state.threads,
            )
            in_bands(
                lambda first, last: kernel.apply_fluxes(
                    first, last, loose, along_rows, along_cols, wrap
                ),
                rows,
                state.threads,
            )

    def _total(self, column: int) -> float:
        return float(np.sum(self._totals[:, column]))

    def layers(self) -> dict[str, Array]:
        loose = np.maximum(inner(self._loose), 0.0)
        return {"elevation": self.elevation(), **self._state.split_loose(loose, name="sediment")}

    def elevation(self) -> Array:
        return changed_elevation(self._state, self._rock, self._loose)

    def volumes(self) -> Volumes:
        """Volumes of solid material moved so far; supplied sand counts as added."""
        kernel = self._kernel
        area = self._state.spacing[0] * self._state.spacing[1]
        out = float(np.sum(self._exported)) + self._total(kernel.OUT) + float(np.sum(self._leaving))
        return volumes(self._state, self._rock, self._loose, np.array([out]))._replace(
            added=self._total(kernel.BROUGHT) * area
        )

    def drain(self) -> None:
        """Finish the current sweep."""
        while self._done < self._sweeps * self._parts and self._done % self._parts:
            self._part()

    def counts(self, seconds: float) -> dict[str, Any]:
        """Entries for the report; volumes in m³. seconds: of work so far."""
        kernel = self._kernel
        area = self._state.spacing[0] * self._state.spacing[1]
        hops = int(self._total(kernel.HOPS))
        blown = min(self._done / self._parts, self._sweeps)
        return {
            "years": self._parameters.years * blown / self._sweeps if self._sweeps else 0.0,
            "hops": hops,
            "hops_per_second": hops / seconds if seconds > 0 else 0.0,
            "abraded": self._total(kernel.WORN) * area,
            "supplied": self._total(kernel.BROUGHT) * area,
        }
