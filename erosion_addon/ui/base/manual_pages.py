# SPDX-License-Identifier: GPL-3.0-or-later
"""The bundled manual, docs/, converted to HTML pages."""

import html
import re
from itertools import groupby
from pathlib import Path

DOCS = Path(__file__).resolve().parents[3] / "docs"
CONTENTS = DOCS / "README.md"

_STYLE = """
body { font: 16px/1.5 sans-serif; max-width: 52em; margin: 2em auto; padding: 0 1em }
body { color: #222; background: #fff } img { max-width: 100% }
code, pre { background: #f0f0f0; border-radius: 3px } pre { padding: 0.7em; overflow: auto }
table { border-collapse: collapse } td, th { padding: 0.2em 0.6em }
td, th { border: 1px solid #ccc; text-align: left }
"""

_INLINE = (
    (r"`([^`]+)`", r"<code>\1</code>"),
    (r"\*\*([^*]+)\*\*", r"<b>\1</b>"),
    (r"\*([^*]+)\*", r"<i>\1</i>"),
)


def page(text: str, folder: Path) -> str:
    """HTML of a Markdown page: headings, paragraphs, lists, tables, code, pictures and links.

    folder: base of relative addresses. Missing pictures are left out, and links to missing files
    become plain text. Links to other manual pages lead to their HTML.
    """
    text = re.sub(r"<!--.*?-->\n?", "", text, flags=re.DOTALL)
    blocks = re.split(r"\n\s*\n", text.strip("\n"))
    body = "\n".join(_block(kind, list(found), folder) for kind, found in groupby(blocks, _kind))
    head = f'<meta charset="utf-8"><title>Terrain Erosion</title><style>{_STYLE}</style>'
    return f"<!doctype html>{head}\n{body}\n"


def _kind(block: str) -> str:
    """Kind of a block; consecutive blocks of one kind, such as list items, are merged."""
    first = block.lstrip("\n")
    for kind, begin in (
        ("code", r"    "),
        ("heading", r"#+ "),
        ("ol", r"\d+\. "),
        ("ul", r"- "),
        ("table", r"\|"),
    ):
        if re.match(begin, first):
            return kind
    return "paragraph"


def _block(kind: str, blocks: list[str], folder: Path) -> str:
    if kind == "code":
        lines = "\n\n".join(blocks).split("\n")
        return f"<pre>{html.escape(chr(10).join(line[4:] for line in lines))}</pre>"
    if kind == "table":
        return "\n".join(_table(block, folder) for block in blocks)
    if kind in ("ol", "ul"):
        entries = re.split(r"^(?:\d+\.|-) ", "\n".join(blocks), flags=re.MULTILINE)[1:]
        return (
            f"<{kind}>{''.join(f'<li>{_inline(entry, folder)}</li>' for entry in entries)}</{kind}>"
        )
    if kind == "heading":
        return "\n".join(_heading(line) for block in blocks for line in block.split("\n"))
    return "\n".join(f"<p>{_inline(block, folder)}</p>" for block in blocks)


def _heading(line: str) -> str:
    marks, words = line.split(" ", 1)
    anchor = re.sub(r"[^\w-]", "", words.lower().replace(" ", "-"))
    return f'<h{len(marks)} id="{anchor}">{html.escape(words)}</h{len(marks)}>'


def _table(block: str, folder: Path) -> str:
    rows = [
        [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        for line in block.split("\n")
    ]
    lines = (
        "".join(f"<{tag}>{_inline(cell, folder)}</{tag}>" for cell in row)
        for tag, row in [("th", rows[0]), *(("td", row) for row in rows[2:])]
    )
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def _inline(text: str, folder: Path) -> str:
    text = html.escape(text, quote=False)
    for pattern, replacement in _INLINE:
        text = re.sub(pattern, replacement, text)
    text = re.sub(
        r"!\[([^]]*)\]\(([^)]+)\)", lambda found: _picture(found[1], found[2], folder), text
    )
    return re.sub(r"\[([^]]*)\]\(([^)]+)\)", lambda found: _link(found[1], found[2], folder), text)


def _picture(words: str, address: str, folder: Path) -> str:
    path = (folder / address.replace("%20", " ")).resolve()
    return f'<img src="{path.as_uri()}" alt="{html.escape(words)}">' if path.is_file() else ""


def _link(words: str, address: str, folder: Path) -> str:
    if not address.startswith(("#", "https://", "http://")):
        name, mark, anchor = address.partition("#")
        path = (folder / name).resolve()
        if not path.is_file():
            return words
        is_page = path.suffix == ".md" and path.is_relative_to(DOCS)
        address = f"{name.removesuffix('.md')}.html" if is_page else path.as_uri()
        address += mark + anchor
    return f'<a href="{html.escape(address)}">{words}</a>'


def write(folder: Path) -> Path:
    """Write all manual pages as HTML into `folder`, in the same tree; returns the path of the
    contents page.
    """
    for source in DOCS.rglob("*.md"):
        made = folder / source.relative_to(DOCS).with_suffix(".html")
        made.parent.mkdir(parents=True, exist_ok=True)
        made.write_text(page(source.read_text(encoding="utf-8"), source.parent), encoding="utf-8")
    return folder / CONTENTS.relative_to(DOCS).with_suffix(".html")
