# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of the table that the benchmark prints."""

Row = tuple[str, str, str, str]
"""What is measured, the figure, its gate, and whether that was met."""


def at_least(what: str, ratio: float, gate: float, note: str) -> Row:
    """A ratio that must not be smaller than its gate."""
    return what, f"{ratio:.2f} ({note})", f"≥ {gate:g}", _met(ratio >= gate)


def at_most(what: str, value: float, gate: float, unit: str) -> Row:
    """A value that must not be larger than its gate."""
    return what, f"{value:.1f} {unit}", f"≤ {gate:g} {unit}", _met(value <= gate)


def for_information(what: str, figure: str) -> Row:
    """A figure without a gate."""
    return what, figure, "–", "for information"


def _met(met: bool) -> str:
    return "yes" if met else "**no**"
