# SPDX-License-Identifier: GPL-3.0-or-later
"""Maps: the fields of a terrain as image files in a folder."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..base.arrays import Array, linear
from ..base.atomic_files import Outputs
from ..base.errors import InputError, unwritable
from ..grid.sampling import bilinear
from ..terrain.fields import FIELDS, Field
from ..terrain.ground_cover import COVERS, WHITE, ground_cover
from ..terrain.terrain import Terrain
from .headers.image_header import FileHeader, read_header
from .heightmap import encode_heightmap
from .image_files import ImageFiles, color
from .rasters.tiff_writer import Tags

NORMAL = Field(
    "normal", "0-1", "direction of the surface in tangent space (red, green, blue)", components=3
)
"""A map without an attribute: meshes have their own normals."""

GREENS = {"opengl": 1.0, "directx": -1.0}
"""Direction of green: larger y (Blender, Unity, Godot), or smaller y (Unreal)."""


def normals(
    elevation: Array, spacing: tuple[float, float], wrap: bool = False, green: str = "opengl"
) -> Array:
    """Tangent-space normals (rows, cols, 3) float32, encoded as (n + 1) / 2, of (rows, cols)
    meters.

    n ∝ (-∂h/∂x, ∓∂h/∂y, 1) by central differences, of second order at edges too; wrap: across
    opposite edges. spacing: m between rows and columns. green: one of `GREENS`; InputError for
    another one.
    """
    if green not in GREENS:
        raise InputError("There are no normals {green:.60}; choose one of {greens}.").format(
            green=repr(green), greens=", ".join(GREENS)
        )
    slope_y, slope_x = (_slope(elevation, axis, spacing[axis], wrap) for axis in (0, 1))
    directions: Array = np.stack(
        [-slope_x, np.float32(-GREENS[green]) * slope_y, np.ones_like(slope_x)], axis=-1
    )
    directions /= np.sqrt(np.sum(directions * directions, axis=-1, keepdims=True))
    directions = 0.5 * directions + 0.5
    return np.asarray(directions, dtype=np.float32)


def _slope(elevation: Array, axis: int, spacing: float, wrap: bool) -> Array:
    if wrap:
        slope = (np.roll(elevation, -1, axis) - np.roll(elevation, 1, axis)) / (2 * spacing)
    else:
        slope = np.gradient(elevation, spacing, axis=axis, edge_order=2)
    return np.asarray(slope, dtype=np.float32)


class DerivedMap(NamedTuple):
    """Map computed from heights when it is written; no field of a terrain.

    values: of (rows, cols) meters, their spacing, whether edges wrap, and the green of normals.
    reach: cells beyond a window that its values depend on.
    """

    field: Field
    values: Callable[[Array, tuple[float, float], bool, str], Array]
    reach: int


DERIVED = {NORMAL.name: DerivedMap(NORMAL, normals, reach=1)}
"""Derived maps by name."""

MAPS = FIELDS | {name: derived.field for name, derived in DERIVED.items()}
"""Available maps by name."""


def derive(
    names: Iterable[str],
    elevation: Array,
    spacing: tuple[float, float],
    wrap: bool = False,
    green: str = "opengl",
) -> dict[str, Array]:
    """Derived maps among `names`, see `DerivedMap`."""
    return {
        name: DERIVED[name].values(elevation, spacing, wrap, green)
        for name in names
        if name in DERIVED
    }


def plan(
    outputs: Outputs,
    folder: Path,
    names: Iterable[str] = MAPS,
    png: bool = False,
    tif: bool = False,
) -> dict[str, Path]:
    """Plan the maps of fields; returns their paths by name. InputError if one cannot be written.

    png: 16-bit PNG instead of float EXR for each field from 0 to 1, except colors. tif: float TIFF
    for all others but colors and normals.
    """

    def suffix(field: Field) -> str:
        if png and field.unit == "0-1" and (field.components == 1 or field.name in DERIVED):
            return ".png"
        return ".tif" if tif and field.components < 3 else ".exr"

    outputs.plan_folder(folder)
    return {
        name: outputs.plan(folder / f"{name}{suffix(field)}", (suffix(field),))
        for field in (MAPS[name] for name in names)
        for name in field.images
    }


def write(
    outputs: Outputs,
    planned: Mapping[str, Path],
    fields: Mapping[str, Array],
    image_files: ImageFiles,
    tags: Tags | None = None,
) -> None:
    """Write the planned maps whose fields exist, (rows, cols) or (rows, cols, components). tags: of
    TIFFs.
    """
    for name, values in images(fields):
        if name in planned:
            with outputs.write(planned[name]) as path:
                if values.ndim == 3:
                    encode_color(path, values, image_files)
                else:
                    span = (0.0, 1.0) if path.suffix == ".png" else None
                    of_map = (tags or Tags())._replace(is_elevation=name == "elevation")
                    encode_heightmap(path, values, image_files, span, tags=of_map)


def plan_cover(outputs: Outputs, folder: Path) -> dict[str, Path]:
    """Plan the maps of the ground's cover in a folder planned before; returns their paths by
    cover.
    """
    return {cover: outputs.plan(folder / f"weight_{cover}.png", (".png",)) for cover in COVERS}


def write_cover(
    outputs: Outputs, planned: Mapping[str, Path], terrain: Terrain, image_files: ImageFiles
) -> None:
    """Write the share of each cover as a 16-bit PNG; together they are white."""
    if planned:
        for cover, share in ground_cover(terrain.fields, terrain.shape).items():
            with outputs.write(planned[cover]) as path:
                encode_heightmap(path, share / WHITE, image_files, (0.0, 1.0))


def images(fields: Mapping[str, Array]) -> Iterator[tuple[str, Array]]:
    """Name and values of each map, (rows, cols), or (rows, cols, 3) linear colors."""
    for name, values in fields.items():
        parts = [values[..., i] for i in range(2)] if MAPS[name].components == 2 else [values]
        yield from zip(MAPS[name].images, parts, strict=True)


def read_color(
    path: Path, image: FileHeader, image_files: ImageFiles, shape: tuple[int, int]
) -> Array:
    """Colors of an image, stretched to `shape`: (rows, cols, 3) float32, linear, 0-1.

    Integers are sRGB, as painting programs write them, floats are linear. InputError if there are
    none.
    """
    pixels = color(image_files.pixels(path, image))
    if image.header.kind.startswith("uint"):
        pixels = linear(pixels)
    return fitted_color(pixels, shape, str(path))


def fitted_color(color: Array, shape: tuple[int, int], name: str) -> Array:
    """Linear colors (rows, cols, 3) stretched to `shape`; InputError, with their `name`, beyond 0
    to 1.
    """
    bad = ~((color >= 0) & (color <= 1)).all(axis=-1)  # NaN fails too
    if bad.any():
        row, col = np.argwhere(bad)[0]
        values = ", ".join(f"{value:g}" for value in color[row, col])
        raise InputError(
            "The colors of {name} must be from 0 to 1; at row {row}, column {col} it is {values}."
        ).format(name=name, row=row, col=col, values=values)
    if color.shape[:2] == shape:
        return color
    return np.stack([bilinear(color[..., channel], shape) for channel in range(3)], axis=-1)


def encode_color(path: Path, values: Array, image_files: ImageFiles) -> None:
    """Write (rows, cols, 3) colors or normals as they are: .exr float, .png 16-bit. InputError if
    it cannot be written.

    An incomplete file does no harm where it is written, see `Outputs.write`.
    """
    try:
        image_files.write(
            path, values.astype(np.float32), "uint16" if path.suffix == ".png" else "float"
        )
        read_header(path)  # Blender does not notice when the disk is full
    except (OSError, InputError) as error:
        raise unwritable(path, error) from error
