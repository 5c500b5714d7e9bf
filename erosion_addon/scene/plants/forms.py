# SPDX-License-Identifier: GPL-3.0-or-later
"""Forms of plants and boulders: low-polygon meshes, 1 high, standing on z = 0.

They are computed and free of rights (CC0). Leaves are triangles whose normals follow the whole
crown; single leaves would sparkle.
"""

from dataclasses import dataclass

import numpy as np

from ...base.arrays import Array
from ...generators.noise import random_numbers

STREAMS = 90
"""First stream of random numbers of the forms."""


@dataclass(frozen=True)
class Form:
    """A mesh.

    place: (vertices, 3), 1 high. faces: (triangles, 3). leaf: (vertices,) 1 in the kind's own
    color, 0 in the color of wood. shade: (vertices,) light within the crown, 0-1. normal:
    (vertices, 3), length 1.
    """

    place: Array
    faces: Array
    leaf: Array
    shade: Array
    normal: Array


def _numbers(seed: int, stream: int, *shape: int) -> Array:
    """Random numbers 0-1."""
    count = int(np.prod(shape))
    return (0.5 + 0.5 * random_numbers(seed, STREAMS + stream, np.arange(count), 0)).reshape(shape)


def _unit(vectors: Array) -> Array:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9))


def _triangles(corners: Array, normal: Array, shade: Array, leaf: float = 1.0) -> Form:
    """Separate triangles. corners: (triangles, 3, 3); normal, shade: of each corner."""
    count = 3 * len(corners)
    return Form(
        corners.reshape(-1, 3),
        np.arange(count).reshape(-1, 3),
        np.full(count, leaf),
        shade.reshape(-1),
        _unit(normal.reshape(-1, 3)),
    )


def _joined(*forms: Form) -> Form:
    """One mesh of several, scaled to a height of 1."""
    starts = np.cumsum([0, *(len(form.place) for form in forms[:-1])])
    place = np.concatenate([form.place for form in forms])
    return Form(
        place / place[:, 2].max(),
        np.concatenate([form.faces + start for form, start in zip(forms, starts, strict=True)]),
        *(
            np.concatenate([getattr(form, name) for form in forms])
            for name in ("leaf", "shade", "normal")
        ),
    )


def _trunk(path: Array, thick: float, thin: float) -> Form:
    """Five-sided stem along points (count, 3)."""
    turn = 2 * np.pi * np.arange(5) / 5
    circle = np.stack((np.cos(turn), np.sin(turn), 0 * turn), -1)
    radius = np.linspace(thick, thin, len(path))[:, None, None]
    place = (path[:, None] + radius * circle).reshape(-1, 3)
    low = (5 * np.arange(len(path) - 1)[:, None] + np.arange(5)).ravel()
    right = (5 * np.arange(len(path) - 1)[:, None] + (np.arange(5) + 1) % 5).ravel()
    faces = np.concatenate(
        (np.stack((low, right, right + 5), -1), np.stack((low, right + 5, low + 5), -1))
    )
    return Form(
        place,
        faces,
        np.zeros(len(place)),
        np.full(len(place), 0.8),
        np.tile(circle, (len(path), 1)),
    )


def conifer(seed: int, detail: int) -> Form:
    """Spruce: drooping boughs in whorls around a straight stem. detail: boughs."""
    rise = (np.arange(detail) + _numbers(seed, 0, detail)) / detail
    height = 0.07 + 0.9 * rise
    # the golden angle: no two above each other
    turn = 2.399963 * np.arange(detail) + _numbers(seed, 1, detail)
    wide = 1.9 / np.sqrt(detail / 24)
    slender = 0.72 + 0.6 * _numbers(seed, 24, 1)
    droops = 0.2 + 0.4 * _numbers(seed, 25, 1)
    reach = slender * (0.02 + 0.2 * (1 - rise) ** 0.85) * (0.6 + 0.7 * _numbers(seed, 2, detail))
    out = np.stack((np.cos(turn), np.sin(turn), 0 * turn), -1)
    side = np.stack((-np.sin(turn), np.cos(turn), 0 * turn), -1)
    up = np.array([0.0, 0.0, 1.0])
    stem = up * (height + 0.05)[:, None]
    tip = out * reach[:, None] + up * (height - droops * reach)[:, None]
    spread = (0.3 * reach + 0.012)[:, None] * wide
    middle = 0.5 * (stem + tip) - up * (0.22 * reach)[:, None]
    corners = np.stack(
        (
            np.stack((stem, middle + side * spread, tip), 1),
            np.stack((stem, tip, middle - side * spread), 1),
        ),
        1,
    )
    leaning = np.stack((out + 0.9 * side + 0.7 * up, out - 0.9 * side + 0.7 * up), 1)[:, :, None]
    shade = np.broadcast_to([0.45, 0.8, 1.0], (detail, 2, 3)).copy()
    shade[:, 1] = [0.45, 1.0, 0.8]
    shade *= (0.6 + 0.4 * rise)[:, None, None]
    boughs = _triangles(
        corners.reshape(-1, 3, 3), np.broadcast_to(leaning, (detail, 2, 3, 3)), shade
    )
    return _joined(_trunk(np.array([[0, 0, -0.06], [0, 0, 0.98]]), 0.016, 0.002), boughs)


