# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixture that isolates the tests in Blender from this machine's measured speeds."""

import pytest

from erosion_addon.scene.session import session
from erosion_addon.scene.worker import speeds


@pytest.fixture(scope="session")
def speeds_file(tmp_path_factory):
    return tmp_path_factory.mktemp("speeds") / "speeds.json"


@pytest.fixture(autouse=True)
def no_speeds(speeds_file, monkeypatch):
    """A machine that has measured nothing: its own figures change no estimate, and no test changes
    its figures.
    """
    speeds_file.unlink(missing_ok=True)
    monkeypatch.setattr(speeds, "path", lambda: speeds_file)
    session.worker.speeds = None
    yield
    session.worker.speeds = None
