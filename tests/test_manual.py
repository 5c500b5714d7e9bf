# SPDX-License-Identifier: GPL-3.0-or-later
import re
import runpy
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).parents[1]
PAGES = (*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")))
MANUAL = runpy.run_path(str(ROOT / "release" / "manual.py"))


@pytest.mark.parametrize("page", MANUAL["PAGES"], ids=lambda path: path.name)
def test_the_manuals_tables_are_those_of_the_declarations(page):
    text = page.read_text(encoding="utf-8")
    assert MANUAL["filled"](text) == text, "run python release/manual.py"


def test_every_table_has_its_place_in_the_manual():
    pages = "".join(page.read_text(encoding="utf-8") for page in MANUAL["PAGES"])
    for name in ("recipes", "parameters", "sources", "masks", "strata", "fields", "sockets"):
        assert pages.count(f"<!-- {name} -->\n") == 1, name


def anchors(page):
    """The headings of a page as a host of Markdown names them in addresses."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w-]", "", words.lower().replace(" ", "-")) for words in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_what_a_page_links_to_is_there(page):
    for target in re.findall(r"\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
        name, _, anchor = target.partition("#")
        if not name.startswith("https://"):
            assert (page.parent / unquote(name)).is_file() or not name, target
            assert not anchor or anchor in anchors(page.parent / name if name else page), target


def test_every_picture_is_shown_somewhere():
    shown = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    for picture in (ROOT / "docs" / "images").iterdir():
        assert f"images/{picture.name})" in shown, picture


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 130
