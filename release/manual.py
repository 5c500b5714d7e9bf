# SPDX-License-Identifier: GPL-3.0-or-later
"""Fills the manual's tables from the declarations: `python release/manual.py` after changing one."""

import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from erosion_addon.model.fields import FIELDS  # noqa: E402 - the folder of the package has to be known first
from erosion_addon.model.masks import MASK_KINDS  # noqa: E402
from erosion_addon.model.parameters import specifications  # noqa: E402
from erosion_addon.model.presets import shipped  # noqa: E402
from erosion_addon.model.processes import PROCESSES, Process  # noqa: E402
from erosion_addon.model.recipe import Recipe  # noqa: E402
from erosion_addon.model.strata import Strata  # noqa: E402


def recipes() -> str:
    """Name and description of each shipped recipe."""
    rows = [(name, Recipe.load(path).description) for name, path in shipped().items()]
    return _table(("recipe", "landscape"), rows)


def parameters() -> str:
    """A section for each process: what it is, and its parameters."""
    return "\n".join(_process(process) for process in PROCESSES.values())


def _process(process: Process) -> str:
    rows = []
    for name, known in specifications(process.parameters).items():
        source = f" ({known.seed_name} in the article)" if known.seed_name else ""
        default = "none" if known.default == () else str(known.default)
        rows.append((f"`{name}`{source}", default, known.range_text, known.unit, known.sentence))
    about = (process.parameters.__doc__ or "").strip().splitlines()[0]
    table = _table(("parameter", "default", "range", "unit", "what it does"), rows)
    return f"### {process.label}: `{process.kind}`\n\n{about}\n\n{table}"


def masks() -> str:
    """Kind and meaning of each mask."""
    return _table(("mask", "meaning"), [(kind, meaning) for kind, (_, meaning) in MASK_KINDS.items()])


def strata() -> str:
    """Name and description of the shipped strata."""
    rows = [(name, Strata.load(path).description) for name, path in shipped("strata").items()]
    return _table(("strata", "rock"), rows)


def fields() -> str:
    """Name, unit and meaning of each field."""
    rows = [(f"`{field.name}`", field.unit, field.meaning) for field in FIELDS.values()]
    return _table(("name", "unit", "meaning"), rows)


def _table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    return "".join(f"| {' | '.join(row)} |\n" for row in (header, ("---",) * len(header), *rows))


def filled(manual: str) -> str:
    """The manual's text with the tables between its marks made anew."""
    for made in (recipes, parameters, masks, strata, fields):
        begin, end = f"<!-- {made.__name__} -->\n", "<!-- end -->\n"
        head, _, rest = manual.partition(begin)
        manual = "".join([head, begin, made(), end, rest.partition(end)[2]])
    return manual


if __name__ == "__main__":
    path = ROOT / "README.md"
    path.write_text(filled(path.read_text(encoding="utf-8")), encoding="utf-8")
