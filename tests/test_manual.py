# SPDX-License-Identifier: GPL-3.0-or-later
import runpy
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_manuals_tables_are_those_of_the_declarations():
    manual = (ROOT / "README.md").read_text(encoding="utf-8")
    filled = runpy.run_path(str(ROOT / "release" / "manual.py"))["filled"]
    assert filled(manual) == manual, "run python release/manual.py"
