# SPDX-License-Identifier: GPL-3.0-or-later
"""The worker before a run: preferences, early compilation, broken libraries."""

import json
import subprocess
import sys
import time
from pathlib import Path

import bpy
import pytest

from erosion_addon.base.threads import processors
from erosion_addon.scene.run import job
from erosion_addon.scene.session import session
from erosion_addon.scene.terrain import grid
from erosion_addon.scene.worker import compiled, speeds
from erosion_addon.scene.worker import worker_process as process
from erosion_addon.ui.base import preferences
from erosion_addon.ui.recipe import steps
from erosion_addon.ui.run import main_panel, runs, warmup
from erosion_addon.worker.client import Runner
from tests.ui.conftest import z_of


@pytest.fixture
def chosen():
    """The extension's preferences, as Blender keeps them for an enabled extension."""
    addon = bpy.context.preferences.addons.new()
    addon.module = preferences.ADDON
    yield addon.preferences
    bpy.context.preferences.addons.remove(addon)
    session.worker.kernel_folder = ""


@pytest.fixture(autouse=True)
def no_worker():
    warmup.unregister()
    yield
    job.clear()
    process.stop()


def wait_for(condition, seconds=300.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def report_of(obj):
    assert bpy.ops.erosion.run() == {"FINISHED"}
    return json.loads(obj.erosion.report)


def test_threads_come_from_the_preference_or_the_machine(terrain_object, chosen):
    assert report_of(terrain_object)["threads"] == processors()
    chosen.threads = 1
    assert report_of(terrain_object)["threads"] == 1


def test_light_is_baked_on_as_many_threads_as_a_run_takes(terrain_object, chosen, monkeypatch):
    given = []
    compute = Runner.compute

    def watched(runner, asked, threads):
        given.append(threads)
        compute(runner, asked, threads)

    monkeypatch.setattr(Runner, "compute", watched)
    for threads in (0, 1):
        chosen.threads = threads
        bpy.ops.erosion.light_bake(azimuths=4)
    assert given == [0, 1]


def test_every_preference_has_a_tooltip():
    own = list(preferences.EROSION_AP_preferences.__annotations__)
    described = preferences.EROSION_AP_preferences.bl_rna.properties
    assert own and all(len(described[name].description) > 20 for name in own)


@pytest.mark.thorough
def test_compiling_into_the_chosen_folder_is_shown_and_can_be_cancelled_and_cleared(
    terrain_object, chosen, tmp_path
):
    chosen.kernel_folder = str(tmp_path)
    (tmp_path / "mine.txt").write_text("keep this")
    process.stop()
    before = z_of(terrain_object).tobytes()
    run = runs.start(terrain_object)
    worker = process.ready()
    while not (run.message.startswith("Compiling") and run.fraction > 0.3):
        run.poll(0.02)
    bpy.ops.erosion.cancel()
    assert not worker.alive and z_of(terrain_object).tobytes() == before

    run = runs.start(terrain_object)
    seen = []
    while not run.ended:
        run.poll(0.02)
        seen.append((run.state, run.message, run.fraction))
    compiling = [
        fraction
        for _, message, fraction in seen
        if message.startswith("Compiling for this recipe (once)")
    ]
    assert run.state == "done" and len(set(compiling)) > 3
    assert {state for state, message, _ in seen if message.startswith("Compiling")} == {"compiling"}
    job.clear()
    assert report_of(terrain_object)["finished"] == 1

    assert list(tmp_path.glob("numba-*/**/*.nbc"))
    assert bpy.ops.erosion.kernels_clear() == {"FINISHED"}
    assert [path.name for path in tmp_path.rglob("*")] == ["mine.txt"]


@pytest.mark.parametrize("folder", ["//", "//kernels", "kernels", "./kernels", "../kernels"])
def test_no_kernels_are_read_beside_a_blend_or_in_the_current_folder(
    chosen, tmp_path, monkeypatch, folder
):
    monkeypatch.chdir(tmp_path)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "someone's.blend"))
    chosen.kernel_folder = folder
    assert (
        "TERRAIN_EROSION_CACHE" not in compiled.worker_environment() and compiled.folder() is None
    )
    assert compiled.why_not_in(folder).startswith(
        "The folder for compiled kernels must be an absolute path"
    )
    assert compiled.why_not_in(str(tmp_path)) is None


