# SPDX-License-Identifier: GPL-3.0-or-later
"""Raw files, which hold nothing but numbers: their size, depth and byte order, by the smoothest
land.
"""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...base.errors import InputError, Sentence
from .record import Array, Doubt, Reading

WIDTHS = {".r16": (2, 4), ".r32": (4, 2), ".raw": (2, 4, 1)}
"""Bytes of a number, the usual one first."""
_KINDS = {1: ("u8",), 2: ("u16", "i16"), 4: ("f32",)}
_DTYPES = {"u8": "u1", "u16": "u2", "i16": "i2", "f32": "f4"}
_NAMES = {
    "u8": Sentence("8-bit shades"),
    "u16": Sentence("16-bit shades"),
    "i16": Sentence("signed 16-bit numbers"),
    "f32": Sentence("32-bit floats"),
}
_SMOOTHER = 0.5
"""Roughness, relative to the usual form's, below which another form is taken."""
_PAIRS = 32
"""Pairs of rows compared."""
_HIGHEST, _ENDLESS = 1e5, 1e20
"""Numbers beyond the first are no heights; beyond the second they may stand for no data."""


class Form(NamedTuple):
    """Form of the numbers: one of `record.DEPTHS`; order "little" or "big"."""

    depth: str
    order: str
    shape: tuple[int, int]

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the numbers in the file."""
        return np.dtype(("<" if self.order == "little" else ">") + _DTYPES[self.depth])


def form_of(paths: Sequence[Path], length: int, options: Reading) -> tuple[Form, list[Doubt]]:
    """Form of raw files of `length` bytes, such as the tiles of one land; InputError if no form
    fits.
    """
    first = paths[0]
    forms = list(_forms(first, length, options))
    if not forms:
        raise _no_form(first, length, options)
    usual = best = forms[0]
    doubts = []
    if usual.dtype.itemsize != WIDTHS[first.suffix.lower()][0]:
        sentence = Sentence("{path} has the right size only as {kind}, so it was read that way.")
        doubts.append(Doubt(sentence.format(path=first, kind=_NAMES[usual.depth]), "depth"))
    # a single row has no neighbors, and is no terrain
    for form in forms[1:] if min(usual.shape) > 1 else []:
        # Numbers with swapped bytes have another range; signed and unsigned ones differ where they
        # jump.
        relative = (form.order, form.shape) != (best.order, best.shape)
        if _roughness(paths, form, relative) < _SMOOTHER * _roughness(paths, best, relative):
            best = form
    if best.order != usual.order:
        sentence = Sentence(
            "{path} is smooth land only in {order}-endian byte order, so it was read that way."
        )
        doubts.append(Doubt(sentence.format(path=first, order=best.order), "byte_order"))
    if best.depth != usual.depth:
        sentence = Sentence("{path} is smooth land only as {kind}, so it was read that way.")
        doubts.append(Doubt(sentence.format(path=first, kind=_NAMES[best.depth]), "depth"))
    return best, doubts


def _forms(path: Path, length: int, options: Reading) -> Iterator[Form]:
    orders = ("little", "big") if options.byte_order == "auto" else (options.byte_order,)
    for width in WIDTHS[path.suffix.lower()]:
        side = math.isqrt(length // width)
        rows, cols = options.size or (side, side)
        if rows <= 0 or cols <= 0 or rows * cols * width != length:
            continue
        depths = [depth for depth in _KINDS[width] if options.depth in ("auto", depth)]
        yield from (
            Form(depth, order, (rows, cols)) for depth in depths for order in orders[: width or 1]
        )


def _no_form(path: Path, length: int, options: Reading) -> InputError:
    if options.depth == "auto":
        widths = sorted(WIDTHS[path.suffix.lower()])
    else:
        widths = [int(options.depth[1:]) // 8]
    bits = "/".join(str(8 * width) for width in widths) + "-bit"
    if options.size:
        rows, cols = options.size
        return InputError(
            "{path} has {length} bytes, which is not {rows} × {cols} cells of {bits} numbers; give "
            "another size."
        ).format(path=path, length=length, rows=rows, cols=cols, bits=bits)
    return InputError(
        "{path} has {length} bytes, which is not a square of {bits} numbers; give its size (rows "
        "and columns)."
    ).format(path=path, length=length, bits=bits)


def _roughness(paths: Sequence[Path], form: Form, relative: bool) -> float:
    """Mean difference of neighbors in all files; infinite for numbers that are no heights.

    relative: in the standard deviation of the numbers.
    """
    pairs = [_pairs(path, form) for path in paths]
    values = np.concatenate([pair.reshape(2, -1) for pair in pairs], axis=1)
    blank = ~(np.abs(values) < _ENDLESS)
    if (~blank & (np.abs(values) > _HIGHEST)).any() or blank.all():
        return math.inf
    differences = [np.abs(np.diff(pair, axis=axis)).ravel() for pair in pairs for axis in (0, 2)]
    steps = np.concatenate(differences)
    mean = float(steps[steps < _ENDLESS].mean())
    spread = float(values[~blank].std()) if relative else 1.0
    return mean / spread if spread else 0.0


def _pairs(path: Path, form: Form) -> Array:
    """Evenly spaced pairs of neighboring rows, (2, pairs, cols) float64."""
    values = np.memmap(path, form.dtype, "r", shape=form.shape)
    rows = np.unique(np.linspace(0, form.shape[0] - 2, _PAIRS).astype(np.intp))
    with np.errstate(invalid="ignore"):
        pairs: Array = np.stack([values[rows], values[rows + 1]]).astype(np.float64)
    return pairs
