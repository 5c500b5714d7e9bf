# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual as HTML: the content of docs/, readable in any browser."""

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import bpy
import pytest

from erosion_addon.ui.base import manual_pages

EMPTY = {"img", "meta"}


class Page(HTMLParser):
    """Texts by the tag that they stand in; fails where tags are not closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open = []
        self.texts = {}
        self.links = []
        self.anchors = set()
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.links += [given["href"]] if "href" in given else []
        self.anchors |= {given["id"]} if "id" in given else set()
        self.open += [] if tag in EMPTY else [tag]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The pages as they are written, by path, the contents first."""
    contents = manual_pages.write(tmp_path_factory.mktemp("manual").resolve())
    written = [contents, *sorted(set(contents.parent.rglob("*.html")) - {contents})]
    return {path: Page(path.read_text(encoding="utf-8")) for path in written}


def test_the_pages_have_every_heading_of_the_manual(pages):
    headings = []
    for source in manual_pages.DOCS.rglob("*.md"):
        headings += re.findall(r"^## (.+)$", source.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(headings) > 30
    assert sorted(text for page in pages.values() for text in page.texts.get("h2", [])) == sorted(
        headings
    )


def test_no_mark_of_markdown_is_left_on_a_page(pages):
    for path, page in pages.items():
        prose = [
            text for tag in ("p", "li", "td", "b", "i", "a") for text in page.texts.get(tag, [])
        ]
        marks = ("**", "](", "`", "<!--")
        assert not [text for text in prose if any(mark in text for mark in marks)], path


def test_links_lead_somewhere(pages):
    for path, page in pages.items():
        for link in page.links:
            address = urlsplit(link)
            if address.scheme == "https":
                continue
            if address.scheme == "file":
                assert Path(unquote(address.path)).is_file(), link
                continue
            target = (path.parent / address.path).resolve() if address.path else path
            assert target in pages, (path, link)
            assert not address.fragment or address.fragment in pages[target].anchors, (path, link)


def test_every_page_can_be_reached_from_the_contents(pages):
    reached = set()
    waiting = [next(iter(pages))]
    while waiting:
        path = waiting.pop()
        if path in reached:
            continue
        reached.add(path)
        names = [urlsplit(link).path for link in pages[path].links if not urlsplit(link).scheme]
        waiting += [(path.parent / name).resolve() for name in names if name]
    assert reached == set(pages)


def test_blocks_become_what_they_are():
    blocks = (
        "# A & B",
        "One **bold**\nline.",
        "1. first\n   goes on\n2. `a < b`",
        "    x = 1",
        "    y = 2",
        "| a | b |\n| --- | --- |\n| 1 | 2 |",
    )
    text = "\n\n".join(blocks)
    body = manual_pages.page(text, Path()).partition("</style>\n")[2]
    assert body == (
        '<h1 id="a--b">A &amp; B</h1>\n<p>One <b>bold</b>\nline.</p>\n'
        "<ol><li>first\n   goes on\n</li><li><code>a &lt; b</code></li></ol>\n<pre>x = 1\n\ny = "
        "2</pre>\n<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>\n"
    )


def test_pictures_and_pages_that_are_not_there_are_left_out(tmp_path):
    (tmp_path / "a.png").touch()
    body = manual_pages.page("![There](a.png) ![Not](b.png) [words](c.md#d)", tmp_path)
    assert (
        body.count("<img") == 1
        and (tmp_path / "a.png").as_uri() in body
        and "words" in body
        and "<a " not in body
    )


def test_the_browser_opens_the_page(monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda url, *_: opened.append(url))
    assert bpy.ops.erosion.manual_open() == {"FINISHED"}
    assert opened[0].startswith("file:///") and opened[0].endswith(".html")
