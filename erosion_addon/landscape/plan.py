# SPDX-License-Identifier: GPL-3.0-or-later
"""Plan of an erosion: which steps run on the landscape as a whole, which on tiles, and how tiles
overlap.

Features across the whole land, above all rivers, are eroded once on coarse cells. Tiles add finer
detail. Each tile runs on its cells and a halo, with a share that falls to 0 across the halo while
that of its neighbor rises: the shares add up to 1 everywhere. Tiles of one color do not touch; a
tile of a later color begins with what those of the earlier ones have left. So gullies go on over
the borders, and no order of work shows.
"""

import hashlib
import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..base.arrays import Array, longer_side, mean_cell_size
from ..base.errors import InputError
from ..grid.sampling import smoother_step
from ..processes.registry import PROCESSES
from ..processes.shared.process import Part, Process, Proportion
from ..recipe.recipe import EDGE_CHOICE, Recipe, Step
from ..run.preview import fitted
from ..terrain.fields import RISE
from .storage.folder import Landscape, Tile, Window
from .storage.manifest import HALO, MASK, MASKS, START, Erosion

COARSE = 1024
"""Cells along the longer side of the terrain that is eroded as a whole, unless something else is
asked for.
"""

RIM = 8
"""Width of the halo as a multiple of that of its rim, on which a tile changes nothing: processes
lower the edge of their window, and coarser cells spread this effect.
"""

COLORS = 4

NEAR = 2**0.5
"""Coarse cells per finest channel up to which they can hold it: it is nearer to one of them than to
a half.
"""


