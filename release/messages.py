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
UNSEEN = (
    "cli/",
    "landscape/",
    "worker/",
    "scene/stage/render.py",
    "ui/export/eroding.py",
    "ui/export/rendering.py",
)
"""Modules whose sentences only the command line says."""
NOTES = {
    "{} eroded",  # the name of an object
    "{} failed because of an internal error",
    "{} has {} vertices; a terrain needs at least {} × {}",
    "{} is being {}",
    "{} is linked from another file",
    "{} waits for its turn",
    "{} {} triangles",
    "{}, and only the mesh below its modifiers counts: apply {} first.",
    "About {} and {} of memory",
    "changed",
    "Delete {}",
    "Delete {}?",
    "Does not work",
    "eroded",
    "Libraries: {}",
    "No preview: {}",
    "Not running; starts when it is needed",
    "Nothing has been compiled yet",
    "Nothing is being eroded",
    "Preview {} × {}, {} s",
    "Preview {} × {} …",
    "Replace {}",
    "Replace {}?",
    "Select a terrain",
    "Switch to Object Mode first",
    "This terrain has not been eroded",
    "Worker: {}",
}
"""Notes, reasons and names that are no whole sentences."""


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
    templates = tuple(re.sub(r"{[^{}]*}", "{}", text) for _, text in entries)
    entries |= {
        (SENTENCE, text)
        for text in sentences()
        if not any(template.startswith(text.rstrip(".")) for template in templates)
    }
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


def sentences() -> set[str]:
    """Errors, reports and notes of all modules but UNSEEN, with {} for their values."""
    phrases = set(NOTES)
    for path in sorted((ROOT / "erosion_addon").rglob("*.py")):
        if not (name := path.relative_to(ROOT / "erosion_addon").as_posix()).startswith(UNSEEN):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            phrases |= set(_reported(tree))
            if name.startswith(("scene/", "ui/")):
                phrases |= {
                    text
                    for text in texts(tree)
                    if text[0].isupper() | (text[0] == "{") and text.endswith(".")
                }
    return {text for text in phrases if re.search("[a-z]{2}", text)}


def texts(tree: ast.AST) -> Iterator[str]:
    """Literal texts of more than a word in a module, with {} for their values; no docstrings."""
    parts = {
        part for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values
    }
    parts |= {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if node not in parts and (text := _template(node)) and " " in text.strip():
            yield text


def _reported(tree: ast.AST) -> Iterator[str]:
    for call in ast.walk(tree):
        if (
            isinstance(call, ast.Call)
            and call.args
            and _name(call) in ("InputError", "NoAnswerError", "report")
        ):
            argument = call.args[-1]
            branches = [argument]
            if isinstance(argument, ast.IfExp):
                branches = [argument.body, argument.orelse]
            for branch in branches:
                if text := _template(branch):
                    yield text


def _template(node: ast.AST) -> str:
    """A text of the source with {} for its values; empty for anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return re.sub(r"{[^{}]*}", "{}", node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(
            part.value if isinstance(part, ast.Constant) else "{}" for part in node.values
        )  # type: ignore[misc]
    return ""


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
