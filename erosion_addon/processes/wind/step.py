# SPDX-License-Identifier: GPL-3.0-or-later
"""Wind step: conversion from meters to the units of the source and back."""

import math
import time
from typing import Any

import numpy as np

from ...base.arrays import EDGES, Array, cell_diagonal, longer_side
from ...base.kernels.elementary import sincos, tan
from ..shared.cell_units import ground_now, in_unit, solid_layers
from ..shared.shares import Plot
from ..shared.state import LARGEST, State, Step, Volumes, chunk_end
from ..shared.tile_scheduler import TileRun
from ..shared.winds import drawn_wind, turned
from .boundary_layer import layer_constants, wet_hold
from .cover import cover, sources, wind_shares
from .parameters import MOISTURE_THRESHOLD, SHELTER_ANGLE, WindParameters
from .shadow import WindShadow

PARTICLES_PER_SIDE = 250 / 256
"""Particles of a batch per cell of the longer side, as in the source."""

TILE = 64
"""Tile side in cells; small, as a bouncing particle stays on one tile for thousands of steps."""

PORTIONS = 4
"""Portions in which the particles of a batch start: so not all cross the same tiles at once, or are
equally old.
"""

TURN_STEPS = 2**22
"""Most steps of all particles of a gust in a turn: one that bounces about may take millions on a
tile.
"""

PATH_RATE = 0.01
"""Share of a batch in the running mean of where the wind touches the ground."""

LEE_FALL = 1.0
"""Settling rate (1/s) of sand in a complete wind shadow."""

DIRECTION_SALT = 0x57494E44
"""Separates the random numbers of wind directions and particles."""


