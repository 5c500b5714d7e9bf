# SPDX-License-Identifier: GPL-3.0-or-later
"""Start terrains: the kinds, and their construction."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..base.arrays import Array
from ..base.errors import InputError
from ..base.memory import require
from ..base.parameters import Parameters
from ..files.image_files import ImageFiles
from ..grid.smooth_step import smooth_step
from ..recipe.recipe import SEED
from ..terrain.terrain import SMALLEST_SIDE, Terrain
from . import landscapes, noise, shapes
from .canvas import Canvas

LARGEST_SIDE = 65536
"""Cells along a side. A larger number is probably a typing error."""

BYTES_PER_CELL = 130
"""Peak memory of a generator: spectra and their transforms, with margins; measured."""


class Source(NamedTuple):
    """One kind of start terrain: label, parameters, and the function that makes the surface and the loose thickness,
    both (rows, cols) m, on a canvas. recipe: one that suits it.
    """

    kind: str
    label: str
    parameters: type[Parameters]
    elevation: Callable[[Canvas, Any], Array]
    sediment: Callable[[Canvas, Any], Array] | None = None
    recipe: str = "alpine"

    @property
    def about(self) -> str:
        """Description in one sentence."""
        return " ".join((self.parameters.__doc__ or "").split())


SOURCES: dict[str, Source] = {
    source.kind: source
    for source in (
        Source("voronoi", "Peaks and Valleys", landscapes.VoronoiParameters, landscapes.voronoi),
        Source("ridged", "Ridged Mountains", landscapes.RidgedParameters, landscapes.ridged),
        Source("fractal", "Fractal Hills", landscapes.FractalParameters, landscapes.fractal),
        Source("faults", "Faults", landscapes.FaultsParameters, landscapes.faults),
        Source("bumps", "Bumps", landscapes.BumpsParameters, landscapes.bumps),
        Source("sand", "Sand Field", landscapes.SandParameters, landscapes.sand, landscapes.sand, "dune sea"),
        Source("plane", "Slope", shapes.PlaneParameters, shapes.plane),
        Source("cone", "Cone", shapes.ConeParameters, shapes.cone),
        Source("pyramid", "Step Pyramid", shapes.PyramidParameters, shapes.pyramid),
        Source("box", "Box", shapes.BoxParameters, shapes.box),
        Source("letters", "Letters", shapes.LettersParameters, shapes.letters),
        Source(
            "pyramid_in_sand",
            "Pyramid in Sand",
            shapes.PyramidInSandParameters,
            shapes.pyramid_in_sand,
            shapes.sand_around,
            "barchan field",
        ),
        Source("blocks", "Tilted Blocks", landscapes.BlocksParameters, landscapes.blocks, recipe="desert range"),
    )
}


def make(
    kind: str,
    rows: int,
    cols: int,
    cell_size: float | tuple[float, float] = 1.0,
    seed: int = 0,
    values: Mapping[str, Any] | None = None,
    image_files: ImageFiles | None = None,
) -> Terrain:
    """Start terrain of the given kind; the same bytes for the same arguments.

    values: parameters by name, see `SOURCES[kind].parameters`. cell_size: meters, or (row, column) spacing.
    image_files:
    reader of an image parameter. Loose material goes into the field "sediment". Raises InputError for an unknown kind
    or parameter, and for an invalid size, seed, value or image.
    """
    if kind not in SOURCES:
        raise InputError(f"There is no start terrain {kind!r:.60}; there are {', '.join(SOURCES)}.")
    require_size(rows, cols)
    source = SOURCES[kind]
    given: Any = source.parameters.from_dict(dict(values or {}))
    SEED.checked(seed)
    # A terrain of the smallest size checks the cell size before the work.
    spacing = Terrain(np.zeros((SMALLEST_SIDE, SMALLEST_SIDE)), cell_size).spacing
    require(rows * cols * BYTES_PER_CELL, f"A terrain of {rows} × {cols} cells")
    canvas = Canvas(rows, cols, spacing, seed, getattr(given, "tileable", False), given.warp, image_files)
    elevation = source.elevation(canvas, given)
    fields = {"sediment": source.sediment(canvas, given)} if source.sediment else {}
    if given.island > 0:
        share = _island(canvas, given.island, elevation)
        elevation, fields = elevation * share, {name: values * share for name, values in fields.items()}
    return Terrain(elevation, cell_size, fields)


def require_size(rows: int, cols: int) -> None:
    """Raise InputError for an invalid size of a start terrain."""
    if not (SMALLEST_SIDE <= rows <= LARGEST_SIDE and SMALLEST_SIDE <= cols <= LARGEST_SIDE):
        raise InputError(f"A terrain has from {SMALLEST_SIDE} to {LARGEST_SIDE} rows and columns, not {rows} × {cols}.")


def _island(canvas: Canvas, coast: float, elevation: Array) -> Array:
    """Height factor of an island (rows, cols): 0 along the border and beyond a coast with bays, scaled to keep the peak
    height.
    """
    y, x = np.linspace(-1, 1, canvas.rows)[:, None], np.linspace(-1, 1, canvas.cols)[None, :]
    radius = np.sqrt(y * y + x * x)
    bays = 0.6 * canvas.cut(noise.bend(canvas, 3))
    share = smooth_step((1 - 1.1 * radius + bays) / coast) * smooth_step((1 - radius) / 0.2)
    left = float((elevation * share).max())
    return share * (float(elevation.max()) / left) if left > 0 else share