def _crown(seed: int, leaves: int, lobes: Array, size: float) -> Form:
    """Leaves on lobes: (lobes, 4) middle and radius."""
    of = (_numbers(seed, 3, leaves) * len(lobes)).astype(int)
    way = _unit(2 * _numbers(seed, 4, leaves, 3) - 1 + np.array([0.0, 0.0, 0.15]))
    middle = (
        lobes[of, :3] + way * (lobes[of, 3] * (0.8 + 0.35 * _numbers(seed, 5, leaves)))[:, None]
    )
    across = _unit(np.cross(way, 2 * _numbers(seed, 6, leaves, 3) - 1))
    along = _unit(np.cross(way, across) + 0.5 * way)
    turns = 2 * np.pi * np.arange(3) / 3
    corners = middle[:, None] + size * (
        np.cos(turns)[None, :, None] * across[:, None]
        + np.sin(turns)[None, :, None] * along[:, None]
    )
    heart = np.average(lobes[:, :3], axis=0, weights=lobes[:, 3])
    outward = _unit(corners - heart) + 0.6 * way[:, None]
    low = corners[..., 2].min()
    high = corners[..., 2].max()
    shade = 0.35 + 0.65 * (corners[..., 2] - low) / (high - low)
    return _triangles(corners, outward, shade * (0.75 + 0.5 * _numbers(seed, 7, leaves))[:, None])


def broadleaf(seed: int, detail: int) -> Form:
    """Round tree: leaves on the lobes of a wide crown. detail: leaves."""
    turn = 2 * np.pi * (np.arange(7) / 7 + 0.1 * _numbers(seed, 8, 7))
    out = 0.24 + 0.1 * _numbers(seed, 9, 7)
    middle = np.stack(
        (out * np.cos(turn), out * np.sin(turn), 0.3 + 0.28 * _numbers(seed, 10, 7)), -1
    )
    lobes = np.column_stack((middle, 0.2 + 0.08 * _numbers(seed, 11, 7)))
    lobes = np.vstack((lobes, [0.05, 0.0, 0.7, 0.25]))
    trunk = _trunk(np.array([[0, 0, -0.08], [0.02, 0, 0.6]]), 0.035, 0.012)
    return _joined(trunk, _crown(seed, detail, lobes, 1.45 / np.sqrt(detail)))


def shrub(seed: int, detail: int) -> Form:
    """Bush: leaves on low lobes, wider than high. detail: leaves."""
    turn = 2 * np.pi * (np.arange(5) / 5 + 0.15 * _numbers(seed, 12, 5))
    out = 0.3 + 0.3 * _numbers(seed, 13, 5)
    middle = np.stack(
        (out * np.cos(turn), out * np.sin(turn), 0.25 + 0.2 * _numbers(seed, 14, 5)), -1
    )
    lobes = np.column_stack((middle, 0.25 + 0.2 * _numbers(seed, 15, 5)))
    return _joined(
        _crown(seed, detail, np.vstack((lobes, [0.0, 0.0, 0.55, 0.36])), 1.6 / np.sqrt(detail))
    )


