# SPDX-License-Identifier: GPL-3.0-or-later
"""Fills the manual's tables from the declarations: `python release/manual.py` after changing one."""

import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from erosion_addon.model.fields import FIELDS  # noqa: E402 - the folder of the package has to be known first
from erosion_addon.model.parameters import specifications  # noqa: E402
from erosion_addon.model.processes import PROCESSES  # noqa: E402
from erosion_addon.model.recipe import Recipe, shipped  # noqa: E402


def recipes() -> Iterator[tuple[str, ...]]:
    """Name and description of each shipped recipe."""
    yield "recipe", "landscape"
    for name, path in shipped().items():
        yield name, Recipe.load(path).description


def parameters() -> Iterator[tuple[str, ...]]:
    """Name, default, range, unit and meaning of each parameter."""
    yield "parameter", "default", "range", "unit", "what it does"
    for process in PROCESSES.values():
        for name, known in specifications(process.parameters).items():
            source = f" ({known.seed_name} in the article)" if known.seed_name else ""
            default = "none" if known.default == () else str(known.default)
            yield f"`{name}`{source}", default, known.range_text, known.unit, known.sentence


def fields() -> Iterator[tuple[str, ...]]:
    """Name, unit and meaning of each field."""
    yield "name", "unit", "meaning"
    for field in FIELDS.values():
        yield f"`{field.name}`", field.unit, field.meaning


def filled(manual: str) -> str:
    """The manual's text with the tables between its marks made anew."""
    for table in (recipes, parameters, fields):
        begin, end = f"<!-- {table.__name__} -->\n", "<!-- end -->\n"
        head, _, rest = manual.partition(begin)
        tail = rest.partition(end)[2]
        header, *rows = [f"| {' | '.join(row)} |\n" for row in table()]
        manual = "".join([head, begin, header, "| --- " * (header.count("|") - 1), "|\n", *rows, end, tail])
    return manual


if __name__ == "__main__":
    path = ROOT / "README.md"
    path.write_text(filled(path.read_text(encoding="utf-8")), encoding="utf-8")