def test_there_is_nothing_to_clear_where_no_folder_is_known():
    assert not bpy.ops.erosion.kernels_clear.poll()


def test_the_worker_is_kept_or_not_as_is_preferred(terrain_object, chosen):
    report_of(terrain_object)
    assert process.condition() == "Ready"
    chosen.keep_worker = False
    assert process.condition().startswith("Not running")
    report_of(terrain_object)
    assert process.condition().startswith("Not running")


def test_a_terrain_in_the_tab_has_its_recipe_compiled_once(terrain_object):
    warmup.warm_up(terrain_object)
    assert process.is_getting_ready()
    runner = process.ready()
    orders = []
    wait_for(lambda: not process.is_getting_ready())
    assert process.condition() == "Ready"
    runner.warm = lambda *order: orders.append(order)
    terrain_object.erosion.steps[0].droplet.drops_per_cell = 2.0
    warmup.warm_up(terrain_object)
    assert orders == []  # an amount changes nothing about what is called
    terrain_object.erosion.steps[0].droplet.erosion_footprint = "bilinear"
    warmup.warm_up(terrain_object)
    terrain_object.erosion.strength.source = "ATTRIBUTE"
    warmup.warm_up(terrain_object)
    warmup.warm_up(terrain_object)
    assert [(order[2], order[1]) for order in orders] == [
        ([], (10.0, 10.0)),
        (["strength"], (10.0, 10.0)),
    ]


def test_a_worker_that_was_cancelled_is_not_started_again_by_the_panel(terrain_object):
    warmup.warm_up(terrain_object)
    process.stop()
    warmup.warm_up(terrain_object)
    assert process.condition().startswith("Not running")
    terrain_object.erosion.recipe_name = "badlands"
    warmup.warm_up(terrain_object)
    assert process.is_getting_ready()


def test_what_is_no_terrain_starts_no_worker():
    bpy.ops.mesh.primitive_ico_sphere_add()
    bpy.ops.object.mode_set(mode="EDIT")
    warmup.warm_up(bpy.context.object)
    warmup.warm_up(None)
    assert process.condition().startswith("Not running")


def test_without_a_window_nothing_is_warmed_up(terrain_object):
    warmup.notice(terrain_object)
    assert not bpy.app.timers.is_registered(warmup._tick)


def test_a_notice_starts_nothing_while_blender_draws(terrain_object, chosen, monkeypatch):
    times = []
    monkeypatch.setattr(warmup, "_has_window", lambda: True)
    monkeypatch.setattr(warmup, "_later", lambda: times.append(1))
    warmup.notice(terrain_object)
    assert times == [1] and process.condition().startswith("Not running")
    chosen.warm_up = False
    warmup.notice(terrain_object)
    chosen.warm_up = True
    chosen.keep_worker = False
    warmup.notice(terrain_object)
    assert times == [1]


@pytest.fixture
def broken(tmp_path, monkeypatch):
    """Another extension's llvmlite for another Python, ahead of ours until `mend` is called."""
    (tmp_path / "packages" / "llvmlite").mkdir(parents=True)
    (tmp_path / "packages" / "llvmlite" / "__init__.py").write_text(
        "raise ImportError('made for another Python')"
    )
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    bare = next((tmp_path / "bare").glob("*/" + Path(sys.executable).name))
    monkeypatch.setattr(sys, "executable", str(bare))
    monkeypatch.setattr(sys, "path", [str(tmp_path / "packages"), *sys.path])
    yield monkeypatch.undo
    monkeypatch.undo()
    process.restart()


