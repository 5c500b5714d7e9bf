# SPDX-License-Identifier: GPL-3.0-or-later
"""Water step: conversion from hours and millimeters to the kernels' time steps and back."""

import math
from typing import Any

import numpy as np

from ...base.arrays import EDGES, Array
from ...base.errors import InputError
from ...base.kernels.elementary import expm1, sincos, tan
from ...terrain.masks import GRASS_PROTECTION
from ..shared.shares import Ground, Plot
from ..shared.state import Pace, State, Step, Volumes
from ..shared.streams import slice_of, steps_in
from ..shared.tile_scheduler import Bands
from .parameters import FRICTION, MOST_SUB_STEPS, SLIDING, WaterParameters, longest_step
from .start import HOUR, layer, masks, salt_ground, sources, water_level, whole_meters

FRESH = 2.0
"""Meters of soil gained or lost per hour above which nothing grows."""

GRASS_SLOPE = 1.0
"""Slope in m/m at which grass ends; it thins toward it."""

LOOK = 8
"""Time steps between updates of the hardness of bare rock."""

WORKED_ON = ("elevation", "suspended", "moisture", "grass", "flow")
"""Fields whose arrays the step changes in place."""


class WaterStep(Step):
    """Water step.

    key: uint64 that the clouds are drawn from. Raises InputError where the parameters do not fit
    the terrain.
    """

    bytes_per_cell = 8 * 4 + 4 * 2 + 4 * 4 + 4 * 2
    """Working memory: bed, soil, depth, load; fluxes; moisture, grass, flow, slope; rain and
    clouds.
    """

    evolving: tuple[str, ...] = (
        "_bed",
        "_soil",
        "_depth",
        "_suspended",
        "_flux_x",
        "_flux_y",
        "_moisture",
        "_grass",
        "_flow",
        "_totals",
        "_sums",
        "_raised",
        "_rained",
        "_done",
        "_reference",
    )

    later = ("_reference",)

    def __init__(self, state: State, parameters: WaterParameters, key: int) -> None:

        from .kernels import bed, flow, level_slopes, rain, speed

        if parameters.standing_water == "edges" and state.edges != "open":
            raise InputError(
                "standing_water is edges, but the edges are {edges}: set the edges to open."
            ).format(edges=state.edges)
        self._state = state
        self._parameters = parameters
        self._water = flow
        self._grounds = bed
        self._speeds = speed
        self._fill_slopes = level_slopes.fill_slopes
        rows, cols = shape = state.elevation.shape
        self._steps = round(parameters.duration * HOUR / parameters.time_step)
        self._done = 0
        self._pace = Pace(1)
        self.limits = {"_done": (0, self._steps), "_masks": (0, 1)}
        if state.masks_change:
            self.evolving = (*self.evolving, "_masks")
        self._salt = salt_ground(state.elevation, parameters)
        self._bed = state.elevation.copy()
        self._soil = state.loose().copy()
        self._depth = layer(state, "water_depth", np.float64)
        self._suspended = layer(state, "suspended", np.float64)
        self._moisture, self._grass = (layer(state, name) for name in ("moisture", "grass"))
        self._flow = np.zeros(shape, np.float32)
        self._steep = np.empty(shape, np.float32)
        self._flux_x = np.zeros((rows, cols + 1), np.float32)
        self._flux_y = np.zeros((rows + 1, cols), np.float32)
        if "velocity" in state.layers:
            self._set_fluxes(state.layers["velocity"])
        self._clouds = None
        if parameters.cloud_cover > 0.0:
            self._clouds = np.empty(shape, np.float32)
            down, right = (
                max(1, round(count * spacing / parameters.cloud_size))
                for count, spacing in zip(shape, state.spacing, strict=True)
            )
            rain.fill_clouds(np.uint64(key), down, right, parameters.cloud_cover, self._clouds)
        self._rain = np.empty(shape, np.float32)
        self._rain_at: tuple[int, int] | None = None
        # m, which come as rain, evenly over the whole duration
        self._melt = state.layers.get("meltwater")
        self._rain_sum = self._raised = self._rained = 0.0
        self._start_level = water_level(state.elevation, parameters)
        self._reference = 0.0
        self._sources = sources(state, parameters)
        self._place_springs()
        self._masks = masks(state)
        self._plot = Plot(state, self._soil, self._bed)
        self._make_constants()
        if parameters.standing_water != "none":
            self._fill_up()
        self._start = self._stored()

    def _set_fluxes(self, velocity: Array) -> None:
        """Initialize the fluxes of moving water: means of the cells on both sides; none through the
        edges.
        """
        through = velocity * self._depth[..., None].astype(np.float32)
        half = np.float32(0.5)
        self._flux_x[:, 1:-1] = half * (through[:, 1:, 0] + through[:, :-1, 0])
        self._flux_y[1:-1] = half * (through[1:, :, 1] + through[:-1, :, 1])

    def _place_springs(self) -> None:
        """Order springs and streams by their cells, as kernels want them."""
        streams = self._state.streams
        cells, _ = self._sources
        if streams:
            cells = np.concatenate([cells, streams.cells])
        self._spring_order = np.argsort(cells, kind="stable")
        self._spring_cells = cells[self._spring_order]
        rows, cols = self._state.elevation.shape
        self._spring_firsts = self._water.by_row(self._spring_cells, (rows, cols))

    def _make_constants(self) -> None:
        parameters = self._parameters
        state = self._state
        row_spacing, col_spacing = state.spacing
        seconds = parameters.time_step
        f = np.float32
        edges = EDGES.index(state.edges)
        longest = longest_step(row_spacing, col_spacing, parameters.gravity, parameters.pipe_depth)
        self._sub_steps = parameters.sub_steps(state.spacing)
        if self._sub_steps > MOST_SUB_STEPS:
            raise InputError(
                "Water needs {sub_steps:,} steps of {longest:.2g} s in a time step of {seconds:g} "
                "s: make time_step or pipe_depth smaller, or the cells larger."
            ).format(sub_steps=self._sub_steps, longest=longest, seconds=seconds)
        self._sub_step = sub = seconds / self._sub_steps
        self._pipes = self._water.Pipes(
            seconds=f(sub),
            push_row=f(parameters.gravity * sub / row_spacing),
            push_col=f(parameters.gravity * sub / col_spacing),
            row_steepness=f(1 / row_spacing),
            col_steepness=f(1 / col_spacing),
            gravity=f(parameters.gravity),
            friction=f(FRICTION),
            depth=f(parameters.pipe_depth),
            row_share=sub / row_spacing,
            col_share=sub / col_spacing,
            edges=edges,
        )

        def share(rate: float, unit: float) -> Any:
            """Share per time step of a process with a `rate` per unit of time."""
            return f(-expm1(-rate * seconds / unit))

        self._ground = self._grounds.Ground(
            seconds=f(seconds),
            row_spacing=f(row_spacing),
            col_spacing=f(col_spacing),
            evaporation=f(parameters.evaporation / 1000 / HOUR * seconds),
            capacity=f(parameters.capacity),
            minimum_tilt=f(parameters.minimum_tilt),
            pick_up=share(parameters.pick_up, 60),
            settle=share(parameters.settling, 60),
            rock=f(parameters.rock_erosion / HOUR * seconds),
            repose=f(tan(math.radians(parameters.slide_angle))),
            bank=f(parameters.bank_erosion * parameters.rock_erosion / HOUR * seconds),
            slide=f(0.125) * share(SLIDING, 60),
            dry=f(1) - share(parameters.drying, HOUR),
            grow=share(parameters.grass_growth, HOUR),
            die=share(10 * parameters.grass_growth, HOUR),
            fresh=f(FRESH / HOUR * seconds),
            grass_slope=f(GRASS_SLOPE),
            protection=f(GRASS_PROTECTION),
            gravity=f(parameters.gravity),
            edges=edges,
        )
        rows, cols = state.elevation.shape
        self._totals = self._water.make_totals(rows)
        self._sums = self._grounds.make_sums(rows)
        self._bands = Bands((rows, cols), state.threads)
        # Of each kind the seams, and the rows of each band.
        self._work = [
            (
                kind.make_seams(self._bands.count, cols),
                [kind.make_rows(cols) for _ in range(self._bands.count)],
            )
            for kind in (self._water, self._grounds)
        ]

    def advance(self) -> float:
        """Run one chunk of time steps; returns the share done."""
        self._done = self._pace.run(self._run_steps)
        return self._done / self._steps if self._steps else 1.0

    def _run_steps(self, size: int) -> int:
        last = min(self._done + size, self._steps)
        if self._done == 0:
            # Far above or below 0 the last digits of a level would be too coarse for thin water.
            self._reference = whole_meters(self._bed)
            self._bed -= self._reference
        while self._done < last:
            self._one_step()
            self._done += 1
        return last

    def _one_step(self) -> None:
        self._update_shares()
        if self._parameters.standing_water == "everywhere":
            self._raised += self._fill_up()
        self._cloud_rain()
        level = -math.inf if self._parameters.standing_water == "none" else self._level()
        rates = self._sources[1]
        self._run_water(
            self._beyond(level), self._let_in(rates)[self._spring_order] * self._sub_step
        )
        self._measure()
        self._run_ground()
        self._totals.exported[0] += self._plot.clear(self._soil, self._bed, lowered=self._reference)
        seconds = float(self._ground.seconds)
        self._rained += self._rain_sum * seconds + float(rates.sum()) * self._parameters.time_step

    def _update_shares(self) -> None:
        """Update the factors of erosion and deposition for the current ground."""
        state = self._state
        every = self._state.passes_between_looks(LOOK)
        if every and self._done % every == 0:
            self._masks[...] = masks(state, Ground(self._bed + self._reference, self._soil))

    def _let_in(self, rates: Array) -> Array:
        """Inflow (m/s) of springs and streams, whose load for the time step goes in at once."""
        streams = self._state.streams
        if not streams:
            return rates
        at = slice_of(self._done, self._steps, len(streams.water))
        area = self._area()
        np.add.at(
            self._suspended.reshape(-1),
            streams.cells,
            streams.load[at] * (self._parameters.time_step / area),
        )
        return np.concatenate([rates, streams.water[at] / area])

    def _beyond(self, level: float) -> Any:
        """Levels beyond the edges. level: of open ones."""
        rows, cols = self._state.elevation.shape
        beyond = self._water.make_beyond((rows, cols), level)
        if streams := self._state.streams:
            for levels, walls in zip(beyond, streams.walls, strict=True):
                levels[walls] = math.inf
        return beyond

    def _measure(self) -> None:
        """Let gauges read the water as it runs."""
        if gauges := self._state.gauges:
            at = slice_of(self._done, self._steps, gauges.slices)
            share = 1.0 / steps_in(at, self._steps, gauges.slices)
            gauges.read(
                at,
                share,
                self._depth,
                self._suspended,
                (self._flux_x, self._flux_y),
                self._state.spacing,
            )

    def _run_water(self, beyond: Any, spring_depths: Array) -> None:
        """Run the water for a time step. beyond: see `_beyond`; spring_depths: m per sub-step."""
        kernels = self._water
        bands = self._bands
        seams, work = self._work[0]
        starts = bands.starts
        pipes = self._pipes
        totals = self._totals
        bands.sweep(
            lambda at, _: self._fill_slopes(
                self._bed, self._depth, starts[at], starts[at + 1], self._steep, work[at], pipes
            )
        )
        springs = self._spring_firsts, self._spring_cells, spring_depths
        maps = kernels.Maps(
            self._bed, self._steep, self._depth, self._suspended, self._flux_x, self._flux_y, beyond
        )
        if bands.count == 1:
            kernels.run_water(maps, springs, self._sub_steps, starts, seams, work[0], pipes, totals)
            return

        def visit(steps: int) -> None:
            bands.run(
                lambda seam, thread: kernels.fill_seam(
                    maps, springs, starts[seam], steps, seam, seams, work[thread], pipes
                ),
                lambda band, thread: kernels.sweep(
                    maps,
                    springs,
                    starts[band],
                    starts[band + 1],
                    steps,
                    band,
                    seams,
                    work[thread],
                    pipes,
                    totals,
                ),
            )

        for number in range(0, self._sub_steps, kernels.VISIT):
            visit(min(kernels.VISIT, self._sub_steps - number))

    def _run_ground(self) -> None:
        """Update the ground for a time step."""
        kernels = self._grounds
        starts = self._bands.starts
        seams, work = self._work[1]
        ground = self._ground
        maps = kernels.Maps(
            bed=self._bed,
            soil=self._soil,
            depth=self._depth,
            suspended=self._suspended,
            flux_x=self._flux_x,
            flux_y=self._flux_y,
            moisture=self._moisture,
            grass=self._grass,
            flow=self._flow,
            rain=self._rain,
            masks=self._masks,
        )
        self._bands.run(
            lambda seam, thread: kernels.fill_seam(
                maps, starts[seam], seam, seams, work[thread], ground
            ),
            lambda band, thread: kernels.sweep(
                maps, starts[band], starts[band + 1], band, seams, work[thread], ground, self._sums
            ),
        )
        if self._salt is not None:
            self._grass[self._salt] = 0.0

    def _level(self) -> float:
        """Level of standing water in meters above the reference."""
        return self._start_level - self._reference

    def _fill_up(self) -> float:
        """Fill everything below the level, in meters of water; the load takes up space."""
        filled = np.maximum(self._level() - self._bed - self._suspended, self._depth)
        gained = float(np.sum(filled - self._depth))
        self._depth[:] = filled
        return gained

    def _clouds_at(self, step: int) -> tuple[int, int]:
        """Drift of the clouds at a time step, (rows, columns)."""
        parameters = self._parameters
        rows, cols = self._state.elevation.shape
        way = parameters.wind_speed * parameters.time_step * step
        sine, cosine = sincos(math.radians(parameters.wind_direction))
        row_spacing, col_spacing = self._state.spacing
        return round(way * sine / row_spacing) % rows, round(way * cosine / col_spacing) % cols

    def _cloud_rain(self) -> None:
        """Current rain in m/s, updated when the clouds have drifted by a cell."""
        parameters = self._parameters
        at = self._clouds_at(self._done)
        if self._rain_at is not None and (self._clouds is None or at == self._rain_at):
            return
        self._rain_at = at
        self._rain[:] = parameters.rain / 1000 / HOUR
        if self._clouds is not None:
            self._rain *= np.roll(self._clouds, at, (0, 1))
        relative = self._state.relative_rain
        if relative is not None:
            self._rain *= relative
        if "rainfall" in self._state.masks:
            self._rain *= self._state.masks["rainfall"]
        if self._melt is not None:
            self._rain += self._melt / (self._steps * parameters.time_step)
        self._rain_sum = float(np.sum(self._rain, dtype=np.float64))

    def elevation(self) -> Array:
        return self._bed + self._reference if self._reference else self._bed

    def water_depth(self) -> Array:
        """Depth of the water to look at (m)."""
        return self._depth

    def layers(self) -> dict[str, Array]:
        layers = self._layers(self._soil.copy())
        return layers | {name: layers[name].copy() for name in WORKED_ON}

    def release(self) -> dict[str, Array]:
        """`layers` without copies, at the end of the step."""
        layers = self._layers(self._soil)
        del (
            self._soil,
            self._depth,
            self._flux_x,
            self._flux_y,
            self._steep,
            self._rain,
            self._clouds,
        )
        return layers

    def _layers(self, soil: Array) -> dict[str, Array]:
        """Fields changed in place as they are, the others as new arrays."""
        velocity = np.empty((*self._bed.shape, 2), np.float32)
        self._speeds.fill_velocity(
            self._depth, self._flux_x, self._flux_y, self._ground.gravity, velocity
        )
        layers = {
            "elevation": self._bed + self._reference if self._reference else self._bed,
            "water_depth": self._depth.astype(np.float32),
            "velocity": velocity,
            "suspended": self._suspended,
            "moisture": self._moisture
            if self._salt is None
            else np.where(self._salt, np.float32(0.0), self._moisture),
            "grass": self._grass,
            "flow": self._flow,
        }
        if self._clouds is not None:
            layers["clouds"] = np.roll(
                self._clouds, self._clouds_at(max(self._done - 1, 0)), (0, 1)
            )
        if self._melt is not None:
            layers["meltwater"] = self._melt * (1.0 - self._done / max(self._steps, 1))
        return layers | self._state.split_loose(soil, name="soil")

    def _stored(self) -> float:
        return float(np.sum(self._depth))

    def _area(self) -> float:
        row_spacing, col_spacing = self._state.spacing
        return row_spacing * col_spacing

    def _entered(self) -> tuple[float, float]:
        """Water and load of streams so far, m³."""
        streams = self._state.streams
        return (
            streams.entered(self._done, self._steps, self._parameters.time_step)
            if streams
            else (0.0, 0.0)
        )

    def volumes(self) -> Volumes:
        """Volumes of solid material moved so far; sliding counts as moved, and the load of streams
        as added.
        """
        area = self._area()
        totals, exported = (
            float(np.sum(part)) * area for part in (self._sums.moved, self._totals.exported)
        )
        return Volumes(totals, exported, self._entered()[1])

    def counts(self, seconds: float) -> dict[str, Any]:
        """The step's entries in the report. Water in m³: stored = started + rain + inflow -
        evaporation - outflow.
        """
        area = self._area()
        totals = self._totals
        return {
            "water_steps": self._done,
            "sub_steps": self._sub_steps,
            "time_step": self._sub_step,
            "started": self._start * area,
            "rain": self._rained * area,
            "inflow": (float(np.sum(totals.inflow)) + self._raised) * area + self._entered()[0],
            "evaporation": float(np.sum(self._sums.evaporated)) * area,
            "outflow": float(np.sum(totals.outflow)) * area,
            "stored": self._stored() * area,
            "cells_per_second": self._done * self._sub_steps * self._bed.size / seconds
            if seconds > 0
            else 0.0,
        }