def tuft(seed: int, detail: int) -> Form:
    """Tuft of grass: bent blades from a common foot. detail: blades."""
    turn = 2 * np.pi * _numbers(seed, 16, detail)
    out = np.stack((np.cos(turn), np.sin(turn), 0 * turn), -1)
    side = np.stack((-np.sin(turn), np.cos(turn), 0 * turn), -1)
    tall = (0.45 + 0.55 * _numbers(seed, 17, detail))[:, None]
    foot = 0.25 * out * np.sqrt(_numbers(seed, 18, detail))[:, None]
    lean = (0.15 + 0.5 * _numbers(seed, 19, detail))[:, None] * tall
    up = np.array([0.0, 0.0, 1.0])
    bend = foot + 0.35 * lean * out + 0.6 * tall * up
    tip = foot + lean * out + tall * up
    wide = 0.5 * side / np.sqrt(detail)
    left = foot - 0.5 * wide
    right = foot + 0.5 * wide
    high = bend + 0.3 * wide
    corners = np.stack((np.stack((left, right, high), 1), np.stack((left, high, tip), 1)), 1)
    shade = np.broadcast_to([[0.4, 0.4, 0.8], [0.4, 0.8, 1.0]], (detail, 2, 3))
    normal = np.broadcast_to((0.5 * out + up)[:, None, None], corners.shape)
    return _joined(_triangles(corners.reshape(-1, 3, 3), normal, shade))


def palm(seed: int, detail: int) -> Form:
    """Date palm: arched fronds on a bent stem. detail: fronds."""
    lean = 0.16 * (_numbers(seed, 20, 2) - 0.5)
    rise = np.linspace(0, 1, 4)[:, None]
    path = np.hstack((rise**2 * lean, -0.05 + 0.85 * rise))
    turn = 2.399963 * np.arange(detail)
    tilt = 1.15 - 1.5 * (np.arange(detail) + 0.5) / detail  # upright inside, hanging outside
    steps = np.linspace(0, 1, 5)
    out = 0.36 * steps * np.cos(0.6 * tilt)[:, None]
    up = 0.36 * (steps * np.sin(tilt)[:, None] - 0.75 * steps**2) + path[-1, 2]
    line = np.stack(
        (np.cos(turn)[:, None] * out + lean[0], np.sin(turn)[:, None] * out + lean[1], up), -1
    )
    side = np.stack((-np.sin(turn), np.cos(turn), 0 * turn), -1)[:, None]
    wide = 0.05 * np.sin(np.pi * (0.12 + 0.86 * steps))[:, None] * side - np.array([0, 0, 0.015])
    opposite = wide * np.array([-1.0, -1.0, 1.0])
    corners = np.concatenate(
        [
            np.stack(corner, 2)
            for edge in (wide, opposite)
            for corner in (
                (line[:, :-1], line[:, 1:], line[:, :-1] + edge[:, :-1]),
                (line[:, 1:], line[:, 1:] + edge[:, 1:], line[:, :-1] + edge[:, :-1]),
            )
        ]
    ).reshape(-1, 3, 3)
    normal = _unit(corners - np.array([lean[0], lean[1], 0.7]))
    shade = np.clip(0.55 + 1.2 * np.hypot(corners[..., 0], corners[..., 1]), 0, 1)
    return _joined(_trunk(path, 0.022, 0.016), _triangles(corners, normal, shade))


def boulder(seed: int, detail: int) -> Form:
    """Boulder: a ball cut by planes, half sunk into the ground. detail: rings of points."""
    rows = detail
    cols = 2 * detail
    tilt, turn = np.meshgrid(
        np.pi * np.arange(rows + 1) / rows, 2 * np.pi * np.arange(cols) / cols, indexing="ij"
    )
    way = np.stack(
        (np.sin(tilt) * np.cos(turn), np.sin(tilt) * np.sin(turn), np.cos(tilt)), -1
    ).reshape(-1, 3)
    planes = _unit(2 * _numbers(seed, 21, 11, 3) - 1)
    away = 0.6 + 0.4 * _numbers(seed, 22, 11)
    cut = np.where(way @ planes.T > 0.05, away / np.maximum(way @ planes.T, 0.05), 2.0)
    nearest = cut.argmin(1)
    radius = np.minimum(cut.min(1), 1.15)
    place = way * radius[:, None] * (np.array([0.9, 0.7, 0.6]) + 0.3 * _numbers(seed, 23, 3))
    row, col = np.meshgrid(np.arange(rows), np.arange(cols), indexing="ij")
    a = (row * cols + col).ravel()
    b = (row * cols + (col + 1) % cols).ravel()
    faces = np.concatenate((np.stack((a, a + cols, b), -1), np.stack((b, a + cols, b + cols), -1)))
    place[:, 2] += 0.35
    normal = _unit(planes[nearest] + 0.12 * way)
    shade = np.clip(0.55 + 0.5 * place[:, 2], 0.3, 1)
    return _joined(Form(place, faces, np.ones(len(place)), shade, normal))