def test_libraries_that_do_not_work_gray_run_out_with_the_reason_until_restart(
    terrain_object, broken
):
    before = z_of(terrain_object).tobytes()
    warmup.warm_up(terrain_object)
    wait_for(process.fault)
    assert process.condition() == "Does not work"
    assert not bpy.ops.erosion.run.poll()
    with pytest.raises(
        RuntimeError, match=r"do not work together here .*reinstall Terrain Erosion"
    ):
        bpy.ops.erosion.run()
    # what needs no worker is not grayed
    assert bpy.ops.erosion.maps_export.poll() == bpy.ops.erosion.look_add.poll()
    process.stop()
    assert not bpy.ops.erosion.run.poll()
    broken()
    assert bpy.ops.erosion.worker_restart() == {"FINISHED"}
    assert bpy.ops.erosion.run.poll() and report_of(terrain_object)["finished"] == 1
    assert z_of(terrain_object).tobytes() != before


def test_a_run_on_broken_libraries_ends_with_the_sentence_and_leaves_the_terrain(
    terrain_object, broken
):
    before = z_of(terrain_object).tobytes()
    with pytest.raises(RuntimeError, match="do not work together here"):
        bpy.ops.erosion.run()
    assert z_of(terrain_object).tobytes() == before and session.run.task is None
    assert not bpy.ops.erosion.run.poll()


class Row:
    """Remembers what is drawn in it."""

    def __init__(self):
        self.drawn = []

    def __getattr__(self, kind):
        return lambda **given: self.drawn.append((kind, given.get("text")))


def test_how_far_it_has_compiled_stands_where_the_time_stood_so_that_no_button_moves(monkeypatch):
    quiet = Row()
    busy = Row()
    monkeypatch.setattr(process, "compiling", lambda: None)
    main_panel._draw_worker(quiet, "About 2 s and 90 MB of memory", [])
    monkeypatch.setattr(
        process, "compiling", lambda: (0.5, "Compiling for this recipe (once), step 1 of 2")
    )
    main_panel._draw_worker(busy, "About 2 s and 90 MB of memory", [])
    assert quiet.drawn == [("label", "About 2 s and 90 MB of memory")]
    assert busy.drawn == [("progress", "Compiling for this recipe (once), step 1 of 2")]


def test_the_time_that_a_run_took_is_what_the_panel_says_of_the_next(terrain_object, monkeypatch):
    monkeypatch.setattr("erosion_addon.run.speeds.SHORTEST", 0.0)
    monkeypatch.setattr("erosion_addon.run.speeds.MOST", 1e9)
    recipe = steps.recipe_or_none(terrain_object.erosion)
    found = grid.describe(terrain_object)
    before = main_panel._words(found, recipe)
    (step,) = (step for step in report_of(terrain_object)["steps"])
    assert speeds.known() == {"droplet": pytest.approx(step["seconds"] / step["estimated_seconds"])}
    assert json.loads(speeds.path().read_text()) == speeds.known()
    speeds.path().write_text('{"droplet": 1000}')
    session.worker.speeds = None  # as in the next session
    assert main_panel._words(found, recipe) != before


def test_all_that_recipes_call_is_compiled_in_the_background_once_a_session(monkeypatch):
    started = []

    class Child:
        stdin = None

        def kill(self):
            started.append("killed")

        def wait(self):
            pass

    def start(module, environment, stdout, priority):
        started.append((module, priority))
        return Child()

    monkeypatch.setattr(process.client, "start", start)
    monkeypatch.setattr(process, "worker_environment", lambda: {"TERRAIN_EROSION_CACHE": ""})
    process.compile_all()
    assert started == []  # it could not be kept
    monkeypatch.setattr(process, "worker_environment", dict)
    process.compile_all()
    process.compile_all()
    assert started == [("run.precompile_all", "IDLE")]
    warmup.unregister()
    assert started == [("run.precompile_all", "IDLE"), "killed"]


def test_the_rest_is_compiled_when_what_the_tab_shows_is_compiled(terrain_object, monkeypatch):
    asked = []
    monkeypatch.setattr(process, "compile_all", lambda: asked.append(process.is_getting_ready()))
    monkeypatch.setattr(session.warmup, "terrain", terrain_object.session_uid)
    wait_for(lambda: warmup._tick() is None)
    assert asked == [False]
