# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames that a run keeps, from the panel's settings to the files."""

import bpy
import numpy as np
import pytest

from erosion_addon.files.image_files import OpenImageIOFiles
from erosion_addon.run.frames.frame_files import locked
from erosion_addon.run.frames.record import Record
from erosion_addon.scene.run import job
from erosion_addon.scene.session import session
from erosion_addon.ui.run import runs
from tests.ui.conftest import z_of

IMAGES = OpenImageIOFiles()


@pytest.fixture
def keeping(terrain_object, tmp_path):
    """The terrain, with four frames of its runs to keep in the folder `frames`."""
    settings = terrain_object.erosion.frames
    settings.folder = str(tmp_path / "frames")
    settings.count = 4
    settings.keep = True
    settings.fields = {"wear"}
    return terrain_object


def names(folder):
    return sorted(file.name for file in folder.iterdir()) if folder.exists() else []


def poll_until(task, seen):
    while not task.ended and not seen():
        task.poll(0.05)


def test_the_first_frame_is_the_start_and_the_last_one_the_result(keeping, tmp_path):
    before = z_of(keeping)
    bpy.ops.erosion.run("EXEC_DEFAULT")
    folder = tmp_path / "frames"
    assert len(names(folder)) == 11
    for number, heights in ((0, before), (4, z_of(keeping))):
        assert (
            IMAGES.read(folder / f"elevation_000{number}.exr").ravel().tobytes()
            == heights.tobytes()
        )
    values = np.empty(len(keeping.data.vertices), np.float32)
    keeping.data.attributes["wear"].data.foreach_get("value", values)
    assert IMAGES.read(folder / "wear_0004.exr").ravel().tobytes() == values.tobytes()


def test_the_number_of_frames_follows_the_length_and_rate_of_a_film(keeping, tmp_path):
    settings = keeping.erosion.frames
    settings.by = "FILM"
    settings.length = 0.25
    settings.rate = 12
    bpy.ops.erosion.run("EXEC_DEFAULT")
    assert Record.read(tmp_path / "frames").frames == 3


@pytest.mark.parametrize("options", [{}, {"animation": True}])
def test_a_folder_in_which_another_run_is_at_work_is_refused_before_the_work(
    keeping, tmp_path, options
):
    before = z_of(keeping)
    with locked(tmp_path / "frames"):
        with pytest.raises(RuntimeError, match="is being changed by"):
            bpy.ops.erosion.run("EXEC_DEFAULT", **options)
        assert names(tmp_path / "frames") == ["lock"]
    assert np.array_equal(z_of(keeping), before) and session.run.task is None
    bpy.context.scene.frame_end = 2
    bpy.ops.erosion.run("EXEC_DEFAULT", **options)
    assert "frames.json" in names(tmp_path / "frames") and "lock" not in names(tmp_path / "frames")


def test_a_run_that_is_canceled_gives_its_folder_back(keeping, tmp_path):
    keeping.erosion.steps[0].droplet.drops_per_cell = 1000.0
    run = runs.start(keeping)
    poll_until(run, lambda: run.fraction > 0)
    assert "lock" in names(tmp_path / "frames")
    bpy.ops.erosion.cancel()
    assert not (tmp_path / "frames").exists()


def test_frames_of_another_run_stay_and_the_run_is_refused_until_they_are_deleted(
    keeping, tmp_path
):
    bpy.ops.erosion.run("EXEC_DEFAULT")
    kept = {name: (tmp_path / "frames" / name).read_bytes() for name in names(tmp_path / "frames")}
    with pytest.raises(RuntimeError, match="already holds frames of a run"):
        bpy.ops.erosion.run("EXEC_DEFAULT")
    assert {
        name: (tmp_path / "frames" / name).read_bytes() for name in names(tmp_path / "frames")
    } == kept
    bpy.ops.erosion.frames_remove()
    assert names(tmp_path / "frames") == []
    assert bpy.ops.erosion.run("EXEC_DEFAULT") == {"FINISHED"}


def test_cancel_leaves_no_frame(keeping, tmp_path):
    keeping.erosion.frames.count = 40
    run = _long_run(keeping)
    poll_until(run, lambda: len(names(tmp_path / "frames")) > 3)
    job.clear()
    assert run.state == "cancelled" and names(tmp_path / "frames") == []


def test_frames_go_on_after_a_pause_and_cancel_goes_back_to_it(keeping, tmp_path):
    folder = tmp_path / "frames"  # so that much is left of the run when the first ones are there
    count = 40
    keeping.erosion.frames.count = count
    run = _long_run(keeping)
    poll_until(run, lambda: (Record.read(folder) or run).__dict__.get("kept", 0) >= 1)
    run.pause()
    poll_until(run, lambda: False)
    assert run.state == "done"
    job.clear()
    kept = Record.read(folder)
    there = names(folder)
    assert 1 <= kept.kept < count

    again = runs.start(keeping, resume=True)
    poll_until(again, lambda: Record.read(folder).kept > kept.kept)
    job.clear()
    assert again.state == "cancelled" and Record.read(folder) == kept and names(folder) == there

    keeping.erosion.frames.count = 9  # of the next run
    assert bpy.ops.erosion.run("EXEC_DEFAULT", resume=True) == {"FINISHED"}
    assert (Record.read(folder).kept, Record.read(folder).frames) == (count, count)
    assert (
        IMAGES.read(folder / f"elevation_{count:04}.exr").ravel().tobytes()
        == z_of(keeping).tobytes()
    )


def _long_run(obj):
    obj.erosion.recipe_name = "arcane"
    obj.erosion.steps[0].droplet.drops_per_cell = 120.0
    return runs.start(obj)


def test_frames_that_cannot_be_written_do_not_end_the_run(keeping, tmp_path):
    run = _long_run(keeping)
    folder = tmp_path / "frames"
    poll_until(run, lambda: len(names(folder)) > 3)
    folder.rename(tmp_path / "gone")
    folder.touch()
    poll_until(run, lambda: run._notes)
    run.finish()
    poll_until(run, lambda: False)
    assert run.state == "done" and run.warnings[0].endswith("frames before it are kept.")
    job.clear()


def test_a_folder_beside_a_file_that_was_never_saved_is_refused(terrain_object):
    settings = terrain_object.erosion.frames
    settings.keep = True
    assert settings.folder == "//Terrain frames"
    with pytest.raises(RuntimeError, match=r"Save the \.blend file first"):
        bpy.ops.erosion.run("EXEC_DEFAULT")


def test_a_folder_that_cannot_be_written_is_refused_before_the_run(keeping, tmp_path):
    (tmp_path / "file").touch()
    keeping.erosion.frames.folder = str(tmp_path / "file")
    with pytest.raises(RuntimeError, match="it is a file"):
        bpy.ops.erosion.run("EXEC_DEFAULT")
