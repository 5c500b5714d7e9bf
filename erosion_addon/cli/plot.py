# SPDX-License-Identifier: GPL-3.0-or-later
"""Plots of an analysis as SVG."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

import numpy as np

from ..base.arrays import Array
from ..base.errors import printable

WIDTH, HEIGHT, LEFT, BOTTOM, GAP = 280, 240, 60, 50, 40
"""Size of a diagram and its margins in pixels."""

TITLE = 50


@dataclass(frozen=True)
class Diagram:
    """One diagram.

    labels: of x and y, with units. logarithmic: in powers of ten. low, high: ranges of x and y,
    None for the range of the values. form: "line", "dots" or "bars".
    """

    title: str
    labels: tuple[str, str]
    form: str
    logarithmic: bool = False
    low: tuple[float, float] | None = None
    high: tuple[float, float] | None = None


DIAGRAMS = {
    "slope_area": Diagram(
        "Channels", ("drainage area, m²", "slope, m/m"), "dots", logarithmic=True
    ),
    "hypsometry": Diagram(
        "Hypsometry",
        ("share of the land that is higher", "height / relief"),
        "line",
        low=(0, 0),
        high=(1, 1),
    ),
    "slopes": Diagram("Slopes", ("slope, °", "share of the land by degree"), "bars"),
}


def svg(curves: Mapping[str, tuple[Array, Array]], name: str) -> str:
    """SVG text with the diagrams of x and y by the names of `DIAGRAMS`, side by side. name:
    title.
    """
    step = LEFT + WIDTH + GAP
    total = step * len(DIAGRAMS), TITLE + HEIGHT + BOTTOM
    parts = [_text(LEFT, 20, f"{name}", 15, "start")]
    for number, (key, diagram) in enumerate(DIAGRAMS.items()):
        if key in curves:
            body = _drawn(diagram, *curves[key])
        else:
            body = _text(WIDTH / 2, HEIGHT / 2, "too little land")
        parts.append(
            f'<g transform="translate({LEFT + number * step} {TITLE})">{_frame(diagram)}{body}</g>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total[0]}" height="{total[1]}" '
        f'viewBox="0 0 {total[0]} {total[1]}" font-family="sans-serif">\n'
        f'<rect width="100%" height="100%" fill="white"/>\n{chr(10).join(parts)}\n</svg>\n'
    )


def _frame(diagram: Diagram) -> str:
    across, up = diagram.labels
    return (
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#444"/>'
        + _text(WIDTH / 2, -8, diagram.title, 13)
        + _text(WIDTH / 2, HEIGHT + 36, across)
        + f'<g transform="translate(-44 {HEIGHT / 2}) rotate(-90)">{_text(0, 0, up)}</g>'
    )


def _drawn(diagram: Diagram, x: Array, y: Array) -> str:
    """Axis ticks, and the drawn values: (count,) each."""
    scales = []
    for axis, values in enumerate((x, y)):
        if diagram.low:
            low = diagram.low[axis]
        elif diagram.logarithmic:
            low = float(values.min())
        else:
            low = 0.0
        high = diagram.high[axis] if diagram.high else float(values.max())
        scales.append(
            _Scale(
                low, high if high > low else low + 1.0, (WIDTH, HEIGHT)[axis], diagram.logarithmic
            )
        )
    across, up = scales
    parts = []
    for value in across.ticks():
        parts.append(f'<path d="M{across(value):.1f} {HEIGHT}v4" stroke="#444"/>')
        parts.append(_text(across(value), HEIGHT + 17, _number(value, diagram.logarithmic)))
    for value in up.ticks():
        parts.append(f'<path d="M0 {HEIGHT - up(value):.1f}h-4" stroke="#444"/>')
        parts.append(
            _text(-7, HEIGHT - up(value) + 4, _number(value, diagram.logarithmic), anchor="end")
        )
    points = [(across(a), HEIGHT - up(b)) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    return "".join(parts) + _FORMS[diagram.form](points)


class _Scale:
    """Mapping of values to pixels along an axis of `length`."""

    def __init__(self, low: float, high: float, length: float, logarithmic: bool) -> None:
        self._logarithmic = logarithmic
        self._length = length
        self._low, self._high = self._at(low), self._at(high)
        if logarithmic:
            self._low, self._high = float(math.floor(self._low)), float(math.ceil(self._high))

    def _at(self, value: float) -> float:
        return float(np.log10(value)) if self._logarithmic else value

    def __call__(self, value: float) -> float:
        return (self._at(value) - self._low) / (self._high - self._low) * self._length

    def ticks(self) -> list[float]:
        if self._logarithmic:
            return [float(f"1e{power}") for power in range(int(self._low), int(self._high) + 1)]
        span = self._high - self._low
        size = float(f"1e{math.floor(float(np.log10(span)))}")
        step = next(size * share for share in (0.2, 0.5, 1.0, 2.0) if span / (size * share) <= 6)
        return [self._low + step * number for number in range(int(span / step + 1e-9) + 1)]


def _line(points: Sequence[tuple[float, float]]) -> str:
    way = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{way}" fill="none" stroke="#1f5fa8" stroke-width="2"/>'


def _dots(points: Sequence[tuple[float, float]]) -> str:
    return "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="#1f5fa8"/>' for x, y in points)


def _bars(points: Sequence[tuple[float, float]]) -> str:
    wide = points[1][0] - points[0][0]
    return "".join(
        f'<rect x="{max(x - wide / 2, 0):.1f}" y="{y:.1f}" width="{wide * 0.9:.1f}" '
        f'height="{HEIGHT - y:.1f}" fill="#1f5fa8"/>'
        for x, y in points
    )


_FORMS = {"line": _line, "dots": _dots, "bars": _bars}


def _number(value: float, logarithmic: bool) -> str:
    if logarithmic:
        return f"{value:.0e}".replace("e+0", "e").replace("e-0", "e-")
    return f"{value:.3g}"


def _text(x: float, y: float, text: str, size: int = 11, anchor: str = "middle") -> str:
    words = escape(printable(text))
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text {place} font-size="{size}" fill="#222">{words}</text>'
