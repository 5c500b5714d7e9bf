# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual as HTML: the content of docs/, readable in any browser."""

import re
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import pytest

from release import manual_pages

EMPTY = {"img", "meta", "br", "hr"}
DOCS = manual_pages.DOCS
SOURCES = [path for path in sorted(DOCS.rglob("*.md")) if path.parent.name != "changes"]


class Page(HTMLParser):
    """Texts by the tag that they stand in; fails where tags are not closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open = []
        self.texts = {}
        self.links = []
        self.pictures = []
        self.anchors = set()
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.links += [values["href"]] if "href" in values else []
        self.pictures += [values["src"]] if "src" in values else []
        self.anchors |= {values["id"]} if "id" in values else set()
        self.open += [] if tag in EMPTY else [tag]

    def handle_endtag(self, tag):
        assert tag in EMPTY or self.open.pop() == tag

    def handle_data(self, data):
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Pages as written, by path, the contents first."""
    folder = tmp_path_factory.mktemp("manual").resolve()
    for source in SOURCES:
        manual_pages.write(source, folder)
    contents = folder / "README.html"
    written = [contents, *sorted(set(folder.rglob("*.html")) - {contents})]
    return {path: Page(path.read_text(encoding="utf-8")) for path in written}


def test_the_pages_have_every_heading_of_the_manual(pages):
    headings = []
    for source in SOURCES:
        lines = re.findall(r"^## (.+)$", source.read_text(encoding="utf-8"), re.MULTILINE)
        headings += [re.sub("`.*?`", "", line) for line in lines]  # code is an element of its own
    assert len(headings) > 30
    assert sorted(text for page in pages.values() for text in page.texts.get("h2", [])) == sorted(
        headings
    )


def test_no_mark_of_markdown_is_left_on_a_page(pages):
    for path, page in pages.items():
        prose = [
            text
            for tag in ("p", "li", "td", "strong", "em", "a", "span")
            for text in page.texts.get(tag, [])
        ]
        marks = ("**", "](", "`", "<!--", " | ")
        assert not [text for text in prose if any(mark in text for mark in marks)], path


def test_links_and_pictures_are_in_the_zip(pages):
    """Pictures and presets lie where the zip has them, beside the pages."""
    for path, page in pages.items():
        source = DOCS / path.relative_to(next(iter(pages)).parent)
        for link in [*page.links, *page.pictures]:
            address = urlsplit(link)
            if address.scheme == "https":
                continue
            assert not address.scheme, link
            target = (path.parent / address.path).resolve() if address.path else path
            if target in pages:
                assert not address.fragment or address.fragment in pages[target].anchors, link
            else:
                target = (source.parent / unquote(address.path)).resolve()
                assert target.is_file() and target.suffix != ".md", (path, link)
                top = target.relative_to(manual_pages.ROOT).parts[0]
                assert top in manual_pages.SHIPPED, (path, link)


def test_every_page_can_be_reached_from_the_contents(pages):
    reached = set()
    waiting = [next(iter(pages))]
    while waiting:
        path = waiting.pop()
        if path in reached:
            continue
        reached.add(path)
        names = [urlsplit(link).path for link in pages[path].links if not urlsplit(link).scheme]
        targets = [(path.parent / name).resolve() for name in names if name.endswith(".html")]
        waiting += targets
    assert reached == set(pages)


def test_a_link_to_a_file_that_is_not_shipped_is_plain_text():
    body = manual_pages.page("[words](../CHANGELOG.md) [no](none.md#d) [a](manual/look.md)", DOCS)
    assert "<span>words</span> <span>no</span>" in body
    assert '<a href="manual/look.html">a</a>' in body