class WindStep(Step):
    """Wind step.

    key: uint64 of its random numbers. Raises InputError if the terrain cannot be eroded.
    """

    bytes_per_cell = 16 + 8 + 4 + 1 + 8 + 12 + 8
    """Working memory beyond terrain and result: ground, shadow, path, track, cover, masks,
    sources.
    """

    evolving = (
        "_ground",
        "_path",
        "_totals",
        "_done",
        "_track",
        "_shade",
        "_blowing",
        "_run",
        "_flows",
    )

    later = ("_track", "_shade", "_blowing", "_run", "_flows")

    def __init__(self, state: State, parameters: WindParameters, key: int) -> None:
        from ...base.kernels import rng
        from ..shared.kernels import cascade
        from .kernels import boundary_layer, particle, saltation, surface

        self._state = state
        self._parameters = parameters
        self._key = np.uint64(key)
        self._in_layer = parameters.flight == "boundary layer"
        self._kernel: Any = boundary_layer if self._in_layer else saltation
        self._heap = cascade
        self._random = rng
        self._flying = particle
        self._fields = surface.fields
        shape = state.elevation.shape[0], state.elevation.shape[1]
        self._unit = parameters.feature_size * (
            1.0 if self._in_layer else parameters.vertical_scale
        )
        self._ground = in_unit(state, self._unit)
        self._plot = Plot(state, self._ground[..., 1], self._ground[..., 0])
        self._path = np.array(state.layers.get("wind_path", np.zeros(shape)), np.float32)
        self._track = np.zeros(shape, np.uint8)
        self._shade = np.zeros(shape) if parameters.shelter > 0 else None
        self._flows = np.zeros((*shape, surface.FLOWS)) if parameters.flow_maps else None
        self._shadow = WindShadow(shape, state.threads)
        self._masks = wind_shares(state, self._unit)
        self._sources = sources(state)
        self._particles = round(parameters.particles_per_cell * state.elevation.size)
        self._batch = max(1, round(max(shape) * PARTICLES_PER_SIDE))
        self._done = 0
        self._blowing = False
        self.limits = {
            "_done": (0, self._particles),
            "_track": (0, 1),
            "_shade": (-math.inf, LARGEST),
        }
        constants = (
            layer_constants(parameters, state, self._kernel)
            if self._in_layer
            else self._make_constants()
        )
        self._constants = constants._replace(
            patience=max(TURN_STEPS // self._batch, 1), **self._way_of_slides()
        )
        self._cover = cover(state, self._wet_hold())
        height = parameters.supply * state.elevation.size / self._unit
        self._supply = height / self._particles if self._particles else 0.0
        self._run = TileRun(
            shape,
            EDGES.index(state.edges),
            self._particles,
            saltation.NUMBERS,
            state.threads,
            side=TILE,
            rate=max(1, self._batch // PORTIONS),
            spans=particle.spans(shape[0], shape[1]),
        )
        self._totals = saltation.make_totals(self._run.tiles)

    def _make_constants(self) -> Any:
        """Constants of the kernel, such that the same land on finer cells is eroded alike."""
        # With cells of r feature sizes the time step is dt r, so that a step stays a share of a
        # cell. The amount lifted at a step grows with its depth, which falls with dt already. A
        # slide between cells levels a length that falls with r, in r² of the time, of which a
        # particle spends dt r there: hence the share of dt / r.
        parameters = self._parameters
        row_spacing, col_spacing = self._state.spacing
        size = parameters.feature_size
        ratio = self._state.cell_size / parameters.feature_size
        step = min(parameters.time_step * ratio, 0.5)
        hold = tan(math.radians(parameters.repose_angle)) / self._unit
        longer = longer_side(self._track.shape, self._state.spacing)
        # On level ground friction takes 1, and the wind gives back `response` of what is missing:
        # so slow is a creep.
        creeping = (
            step
            * size
            * parameters.wind_speed
            * max(parameters.response / (1 + parameters.response), 1e-3)
        )
        lee_fall = parameters.fallout + parameters.shelter * max(LEE_FALL - parameters.fallout, 0.0)
        return self._kernel.Constants(
            time_step=step,
            lift=parameters.time_step * parameters.suspension * parameters.pace,
            fall=min(step * parameters.fallout, 1.0),
            lee_fall=min(step * lee_fall, 1.0),
            abrasion=parameters.time_step * parameters.abrasion,
            gravity=step * parameters.gravity,
            pull=step * parameters.response,
            air_lift=step * parameters.air_lift,
            air_drag=step * parameters.air_drag,
            share=min(step * parameters.settling * parameters.pace / (ratio * ratio), 0.5),
            row_step=step * size / row_spacing,
            col_step=step * size / col_spacing,
            row_slope=self._unit / (2 * row_spacing),
            col_slope=self._unit / (2 * col_spacing),
            row_hold=hold * row_spacing,
            col_hold=hold * col_spacing,
            diagonal_hold=hold * cell_diagonal(self._state.spacing),
            shelter=parameters.shelter,
            maximum_steps=max(1, min(round(parameters.maximum_path * longer / creeping), 10**9)),
            edges=EDGES.index(self._state.edges),
        )

    def _way_of_slides(self) -> dict[str, Any]:
        """Whether heaps slide down the true slope, and the slope at which pairs of cells trigger
        the check.

        Of the eight directions to neighbors, the widest gap lies between a diagonal and the shorter
        side; the steepest descent is at most half of it away.
        """
        parameters = self._parameters
        spacing = self._state.spacing
        if parameters.slides == "pairs" or parameters.repose_angle == 0:
            return {"downhill": False, "watch": 1.0}
        return {
            "downhill": True,
            "watch": math.sqrt(0.5 * (1.0 + min(spacing) / cell_diagonal(spacing))),
        }

    def _wet_hold(self) -> float:
        """Force that wet sand withstands, in the kernel's unit."""
        parameters = self._parameters
        constants = self._constants
        if self._in_layer:
            return wet_hold(constants)
        return float(MOISTURE_THRESHOLD * constants.time_step / parameters.time_step)

    def advance(self) -> float:
        """Run some gusts, or a part of one; returns the share of particles done."""
        until = chunk_end()
        while self._done < self._particles:
            self._go_on(until)
            if time.perf_counter() >= until:
                break
        if self._done >= self._particles:
            return 1.0
        landed = self._run.started - self._run.under_way if self._blowing else self._done
        return min(landed / self._particles, 0.9999)

    def _go_on(self, until: float) -> None:
        """Continue a gust: cast its shadow, run its particles while time permits, apply their
        traces.
        """
        if not self._blowing:
            self._begin_gust()
        elif self._run.started < self._end or self._run.under_way:
            self._blow(until)
        else:
            self._end_gust()

    @property
    def _end(self) -> int:
        """Number of the first particle after the gust."""
        last: int = min(self._done + self._batch, self._particles)
        return last

    def _begin_gust(self) -> None:
        """Draw a direction, and cast its shadow."""
        parameters = self._parameters
        constants = self._constants
        if self._shade is not None:
            # In cells, as those may not be square; the shadow sinks by its angle on the way to the
            # next line of them.
            wind_row, wind_col = self._wind()
            rows = wind_row * constants.row_step
            cols = wind_col * constants.col_step
            speed = math.sqrt(wind_row * wind_row + wind_col * wind_col)
            way = speed * constants.time_step * parameters.feature_size / max(abs(rows), abs(cols))
            drop = way * tan(math.radians(SHELTER_ANGLE)) / self._unit
            self._shadow.cast(
                self._ground, self._shade, (rows, cols), drop, self._state.edges == "wrap"
            )
        self._track[:] = 0
        self._run.started = self._done
        self._blowing = True

    def _blow(self, until: float = math.inf) -> None:
        """Run the particles of the gust."""
        self._run.count = self._end
        self._run.turn(self._begin, self._work, until)

    def _begin(self, pool: Any, tiles: Any, first: int, last: int) -> None:
        """Begin a turn on the current ground."""
        self._update_shares()
        self._start(pool, tiles, first, last)

    def _update_shares(self) -> None:
        """Update the hardness of bare rock."""
        if self._masks is not None and self._state.hardness_changes:
            ground = ground_now(self._state, self._ground, self._unit)
            self._masks[...] = wind_shares(self._state, self._unit, ground)

    def _start(self, pool: Any, tiles: Any, first: int, last: int) -> None:
        self._kernel.start_particles(
            pool,
            tiles,
            self._sources,
            self._key,
            first,
            last,
            self._wind(),
            self._supply,
            self._constants,
        )

    def _work(self, worked: Array, tiles: Any, pool: Any) -> None:
        fields = self._fields(
            self._ground,
            self._track,
            cover=self._cover,
            shade=self._shade,
            flows=self._flows,
            masks=self._masks,
        )
        self._kernel.run_tiles(
            worked, tiles, pool, fields, self._wind(), self._constants, self._totals
        )

    def _end_gust(self) -> None:
        """End the gust: creep where particles touched the ground, and the running mean of
        contacts.
        """
        parameters = self._parameters
        wrap = self._state.edges == "wrap"
        ratio = self._state.cell_size / parameters.feature_size
        share = min(
            parameters.creep * parameters.pace / ratio * (self._end - self._done) / self._batch,
            0.25,
        )
        if share > 0:
            self._update_shares()
            self._run.sweep(
                lambda worked, tiles, _: self._heap.creep(
                    worked,
                    tiles,
                    self._ground,
                    self._track,
                    share,
                    self._masks,
                    wrap,
                    self._totals.slid,
                )
            )
        self._path *= np.float32(1 - PATH_RATE)
        np.add(self._path, np.float32(PATH_RATE), out=self._path, where=self._track.view(np.bool_))
        self._totals.exported[0] += self._clear(self._ground)
        self._done = self._end
        self._blowing = False

    def _clear(self, ground: Array) -> float:
        """Remove material that has slid onto a building plot; returns the amount."""
        return self._plot.clear(ground[..., 1], ground[..., 0])

    def rest(self) -> None:
        """Finish the current turn."""
        self._run.end_turn(self._begin, self._work)

    def drain(self) -> None:
        """Land all particles in flight within a few steps, without starting more."""
        if not self._blowing:
            return
        self.rest()
        self._particles = self._run.started
        self._constants = self._flying.land(self._run.pool, self._constants)
        while self._run.under_way:
            self._blow()
        self._end_gust()

    def _settled(self) -> tuple[Array, float]:
        """Ground with the load of all particles deposited where they are, and the volume that masks
        prevent.
        """
        self.rest()
        if not self._run.under_way:
            return self._ground, 0.0
        ground = self._ground.copy()
        rest: float = self._flying.lay_down(self._run.pool, ground, self._masks)
        return ground, rest + self._clear(ground)

    def _wind(self) -> tuple[float, float]:
        """Velocity (row, col) of the gust's wind."""
        return self._gust(self._done // self._batch)

    def _gust(self, number: int) -> tuple[float, float]:
        """Velocity (row, col) of a gust: a wind drawn from the rose by weight, with a random
        deviation.
        """
        parameters = self._parameters
        start = np.uint64(self._random.stream(self._key ^ np.uint64(DIRECTION_SALT), number))
        chances = [self._random.uniform(start, draw) for draw in range(4)]
        direction = drawn_wind(parameters.direction, parameters.wind_rose, chances[0])
        sine, cosine = sincos(math.radians(direction + turned(parameters.gustiness, chances[1:])))
        speed = 1.0 if self._in_layer else parameters.wind_speed
        return float(speed * sine), float(speed * cosine)

    def layers(self) -> dict[str, Array]:
        layers = solid_layers(self._state, self._settled()[0], self._unit) | self._maps()
        return layers | {"wind_path": self._path.copy()}

    def release(self) -> dict[str, Array]:
        """`layers` at the end of the step, without temporary arrays."""
        self._shade = self._cover = self._masks = None
        return solid_layers(self._state, self._settled()[0], self._unit) | self._maps()

    def _maps(self) -> dict[str, Array]:
        """Fields of the wind."""
        return {"wind_path": self._path} | (
            {} if self._flows is None else self._flow_maps(self._flows)
        )

    def _flow_maps(self, flows: Array) -> dict[str, Array]:
        """Velocity of the wind near the ground as a share of the free wind, and sand carried (m³
        per m of width).
        """
        row_spacing, col_spacing = self._state.spacing
        speed = 1.0 if self._in_layer else self._parameters.wind_speed
        meters = self._unit * np.array([col_spacing, row_spacing])
        return {
            "sand_flow": (flows[..., :2] * meters).astype(np.float32),
            "wind_flow": (flows[..., 2:4] / np.maximum(speed * flows[..., 4:], 1e-9)).astype(
                np.float32
            ),
        }

    def elevation(self) -> Array:
        """Current surface for display (m), without airborne sand."""
        return solid_layers(self._state, self._ground, self._unit)["elevation"]

    def _volume(self, total: Array | float) -> float:
        """A total of the kernel in m³."""
        return float(np.sum(total)) * self._unit * self._state.spacing[0] * self._state.spacing[1]

    def volumes(self) -> Volumes:
        """Volumes of solid material moved so far; sand supplied by the wind has no source."""
        rest = self._settled()[1]
        totals = self._totals
        sum_moved = self._volume(totals.lifted + totals.slid)
        exported = self._volume(totals.exported) + self._volume(rest)
        return Volumes(sum_moved, exported, self._volume(totals.supplied))

    def counts(self, seconds: float) -> dict[str, Any]:
        """Entries for the report; volumes in m³. seconds: of work so far."""
        totals = self._totals
        count = self._done
        return {
            "particles": count,
            "particles_per_second": count / seconds if seconds > 0 else 0.0,
            "mean_steps": float(totals.steps.sum()) / count if count else 0.0,
            "aged": int(totals.aged.sum()),
            "lifted": self._volume(totals.lifted),
            "slid": self._volume(totals.slid),
            "abraded": self._volume(totals.abraded),
            "supplied": self._volume(totals.supplied),
        }
