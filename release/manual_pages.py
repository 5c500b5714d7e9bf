# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual as HTML for the extension's zip."""

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

import markdown
from markdown.extensions.toc import TocExtension
from markdown.treeprocessors import Treeprocessor

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
FRAGMENTS = DOCS / "changes"
SHIPPED = ("docs", "presets")
"""Folders at the top of the zip that pages may link to."""

STYLE = """
body { font: 16px/1.5 sans-serif; max-width: 52em; margin: 2em auto; padding: 0 1em }
body { color: #222; background: #fff }
img { max-width: 100% }
code, pre { background: #f0f0f0; border-radius: 3px }
pre { padding: 0.7em; overflow: auto }
table { border-collapse: collapse }
td, th { border: 1px solid #ccc; padding: 0.2em 0.6em; text-align: left }
"""


def anchor(heading: str, separator: str = "-") -> str:
    """Anchor of a heading, as hosts of Markdown form it."""
    return re.sub(r"[^\w-]", "", heading.lower().replace(" ", separator))


class _Links(Treeprocessor):
    """Links to pages lead to their HTML; links to files that are not shipped become plain text."""

    def __init__(self, converter: markdown.Markdown, folder: Path) -> None:
        super().__init__(converter)
        self._folder = folder

    def run(self, root: ElementTree.Element) -> None:
        for link in root.iter("a"):
            address = urlsplit(link.get("href", ""))
            if address.scheme or not address.path:
                continue
            path = (self._folder / unquote(address.path)).resolve()
            if not _is_shipped(path):
                link.tag = "span"
                del link.attrib["href"]
            elif path.suffix == ".md":
                page = PurePosixPath(address.path).with_suffix(".html")
                link.set("href", address._replace(path=str(page)).geturl())


def _is_shipped(path: Path) -> bool:
    """Whether the zip holds this file, a page as HTML."""
    return (
        path.is_file()
        and any(path.is_relative_to(ROOT / name) for name in SHIPPED)
        and not path.is_relative_to(FRAGMENTS)
    )


def page(text: str, folder: Path) -> str:
    """HTML of a Markdown page. folder: base of its relative links."""
    converter = markdown.Markdown(
        extensions=["tables", "fenced_code", "sane_lists", TocExtension(slugify=anchor)]
    )
    converter.treeprocessors.register(_Links(converter, folder), "links", 0)
    body = converter.convert(re.sub(r"<!--.*?-->\n?", "", text, flags=re.DOTALL))
    head = '<meta charset="utf-8"><title>Terrain Erosion</title>'
    return f"<!doctype html>{head}<style>{STYLE}</style>\n{body}\n"


def write(source: Path, folder: Path) -> None:
    """Write a page of docs/ as HTML below `folder`, in the same tree."""
    target = folder / source.relative_to(DOCS).with_suffix(".html")
    target.parent.mkdir(parents=True, exist_ok=True)
    text = page(source.read_text(encoding="utf-8"), source.parent)
    target.write_text(text, encoding="utf-8", newline="\n")
