# SPDX-License-Identifier: GPL-3.0-or-later
"""The button that opens the manual."""

import bpy

from erosion_addon.ui.base import manual


def test_the_browser_opens_the_manual(monkeypatch):
    addresses = []
    monkeypatch.setattr("webbrowser.open", lambda url, *_: addresses.append(url))
    assert bpy.ops.erosion.manual_open() == {"FINISHED"}
    assert addresses == [(manual.DOCS / "README.md").as_uri()]


def test_the_shipped_manual_is_html(monkeypatch, tmp_path):
    (tmp_path / "README.html").touch()
    monkeypatch.setattr(manual, "DOCS", tmp_path)
    assert manual.contents() == tmp_path / "README.html"
