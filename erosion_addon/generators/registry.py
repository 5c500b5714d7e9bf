# SPDX-License-Identifier: GPL-3.0-or-later
"""Start terrains: the kinds, and their construction."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..base.doors import opened
from ..base.errors import InputError, Sentence
from ..base.memory import require
from ..base.parameters import Parameters, specifications
from ..base.threads import granted
from ..files.image_files import ImageFiles
from ..recipe.recipe import SEED
from ..terrain.terrain import SMALLEST_SIDE, Terrain
from . import parameters

LARGEST_SIDE = 65536
"""Cells along a side. A larger number is probably a typing error."""

WIDTH = 4000.0
"""Longer side of a terrain of no given size, in meters."""

DECLARED_WIDTH = 1000.0
"""Longer side that suits the default lengths of the parameters, in meters."""

BYTES_PER_CELL = 130
"""Peak memory of a generator: spectra and their transforms, with margins; measured."""


class Source(NamedTuple):
    """One kind of start terrain."""

    kind: str
    label: str
    parameters: type[Parameters]

    elevation: str
    """module.function of this package: (canvas, parameters) → surface, (rows, cols) m. Imported
    when it is used.
    """

    icon: str
    """Name of a Blender icon."""

    sediment: str = ""
    """The same as `elevation` for the thickness of loose material."""

    recipe: str = "alpine"
    """Recipe that suits it."""

    compiled: bool = False
    """Whether compiled kernels make it, so Blender leaves it to its worker."""

    own_coast: bool = False
    """Whether its elevation already ends at the coast of an island."""

    @property
    def about(self) -> str:
        """Description in one sentence."""
        return " ".join((self.parameters.__doc__ or "").split())


SOURCES: dict[str, Source] = {
    source.kind: source
    for source in (
        Source(
            "voronoi",
            "Peaks and Valleys",
            parameters.VoronoiParameters,
            "landscapes.voronoi",
            icon="TEXTURE",
        ),
        Source(
            "ridged",
            "Ridged Mountains",
            parameters.RidgedParameters,
            "landscapes.ridged",
            icon="SHARPCURVE",
        ),
        Source(
            "mountains",
            "River-Cut Mountains",
            parameters.MountainsParameters,
            "mountains.mountains",
            icon="IPO_ELASTIC",
            compiled=True,
            own_coast=True,
        ),
        Source(
            "fractal",
            "Fractal Hills",
            parameters.FractalParameters,
            "landscapes.fractal",
            icon="MOD_NOISE",
        ),
        Source(
            "faults",
            "Faults",
            parameters.FaultsParameters,
            "landscapes.faults",
            icon="MOD_EDGESPLIT",
        ),
        Source(
            "bumps", "Bumps", parameters.BumpsParameters, "landscapes.bumps", icon="SMOOTHCURVE"
        ),
        Source(
            "sand",
            "Sand Field",
            parameters.SandParameters,
            "landscapes.sand",
            icon="MOD_OCEAN",
            sediment="landscapes.sand",
            recipe="dune sea",
        ),
        Source("plane", "Slope", parameters.PlaneParameters, "shapes.plane", icon="MESH_PLANE"),
        Source("cone", "Cone", parameters.ConeParameters, "shapes.cone", icon="MESH_CONE"),
        Source(
            "pyramid",
            "Step Pyramid",
            parameters.PyramidParameters,
            "shapes.pyramid",
            icon="LINCURVE",
        ),
        Source("box", "Box", parameters.BoxParameters, "shapes.box", icon="MESH_CUBE"),
        Source(
            "letters", "Letters", parameters.LettersParameters, "shapes.letters", icon="FONT_DATA"
        ),
        Source(
            "pyramid_in_sand",
            "Pyramid in Sand",
            parameters.PyramidInSandParameters,
            "shapes.pyramid_in_sand",
            icon="FORCE_WIND",
            sediment="shapes.sand_around",
            recipe="barchan field",
        ),
        Source(
            "blocks",
            "Tilted Blocks",
            parameters.BlocksParameters,
            "landscapes.blocks",
            icon="IPO_CONSTANT",
            recipe="desert range",
        ),
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
    threads: int = 0,
) -> Terrain:
    """Start terrain of the given kind; the same bytes for the same arguments.

    values: parameters by name, see `SOURCES[kind].parameters`. cell_size: meters, or (row, column)
    spacing. image_files: reader of an image parameter. threads: the most to use, 0 for all
    processors. Loose material goes into the field "sediment". Raises InputError for an unknown kind
    or parameter, and for an invalid size, seed, value or image.
    """
    from .canvas import Canvas  # few sessions make a start terrain
    from .mountains import island_share

    source = _source(kind)
    require_size(rows, cols)
    arguments: Any = source.parameters.from_dict(dict(values or {}))
    SEED.checked(seed)
    # A terrain of the smallest size checks the cell size before the work.
    spacing = Terrain(np.zeros((SMALLEST_SIDE, SMALLEST_SIDE)), cell_size).spacing
    require(
        rows * cols * BYTES_PER_CELL,
        Sentence("A terrain of {rows} × {cols} cells").format(rows=rows, cols=cols),
    )
    tileable = getattr(arguments, "tileable", False)
    canvas = Canvas(
        rows, cols, spacing, seed, tileable, arguments.warp, image_files, granted(threads)
    )
    elevation = opened(__package__, source.elevation)(canvas, arguments)
    fields = (
        {"sediment": opened(__package__, source.sediment)(canvas, arguments)}
        if source.sediment
        else {}
    )
    if arguments.island > 0 and not source.own_coast:
        share = island_share(canvas, arguments.island, elevation)
        elevation = elevation * share
        fields = {name: values * share for name, values in fields.items()}
    return Terrain(elevation, cell_size, fields)


def _source(kind: str) -> Source:
    if kind not in SOURCES:
        raise InputError("There is no start terrain {kind:.60}; choose one of {sources}.").format(
            kind=repr(kind), sources=", ".join(SOURCES)
        )
    return SOURCES[kind]


def lengths(kind: str, width: float) -> dict[str, float]:
    """Lengths of the form by parameter, in proportion to the longer side `width`; meters.

    Raises InputError for an unknown kind.
    """
    parameters = _source(kind).parameters
    scaled = parameters().scaled(width / DECLARED_WIDTH)
    return {
        name: getattr(scaled, name)
        for name, specification in specifications(parameters).items()
        if specification.width_power
    }


def require_size(rows: int, cols: int) -> None:
    """Raise InputError for an invalid size of a start terrain."""
    if not (SMALLEST_SIDE <= rows <= LARGEST_SIDE and SMALLEST_SIDE <= cols <= LARGEST_SIDE):
        raise InputError(
            "A terrain has from {smallest} to {largest} rows and columns, not {rows} × {cols}."
        ).format(smallest=SMALLEST_SIDE, largest=LARGEST_SIDE, rows=rows, cols=cols)
