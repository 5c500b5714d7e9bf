# SPDX-License-Identifier: GPL-3.0-or-later
"""Readiness: one list of checks, made in one order."""

import bpy
import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.scene.original import original
from erosion_addon.scene.run import job, readiness
from erosion_addon.scene.run.readiness import Check
from erosion_addon.scene.session import session
from erosion_addon.scene.terrain.mesh import positions
from erosion_addon.scene.worker import worker_process
from tests.scene.run.test_job import obj, start  # noqa: F401 - a fixture


def test_reasons_come_in_the_order_of_the_checks(obj, monkeypatch):  # noqa: F811
    start(obj)
    obj.shape_key_add(name="Basis")
    monkeypatch.setattr(readiness, "is_rendering", lambda: True)
    monkeypatch.setattr(worker_process, "fault", lambda: "It does not work.")
    monkeypatch.setitem(readiness._REASONS, Check.LATTICE, lambda _: "It is no grid.")
    reasons = [
        readiness.why_not(obj, list(Check)[number:], lambda _: "The mask is empty.")
        for number in range(len(Check))
    ]
    job.clear()
    assert [reason[: len(part)] for reason, part in zip(reasons, PARTS, strict=True)] == PARTS
    assert readiness.why_busy() is None


PARTS = [
    "Terrain is being eroded; wait",
    "Terrain is being eroded",
    "Terrain has shape keys",
    "This terrain has not been eroded",
    "A render or bake is running",
    "It is no grid.",
    "The mask is empty.",
    "It does not work.",
]


def test_a_terrain_that_is_ready_passes_all(obj):  # noqa: F811
    original.keep_source(obj.data, positions(obj.data)[:, 2])
    assert readiness.why_not(obj, Check) is None


def test_a_job_begins_only_where_the_checks_pass(obj, monkeypatch):  # noqa: F811
    monkeypatch.setattr(readiness, "is_rendering", lambda: True)
    with pytest.raises(InputError, match="A render or bake is running"):
        start(obj)
    assert session.run.task is None and bpy.data.objects["Terrain"] is obj
