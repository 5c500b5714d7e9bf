# SPDX-License-Identifier: GPL-3.0-or-later
"""Update of a language file: `python release/messages.py de_DE`; a missing one is created.

New texts of the interface get an empty translation; obsolete ones are removed.
"""

import ast
import inspect
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import bpy  # noqa: E402 - the folder of the package has to be known first

import erosion_addon  # noqa: E402
from erosion_addon import ui  # noqa: E402
from erosion_addon.base.data_files import shipped  # noqa: E402
from erosion_addon.base.errors import plain  # noqa: E402
from erosion_addon.base.parameters import groups  # noqa: E402
from erosion_addon.drainage.land_statistics import FIGURES  # noqa: E402
from erosion_addon.generators.registry import SOURCES  # noqa: E402
from erosion_addon.processes.registry import PROCESSES  # noqa: E402
from erosion_addon.recipe.recipe import LANDSCAPES, Recipe  # noqa: E402
from erosion_addon.terrain.masks import MASK_KINDS  # noqa: E402
from erosion_addon.ui.base.translations import FOLDER, SENTENCE  # noqa: E402
from erosion_addon.ui.terrain.advice import REMEDIES  # noqa: E402

DEFAULT = bpy.app.translations.contexts.default
OPERATOR = bpy.app.translations.contexts.operator_default
BUTTONS = {"operator", "operator_menu_enum"}
"""Functions of a layout whose texts stand on buttons."""
SPEAKERS = {
    *("Sentence", "report", "reports_refusals", "InputError", "NoAnswerError", "NoLatticeError"),
    *("StandingError", "UnknownPackingError"),
}
"""Functions whose last argument is the template of a sentence."""
ENGLISH = ("cli", "landscape")
"""Rooms that only the command line uses."""


def messages() -> list[tuple[str, str]]:
    """(context, message) of all that the interface says, sorted; the extension has to be
    registered.
    """
    entries = set()
    for module in ui._MODULES:
        for cls in module.CLASSES:
            entries |= set(_of_class(cls))
    for path in Path(ui.__file__).parent.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        entries |= {
            message
            for node in ast.walk(tree)
            if isinstance(node, ast.Call)
            for message in _of_call(node)
        }
    headings = [
        group for process in PROCESSES.values() for group in groups(process.parameters) if group
    ]
    labels = [record.label for record in (*PROCESSES.values(), *MASK_KINDS.values())]
    labels += [label for _, label, _ in FIGURES]
    entries |= {
        (SENTENCE, replacement)
        for record in (*PROCESSES.values(), *SOURCES.values())
        for _, replacement in record.parameters.retired.values()
    }
    entries |= {(DEFAULT, heading) for heading in [*headings, *labels, *LANDSCAPES.values()]}
    entries |= {(OPERATOR, text) for _, text, _ in REMEDIES.values()}
    entries |= {(DEFAULT, Recipe.load(name).description) for name in shipped()}
    entries |= {(SENTENCE, template) for template in sentences()}
    return sorted(entry for entry in entries if entry[1])


def _of_class(cls: type) -> Iterator[tuple[str, str]]:
    """Label and tooltip of a registered class, and of its own properties with their choices."""
    rna = cls.bl_rna
    if issubclass(cls, bpy.types.Operator):
        group, name = cls.bl_idname.split(".")
        rna = getattr(getattr(bpy.ops, group), name).get_rna_type()
    yield rna.translation_context, getattr(cls, "bl_label", "")
    yield DEFAULT, rna.description
    for name in {name: None for base in cls.__mro__ for name in inspect.get_annotations(base)}:
        if name in rna.properties:
            yield from _of_property(rna.properties[name])


def _of_property(prop: bpy.types.Property) -> Iterator[tuple[str, str]]:
    if prop.is_hidden:
        return
    for item in (prop, *getattr(prop, "enum_items", ())):
        yield prop.translation_context, item.name
        yield DEFAULT, item.description


def _of_call(call: ast.Call) -> Iterator[tuple[str, str]]:
    """Literal texts that a call draws: `text=` of a layout, and templates of `phrase`."""
    name = _name(call)
    drawn = [word.value for word in call.keywords if word.arg in ("text", "title")]
    drawn += call.args[:1] if name == "phrase" else []
    drawn += [
        branch
        for value in drawn
        if isinstance(value, ast.IfExp)
        for branch in (value.body, value.orelse)
    ]
    for value in drawn:
        if isinstance(value, ast.Constant):
            yield OPERATOR if name in BUTTONS else DEFAULT, value.value


def sentences() -> Iterator[str]:
    """Templates of errors, reports and notes in all rooms but those of ENGLISH."""
    for path in (ROOT / "erosion_addon").rglob("*.py"):
        if path.relative_to(ROOT / "erosion_addon").parts[0] not in ENGLISH:
            for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(call, ast.Call) and call.args and _name(call) in SPEAKERS:
                    text = call.args[-1]
                    if isinstance(text, ast.Constant) and isinstance(text.value, str):
                        template = plain(text.value)
                        if re.search("[a-z]", re.sub("{.*?}", "", template)):
                            yield template


def _name(call: ast.Call) -> str:
    """The name of the called function or method."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def update(locale: str) -> Path:
    """Write the file of a language with the current texts of the interface; returns its path."""
    path = FOLDER / f"{locale}.json"
    translations = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    content: dict[str, dict[str, str]] = {}
    for context, text in messages():
        content.setdefault(context, {})[text] = translations.get(context, {}).get(text, "")
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return path


if __name__ == "__main__":
    erosion_addon.register()
    print(update(sys.argv[1]))
    erosion_addon.unregister()
