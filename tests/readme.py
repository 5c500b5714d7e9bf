# SPDX-License-Identifier: GPL-3.0-or-later
"""The lines of code in the manual, by what they are."""

import re
import shlex
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")))
KINDS = {
    "shell": r"(python -m erosion_addon|blender --command|make|py|terrain-erosion) ",
    "drawing": r" ?idle ──►|┌|.*─┐",
    "tree": r"[\w/]+ {2,}",
    "source": r"# [\w/]+\.py\n",
    "strata": r"(?sm)(?=.*^\[\[layer\]\])",
    "palette": r"rock_color = ",
    "farm job": r"(?s)(?=.*\b(deadlinecommand|from outline import)\b)",
    "toml": r"\w+ = \"|\[\w+\]\n",
    "blender": r"(?s)(?=.*\bbpy\.)",
    "python": r"from |import ",
}
"""Kind of a block → how one begins; "source" quotes a file of the repository, "blender" is Python
that needs bpy; tests/landscape/test_farm.py runs the "farm job"s.
"""


def blocks(kind):
    """The blocks of a kind, as texts."""
    texts = [text for page in PAGES for text in _code(page.read_text(encoding="utf-8"))]
    return [text for text in texts if kind_of(text) == kind]


def kind_of(text):
    return next((kind for kind, begin in KINDS.items() if re.match(begin, text)), None)


def all_blocks():
    return [text for page in PAGES for text in _code(page.read_text(encoding="utf-8"))]


def _code(page):
    """What is indented by four or stands between fences."""
    for block in re.findall(r"(?:(?<=\n\n)|\A)((?: {4}.*\n(?:\n(?= {4}))*)+)", page):
        yield re.sub(r"(?m)^ {4}", "", block)
    yield from re.findall(r"(?ms)^```\w*\n(.*?)^```$", page)


def commands():
    """The words of each line for a shell, those that go on over several lines as one."""
    lines = [line for text in blocks("shell") for line in text.replace("\\\n", " ").splitlines()]
    return [shlex.split(line.replace("\\", "/"), comments=True) for line in lines]
