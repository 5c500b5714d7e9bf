# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames of a run: states of it, the same on any machine, never over others."""

import json
import os
import signal
from pathlib import Path

import numpy as np
import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.cli.commands import main
from erosion_addon.files.image_files import OpenImageIOFiles
from erosion_addon.frames.sequence import Frames
from erosion_addon.model import Recipe, Terrain, erode, simulate
from erosion_addon.processes.shared import state
from tests.terrains import fractal

IMAGES = OpenImageIOFiles()
RECIPE = Recipe.from_dict(
    {
        "name": "two",
        "step": [{"kind": "droplet", "drops_per_cell": 0.5}, {"kind": "talus", "sediment_angle": 20.0}],
    }
)


def land():
    """48 × 64 cells of 10 m."""
    return Terrain(fractal(48, 64, relief=200.0), 10.0)


def kept(folder, count=6, fields=("wear",), threads=0):
    """Frames of a run of RECIPE in `folder`; returns the last progress."""
    for progress in Frames(folder, count, fields, IMAGES).keep(simulate(land(), RECIPE, threads=threads)):
        last = progress
    return last


def test_the_last_frame_is_the_result_and_the_others_are_the_same_on_any_number_of_threads(tmp_path):
    result = erode(land(), RECIPE)
    for threads in (1, 2):
        kept(tmp_path / str(threads), threads=threads)
    last = IMAGES.read(tmp_path / "1" / "elevation_0006.exr")
    assert last.tobytes() == result.elevation.astype(np.float32).tobytes()
    assert IMAGES.read(tmp_path / "1" / "wear_0006.exr").tobytes() == result["wear"].tobytes()
    names = sorted(path.name for path in (tmp_path / "1").iterdir())
    assert names == [*(f"elevation_000{k}.exr" for k in range(1, 7)), "frames.json"] + [
        f"wear_000{k}.exr" for k in range(1, 7)
    ]
    for name in names:
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes(), name


def test_a_frame_is_the_state_of_a_run_that_was_stopped_there(tmp_path, monkeypatch):
    kept(tmp_path, count=4)
    monkeypatch.setattr(state, "CHUNK_SECONDS", 1e-9)
    stopped = next(progress for progress in simulate(land(), RECIPE) if progress.fraction >= 0.25)
    expected = stopped.terrain.elevation.astype(np.float32)
    assert IMAGES.read(tmp_path / "elevation_0001.exr").tobytes() == expected.tobytes()
    record = json.loads((tmp_path / "frames.json").read_text())
    assert (record["frames"], record["kept"], record["fields"]) == (4, 4, ["elevation", "wear"])
    assert len(record["sha256"]) == 8


def test_chunks_have_their_length_again_after_a_run_that_was_left(tmp_path):
    before = state.CHUNK_SECONDS
    run = Frames(tmp_path, 4, (), IMAGES).keep(simulate(land(), RECIPE))
    next(run)
    run.close()
    assert before == state.CHUNK_SECONDS


def test_frames_never_replace_others(tmp_path):
    kept(tmp_path, count=2)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "wear_0001.exr").touch()
    for folder, fields in ((tmp_path, ()), (tmp_path / "other", ("wear",))):
        with pytest.raises(InputError, match="holds frames of a run already; choose another folder"):
            Frames(folder, 2, fields, IMAGES)


def test_a_field_that_does_not_exist_is_refused_with_those_that_do(tmp_path):
    with pytest.raises(InputError, match=r"no field lava; choose among .*wear"):
        Frames(tmp_path, 2, ["lava"], IMAGES)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root writes everywhere")
def test_a_read_only_folder_is_refused_before_the_run(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(InputError, match="cannot be written"):
        Frames(tmp_path, 2, (), IMAGES)


def test_a_disk_that_fills_up_leaves_whole_frames_and_a_sentence(tmp_path):
    class Full(OpenImageIOFiles):
        written = 0

        def write(self, path: Path, pixels, kind):
            self.written += 1
            if self.written > 5:  # in the middle of the third frame of two files
                raise OSError(28, "No space left on device")
            super().write(path, pixels, kind)

    with pytest.raises(InputError, match=r"wear_0003\.exr cannot be written: No space left on device"):
        for _ in Frames(tmp_path, 6, ["wear"], Full()).keep(simulate(land(), RECIPE)):
            pass
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["elevation_0001.exr", "elevation_0002.exr", "frames.json", "wear_0001.exr", "wear_0002.exr"]
    assert json.loads((tmp_path / "frames.json").read_text())["kept"] == 2


def test_the_command_keeps_frames_and_wants_both_words(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("dem.npy", fractal(48, 64))
    words = ["erode", "dem.npy", "out.npy", "--set", "droplet.drops_per_cell=0.5", "--frames", "3"]
    assert main(words) == 2
    assert "--frames needs --frames-folder" in capsys.readouterr().err
    assert main([*words, "--frames-folder", "kept"]) == 0
    last = IMAGES.read(Path("kept/elevation_0003.exr"))
    assert last.tobytes() == np.load("out.npy").astype(np.float32).tobytes()


@pytest.mark.parametrize(
    ("ends", "code", "reason"), [(KeyboardInterrupt(), 130, "Interrupted"), (None, 143, "Ended by the system")]
)
def test_a_run_that_is_interrupted_says_once_what_stays(tmp_path, capsys, monkeypatch, ends, code, reason):
    monkeypatch.chdir(tmp_path)
    np.save("dem.npy", fractal(48, 64))
    write = Frames._write

    def third_is_the_last(self, number, terrain):
        if number == 3:
            if ends is None:
                os.kill(os.getpid(), signal.SIGTERM)
            else:
                raise ends
        write(self, number, terrain)

    monkeypatch.setattr(Frames, "_write", third_is_the_last)
    words = ["erode", "dem.npy", "out.npy", "--set", "droplet.drops_per_cell=0.5", "--frames", "4"]
    assert main([*words, "--frames-folder", "kept"]) == code
    told = capsys.readouterr().err.splitlines()
    assert told[-1] == f"{reason}; no result was written, but the 2 frames made so far stay in kept."
    assert not any("nothing was written" in line or line.startswith("The 2 frames") for line in told)
    assert not Path("out.npy").exists() and Path("kept/elevation_0002.exr").exists()