def order(
    landscape: Landscape, recipe: Recipe, seed: int | None, edges: str | None, coarse: int
) -> Erosion:
    """Erosion of a landscape by a recipe; InputError for a recipe that tiles cannot run."""
    if edges is None:
        edges = "open" if recipe.edges == "wrap" else recipe.edges
    elif EDGE_CHOICE.checked(edges) == "wrap":
        raise InputError("The edges of a landscape cannot wrap; choose --edges open or closed.")
    if not any(step.enabled for step in recipe.steps):
        raise InputError(f"All steps of the recipe {recipe.name} are switched off; switch one on.")
    mask_names = {mask for step in recipe.steps if step.enabled for mask in step.masks.values()}
    if missing := sorted(mask for mask in mask_names if not landscape.has(MASK + mask)):
        way = f"make it with --mask {missing[0]}=FILE, or take" if missing[0] in MASKS else "take"
        raise InputError(
            f"A step names the mask {missing[0]}, which the landscape does not have; {way} it out."
        )
    least = min(min(landscape.window(tile).shape) for tile in landscape.tiles())
    recipe = recipe.scaled_to(longer_side(landscape.shape, landscape.manifest.spacing))
    tables = json.loads(json.dumps(recipe.to_dict()))  # as the manifest's file gives them back
    return Erosion(tables, recipe.seed if seed is None else seed, edges, coarse, least // HALO)


def start_of(landscape: Landscape) -> dict[str, dict[str, str]]:
    """Layers before erosion, and masks: layer → tile → SHA-256."""
    return {
        name: tiles
        for name, tiles in landscape.manifest.layers.items()
        if name.startswith((START, MASK))
    }


@dataclass(frozen=True)
class Plan:
    """Erosion of one landscape."""

    landscape: Landscape
    erosion: Erosion

    @cached_property
    def recipe(self) -> Recipe:
        """The whole recipe."""
        return Recipe.from_dict(self.erosion.recipe)

    @cached_property
    def key(self) -> str:
        """Hash of all that the files of tasks follow from, but for the version."""
        manifest = self.landscape.manifest
        grid = [manifest.rows, manifest.cols, manifest.tile, list(manifest.spacing)]
        text = json.dumps([grid, asdict(self.erosion), start_of(self.landscape)], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def factor(self) -> int:
        """Cells of the landscape along a coarse cell."""
        return -(-max(self.landscape.shape) // self.erosion.coarse)

    @property
    def coarse_shape(self) -> tuple[int, int]:
        """Coarse (rows, cols)."""
        rows, cols = (-(-side // self.factor) for side in self.landscape.shape)
        return rows, cols

    @property
    def coarse_spacing(self) -> tuple[float, float]:
        """Coarse (row, column) spacing, m."""
        rows, cols = self.landscape.manifest.spacing
        return rows * self.factor, cols * self.factor

    def coarse_recipe(self) -> Recipe | None:
        """Steps on the landscape as a whole; all of them where its cells are not coarser."""
        if self.factor == 1:
            return self.recipe
        recipe = self._of(lambda process: process.moves_ground and process.tiling.scope != "tile")
        return recipe and self.on_coarse_cells(recipe)

    def tile_recipe(self) -> Recipe | None:
        """Steps on tiles that move ground; None if there are none."""
        return self._of(lambda process: process.moves_ground, on_tiles=True)

    def stream_recipe(self) -> Recipe | None:
        """Steps on tiles that streams enter from beyond them, which coarse cells measure; None if
        there are none.
        """
        recipe = self._of(lambda process: process.tiling.measuring is not None, on_tiles=True)
        return recipe and self.on_coarse_cells(recipe.with_parameters(self._measuring))

    def _measuring(self, step: Step) -> Any:
        measuring = PROCESSES[step.kind].tiling.measuring
        return measuring and measuring(step.parameters, self.factor)

    def cover_recipe(self) -> Recipe | None:
        """Steps on tiles that cover the finished ground, such as snow; None if there are none."""
        return self._of(lambda process: not process.moves_ground, on_tiles=True)

    def on_coarse_cells(self, recipe: Recipe) -> Recipe:
        """A recipe with its effect on coarse cells."""
        spacing = self.landscape.manifest.spacing
        rows, cols = (side * self.factor for side in self.coarse_shape)
        fine = mean_cell_size(spacing)
        coarse = mean_cell_size(self.coarse_spacing)
        recipe = fitted(recipe, longer_side(self.landscape.shape, spacing), fine, coarse)
        return recipe.around(self.part(Window(0, rows, 0, cols)).middle)

    @staticmethod
    def on_land(recipe: Recipe, heights: Array) -> Recipe:
        """Recipe with land-relative parameters (snow line, water level) resolved for the whole
        land. heights: on coarse cells, m.
        """
        return recipe.with_parameters(
            lambda step: PROCESSES[step.kind].tiling.on_land(step.parameters, heights)
        )

    def recipe_on(self, tile: Tile, recipe: Recipe) -> Recipe:
        """A recipe of tiles with its effect on the land, on the window of one tile."""
        part = self.part(self.window(tile))

        def there(step: Step) -> Any:
            process = PROCESSES[step.kind]
            return process.tiling.on_tile(process.tiling.on_part(step.parameters, part))

        return recipe.with_parameters(there).around(part.middle)

    def left_coarsely(self) -> list[str]:
        """Fields that tiles take from the coarse cells, because they do not repeat their steps."""
        steps = [step for step in self.recipe.steps if step.enabled and self._done_coarsely(step)]
        written = {field for step in steps for field in PROCESSES[step.kind].writes}
        return [] if self.factor == 1 else sorted(written - {RISE, "surface_color"})

    def _of(self, selects: Callable[[Process], bool], on_tiles: bool = False) -> Recipe | None:
        """Steps of processes that are wanted. on_tiles: those alone that coarse cells have not
        done.
        """
        steps = tuple(
            step
            for step in self.recipe.steps
            if step.enabled
            and selects(PROCESSES[step.kind])
            and not (on_tiles and self._done_coarsely(step))
        )
        return replace(self.recipe, steps=steps) if steps else None

    def _done_coarsely(self, step: Step) -> bool:
        """Whether coarse cells resolve all forms of a step, so that tiles need not repeat it."""
        process = PROCESSES[step.kind]
        if self.factor == 1 or process.tiling.scope == "whole":
            return True
        finest = process.tiling.finest(
            step.parameters, self.landscape.shape, self.landscape.manifest.spacing
        )
        return process.tiling.scope == "both" and max(self.coarse_spacing) < NEAR * finest

    def proportions(self) -> dict[str, Proportion]:
        """Fields that go by the drops on tiles, see `Tiling.proportions`; the last step that
        writes them counts.
        """
        recipe = self.tile_recipe()
        proportions = dict[str, Proportion | None]()
        for step in recipe.steps if recipe else ():
            process = PROCESSES[step.kind]
            proportions |= {name: process.tiling.proportions.get(name) for name in process.writes}
        return {name: way for name, way in proportions.items() if way is not None}

    def notes(self) -> list[str]:
        """Notes on differences from the erosion of a terrain in one piece."""
        sentences = [self._springs_on_tiles()]
        if self.recipe.edges == "wrap":
            edges = self.erosion.edges
            sentences.append(
                f"{self.recipe.name} wraps at the edges, which a landscape cannot: they are "
                f"{edges}."
            )
        return [sentence for sentence in sentences if sentence]

    def _springs_on_tiles(self) -> str:
        """A sentence on springs whose drops end at the halo of their tile; "" if there are none."""
        recipe = self.tile_recipe()
        if recipe:
            springs = [step for step in recipe.steps if getattr(step.parameters, "springs", ())]
        else:
            springs = []
        steps = [step.kind for step in springs if not self.takes_streams(step)]
        if not steps or self.factor == 1:
            return ""
        reach = self.erosion.halo * max(self.landscape.manifest.spacing)
        return (
            f"Springs of the step {PROCESSES[steps[0]].label} reach {reach:.4g} m beyond their "
            "tile; their rivers end there. Larger tiles reach farther."
        )

    @staticmethod
    def is_of_drops(step: Step) -> bool:
        """Whether a step erodes by single drops."""
        return PROCESSES[step.kind].work[1] == "drops"

    @staticmethod
    def has_coarse_rivers(step: Step) -> bool:
        """Whether rivers of the coarse cells enter and leave tiles in a step."""
        return PROCESSES[step.kind].tiling.scope == "both" and not Plan.is_of_drops(step)

    @staticmethod
    def takes_streams(step: Step) -> bool:
        """Whether streams enter tiles in a step."""
        return PROCESSES[step.kind].tiling.measuring is not None

    def has_rivers_across_tiles(self) -> bool:
        """Whether a step on tiles has rivers that enter from beyond them."""
        recipe = self.tile_recipe()
        return (
            self.factor > 1
            and recipe is not None
            and any(map(self.has_coarse_rivers, recipe.steps))
        )

    def seed_of(self, tile: Tile) -> int:
        """Seed of a tile's run."""
        text = f"{self.erosion.seed} {tile.x} {tile.y}"
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1

    @staticmethod
    def color_of(tile: Tile) -> int:
        """Color of a tile, from 0: tiles of one color never touch."""
        return 2 * (tile.y % 2) + tile.x % 2

    def window(self, tile: Tile) -> Window:
        """A tile's cells with its halo."""
        window = self.landscape.window(tile)
        halo = self.erosion.halo
        rows, cols = self.landscape.counts
        down, right = self.landscape.shape
        return Window(
            window.top - halo if tile.y else 0,
            window.bottom + halo if tile.y + 1 < rows else down,
            window.left - halo if tile.x else 0,
            window.right + halo if tile.x + 1 < cols else right,
        )

    def part(self, window: Window) -> Part:
        """A window as a part of the landscape."""
        spacing = self.landscape.manifest.spacing
        return Part(self.landscape.shape, spacing, window.top, window.left, *window.shape)

    def weight(self, tile: Tile) -> Array:
        """Share (rows, cols) of a tile in each cell of its window; the shares of all tiles add up
        to 1.
        """
        along, across = self._ramps(tile)
        return along[:, None] * across

    def mean_weight(self, tile: Tile) -> float:
        """Mean of `weight`."""
        along, across = self._ramps(tile)
        return math.fsum(along) * math.fsum(across) / (len(along) * len(across))

    def _ramps(self, tile: Tile) -> tuple[Array, Array]:
        """Factors of a tile's share along its rows and columns."""
        window = self.landscape.window(tile)
        rows, cols = self.landscape.counts
        along = self._ramp(window.top, window.bottom, tile.y > 0, tile.y + 1 < rows)
        return along, self._ramp(window.left, window.right, tile.x > 0, tile.x + 1 < cols)

    def _ramp(self, first: int, end: int, before: bool, after: bool) -> Array:
        halo = self.erosion.halo
        reach = halo - halo // RIM
        cells = np.arange(first - halo * before, end + halo * after) + 0.5
        rise = smoother_step(cells, first - reach, first + reach) if before else np.ones(len(cells))
        fall = smoother_step(cells, end - reach, end + reach) if after else np.zeros(len(cells))
        return np.asarray(rise * (1.0 - fall))

    def around(self, window: Window) -> list[Tile]:
        """Tiles whose windows meet a window, earlier colors first."""
        near = [tile for tile in self.landscape.tiles() if self.window(tile).meet(window)]
        return sorted(near, key=lambda tile: (self.color_of(tile), tile.y, tile.x))
