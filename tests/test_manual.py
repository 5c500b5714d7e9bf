# SPDX-License-Identifier: GPL-3.0-or-later
import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MANUAL = runpy.run_path(str(ROOT / "release" / "manual.py"))


@pytest.mark.parametrize("page", MANUAL["PAGES"], ids=lambda path: path.name)
def test_the_manuals_tables_are_those_of_the_declarations(page):
    text = page.read_text(encoding="utf-8")
    assert MANUAL["filled"](text) == text, "run python release/manual.py"


def test_every_table_has_its_place_in_the_manual():
    pages = "".join(page.read_text(encoding="utf-8") for page in MANUAL["PAGES"])
    for name in ("recipes", "parameters", "sources", "masks", "strata", "fields", "sockets"):
        assert pages.count(f"<!-- {name} -->\n") == 1, name


@pytest.mark.parametrize("page", MANUAL["PAGES"], ids=lambda path: path.name)
def test_files_that_the_manual_shows_are_there(page):
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
        assert target.startswith("http") or (page.parent / target).is_file(), target
