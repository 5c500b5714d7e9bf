# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixture that isolates the tests in Blender from this machine's measured speeds."""

import pytest

from erosion_addon.scene.session import session
from erosion_addon.scene.worker import speeds


@pytest.fixture(autouse=True)
def no_speeds(tmp_path_factory, monkeypatch):
    """A machine that has measured nothing: its own figures change no estimate, and no test changes
    its figures.
    """
    file = tmp_path_factory.mktemp("speeds") / "speeds.json"
    monkeypatch.setattr(speeds, "path", lambda: file)
    session.worker.speeds = None
    yield
    session.worker.speeds = None
