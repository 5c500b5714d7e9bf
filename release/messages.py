# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes what the interface says as a template for translators: `python release/messages.py build/messages.pot`.

Translated, it is called as Blender calls the language, such as erosion_addon/translations/de_DE.po.
"""

import ast
import inspect
import json
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import bpy  # noqa: E402 - the folder of the package has to be known first

import erosion_addon  # noqa: E402
from erosion_addon import ui  # noqa: E402
from erosion_addon.base.parameters import groups  # noqa: E402
from erosion_addon.drainage.statistics import FIGURES  # noqa: E402
from erosion_addon.processes.registry import PROCESSES  # noqa: E402
from erosion_addon.recipe.recipe import LANDSCAPES  # noqa: E402
from erosion_addon.terrain.masks import MASK_KINDS  # noqa: E402
from erosion_addon.ui.terrain.advice import REMEDIES  # noqa: E402

DEFAULT, OPERATOR = bpy.app.translations.contexts.default, bpy.app.translations.contexts.operator_default
BUTTONS = {"operator", "operator_menu_enum"}
"""Functions of a layout whose texts stand on buttons."""


def messages() -> dict[tuple[str, str], str]:
    """(context, message) → the module that shows it, sorted by these; the extension has to be registered."""
    found: dict[tuple[str, str], str] = {}
    for module in ui._MODULES:
        name = module.__name__.rpartition(".")[2]
        for cls in module.CLASSES:
            found |= dict.fromkeys(_of_class(cls), name)
    for path in sorted(Path(ui.__file__).parent.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        found |= {message: path.stem for call in calls for message in _of_call(call)}
    headings = [group for process in PROCESSES.values() for group in groups(process.parameters) if group]
    labels = [known.label for known in (*PROCESSES.values(), *MASK_KINDS.values())]
    labels += [label for _, label, _ in FIGURES]
    found |= {(DEFAULT, heading): "model" for heading in [*headings, *labels, *LANDSCAPES.values()]}
    found |= {(OPERATOR, text): "advice" for _, text, _ in REMEDIES.values()}
    return {known: found[known] for known in sorted(found, key=lambda known: (found[known], known)) if known[1]}


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
    for shown in (prop, *getattr(prop, "enum_items", ())):
        yield prop.translation_context, shown.name
        yield DEFAULT, shown.description


def _of_call(call: ast.Call) -> Iterator[tuple[str, str]]:
    """What a call draws that stands in the source: `text=` of a layout, and templates of `phrase`."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    drawn = [word.value for word in call.keywords if word.arg in ("text", "title")]
    drawn += call.args[:1] if name == "phrase" else []
    drawn += [branch for value in drawn if isinstance(value, ast.IfExp) for branch in (value.body, value.orelse)]
    for value in drawn:
        if isinstance(value, ast.Constant):
            yield OPERATOR if name in BUTTONS else DEFAULT, value.value


def template() -> str:
    """The messages as the text of a .pot file, which is in UTF-8."""
    entries = ['msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n']
    for (context, message), module in messages().items():
        said = f"msgctxt {_quoted(context)}\n" if context != DEFAULT else ""
        entries.append(f'#: {module}\n{said}msgid {_quoted(message)}\nmsgstr ""\n')
    return "\n".join(entries)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


if __name__ == "__main__":
    erosion_addon.register()
    Path(sys.argv[1]).write_text(template(), encoding="utf-8")
    erosion_addon.unregister()
