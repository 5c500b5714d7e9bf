# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of docs/reference, filled from the declarations: `python release/manual.py`."""

import sys
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted((ROOT / "docs" / "reference").glob("*.md"))
sys.path.insert(0, str(ROOT))

from erosion_addon.base.data_files import shipped  # noqa: E402
from erosion_addon.base.parameters import Specification, groups, specifications  # noqa: E402
from erosion_addon.generators.registry import SOURCES  # noqa: E402
from erosion_addon.processes.registry import PROCESSES  # noqa: E402
from erosion_addon.processes.shared.process import Process  # noqa: E402
from erosion_addon.recipe.recipe import LANDSCAPES, Recipe  # noqa: E402
from erosion_addon.scene.materials.terrain.sockets import CONTROLS  # noqa: E402
from erosion_addon.scene.materials.terrain.sockets import FIELDS as FIELD_SOCKETS  # noqa: E402
from erosion_addon.terrain.fields import FIELDS  # noqa: E402 - the folder of the package has to be known first
from erosion_addon.terrain.limits import Limits  # noqa: E402
from erosion_addon.terrain.masks import MASK_KINDS  # noqa: E402
from erosion_addon.terrain.strata import Strata  # noqa: E402


def recipes() -> str:
    """Kind of land, name and description of each shipped recipe."""
    presets = {name: Recipe.load(path) for name, path in sorted(shipped().items())}
    rows = []
    for landscape, heading in LANDSCAPES.items():
        rows += [
            (heading, name, recipe.description)
            for name, recipe in presets.items()
            if recipe.landscape == landscape
        ]
    return _table(("land", "recipe", "result"), rows)


def parameters() -> str:
    """Section of each process: description and parameters."""
    return "\n".join(_process(process) for process in PROCESSES.values())


def _process(process: Process) -> str:
    rows = []
    for group, declared in groups(process.parameters).items():
        rows += [(f"**{group}**", "", "", "", "")] if group else []
        rows += [_parameter(specification) for specification in declared]
    table = _table(("parameter", "default", "range", "unit", "effect"), rows)
    return f"## {process.label}: `{process.kind}`\n\n{process.about}\n\n{table}"


def _parameter(item: Specification) -> tuple[str, ...]:
    source = f" ({item.seed_name} in the article)" if item.seed_name else ""
    default = "none" if item.default == () else str(item.default)
    default = f"{default} ({item.zero})" if item.zero else default
    sentence = f"{item.sentence} {item.needs_text}".strip()
    return (f"`{item.name}`{source}", default, item.range_text, item.unit, sentence)


def limits() -> str:
    """Limits of every step."""
    rows = [_parameter(limit) for limit in specifications(Limits).values()]
    return _table(("limit", "default", "range", "unit", "effect"), rows)


def scales() -> str:
    """Parameters that a mask can scale, by process."""
    rows = [
        (f"`{kind}`", ", ".join(f"`{name}`" for name in process.scalable))
        for kind, process in PROCESSES.items()
    ]
    return _table(("step", "parameters that a mask can scale"), rows)


def sources() -> str:
    """Start terrains with their own parameters, and shared parameters."""
    rows = []
    shared = {}
    for source in SOURCES.values():
        first, *further = groups(source.parameters).values()
        words = [
            f"`{item.name}` {'none' if item.is_file else item.default} {item.unit}".strip()
            for item in first
        ]
        rows.append((f"`{source.kind}`", source.label, source.about, ", ".join(words)))
        for item in chain.from_iterable(further):
            shared[item.name] = (f"`{item.name}`", item.range_text, item.sentence)
    kinds = _table(("kind", "in the menu", "description", "parameters and defaults"), rows)
    return f"{kinds}\n{_table(('parameter', 'range', 'effect'), shared.values())}"


def masks() -> str:
    """Kind and meaning of each mask."""
    return _table(("mask", "meaning"), [(kind, mask.meaning) for kind, mask in MASK_KINDS.items()])


def strata() -> str:
    """Name and description of the shipped strata."""
    rows = [(name, Strata.load(path).description) for name, path in shipped("strata").items()]
    return _table(("strata", "rock"), rows)


def fields() -> str:
    """Name, unit and meaning of each field."""
    rows = [(f"`{field.name}`", field.unit, field.meaning) for field in FIELDS.values()]
    return _table(("name", "unit", "meaning"), rows)


def sockets() -> str:
    """The inputs of the material's node group, by panel."""
    rows: dict[str, list[tuple[str, ...]]] = {}
    for socket in (*FIELD_SOCKETS, *CONTROLS):
        rows.setdefault(socket.panel, [(f"**{socket.panel}**", "")]).append(
            (socket.name, socket.sentence)
        )
    return _table(("input", "meaning"), [row for panel in rows.values() for row in panel])


def _table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    return "".join(f"| {' | '.join(row)} |\n" for row in (header, ("---",) * len(header), *rows))


def filled(page: str) -> str:
    """Page of the manual with updated tables between its marks."""
    for table in (recipes, parameters, limits, scales, sources, masks, strata, fields, sockets):
        begin = f"<!-- {table.__name__} -->\n"
        end = "<!-- end -->\n"
        head, mark, rest = page.partition(begin)
        if mark:
            page = "".join([head, begin, table(), end, rest.partition(end)[2]])
    return page


if __name__ == "__main__":
    for path in PAGES:
        path.write_text(filled(path.read_text(encoding="utf-8")), encoding="utf-8")
