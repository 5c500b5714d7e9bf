# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults of farms: killed runs, two runs on one folder, full disks, slow renames; the bytes are
those of a calm run.
"""

import itertools
import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.cli.commands import main
from erosion_addon.landscape.analyze import analyze
from erosion_addon.landscape.erode import Alone, do_one, erode, prepare
from erosion_addon.landscape.storage import pyramid
from erosion_addon.landscape.storage.folder import Landscape
from erosion_addon.landscape.tasks import WORK
from erosion_addon.landscape.window import overview
from erosion_addon.recipe.recipe import Recipe
from tests.landscape.conftest import QUICK, Ending, EndsError, fractal
from tests.small_disk import small_disk


@pytest.fixture(scope="module")
def calm(tmp_path_factory):
    """Hashes of a landscape eroded without any trouble."""
    recipe = Recipe.load("alpine").with_values(
        {"droplet.drops_per_cell": 0.1, "uplift.years": 2000}
    )
    return erode(
        fractal(tmp_path_factory.mktemp("calm") / "land").folder, recipe, Alone(), coarse=80
    ).manifest.layers


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="a lock is not taken over there")
def test_a_second_run_is_refused_and_a_killed_one_is_gone_on_with(landscape, recipe, calm):
    words = [
        sys.executable,
        "-m",
        "erosion_addon",
        "landscape",
        "erode",
        landscape.folder,
        *QUICK,
        "--quiet",
    ]
    first = subprocess.Popen(
        words, cwd=Path(__file__).parents[2], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    try:
        journal = landscape.folder / WORK / "journal.jsonl"
        end = time.monotonic() + 300
        while not journal.exists() or journal.read_bytes().count(b"\n") < 3:
            assert first.poll() is None and time.monotonic() < end
            time.sleep(0.01)
        with pytest.raises(InputError, match=f"is being changed by process {first.pid} on"):
            erode(landscape.folder, recipe, Alone(), coarse=80)
        first.send_signal(signal.SIGKILL)
    finally:
        first.kill()
        first.wait()
    assert not Landscape(landscape.folder).has("elevation")
    assert erode(landscape.folder, recipe, Alone(), coarse=80).manifest.layers == calm


@pytest.mark.slow
@pytest.mark.usefixtures("keyboard")
@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_an_order_to_end_while_a_tile_is_moved_ends_the_run_after_it(
    landscape, monkeypatch, capsys, name, code
):
    def replace(path, target, move=Path.replace):
        if WORK in target.parts:
            signal.raise_signal(getattr(signal, name))
        return move(path, target)

    monkeypatch.setattr(Path, "replace", replace)
    assert (
        main(["landscape", "erode", str(landscape.folder), *QUICK, "--quiet", "--threads", "1"])
        == code
    )
    assert (
        f"the tasks that are done stay in {landscape.folder}, and the same"
        in capsys.readouterr().err
    )
    assert [path.name for path in (landscape.folder / WORK).iterdir() if path.is_dir()] == [
        "coarse"
    ]
    # moved, though the signal came before
    assert (landscape.folder / WORK / "coarse" / "elevation.npy").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("keyboard")
@pytest.mark.parametrize("action", ["make", "erode"])
def test_a_signal_before_the_pyramid_leaves_it_to_the_same_command(
    tmp_path, monkeypatch, capsys, action
):
    folder = tmp_path / "land"
    made = [
        "landscape",
        "make",
        str(folder),
        "fractal",
        "--size",
        "160x240",
        "--tile",
        "80",
        "--cell-size",
        "20",
    ]
    eroded = [
        "landscape",
        "erode",
        str(folder),
        "--recipe",
        "arcane",
        "--set",
        "droplet.drops_per_cell=0.1",
    ]
    if action == "erode":
        assert main(made) == 0
    words = made if action == "make" else eroded
    with monkeypatch.context() as patch:
        patch.setattr(pyramid, "write_arrays", lambda *_: signal.raise_signal(signal.SIGTERM))
        assert main(words) == 143
    if action == "erode":
        land = Landscape(folder)
        assert (
            land.has("elevation")
            and not land.faults()
            and main(["landscape", "check", str(folder)]) == 0
        )
        tiles = land.read("elevation", land.whole).reshape(80, 2, 120, 2).mean(axis=(1, 3))
        # read from the tiles meanwhile
        assert overview(land, 120).elevation == pytest.approx(tiles)
    assert main(words) == 0
    land = Landscape(folder)
    layer = "elevation" if action == "erode" else "start/elevation"
    kept = {path.name: np.load(path) for path in pyramid._path(land, layer, 2).parent.glob("*.npy")}
    tiles = land.read(layer, land.whole).reshape(80, 2, 120, 2).mean(axis=(1, 3))
    assert (
        kept.keys() == {"x2.npy"}
        and kept["x2.npy"] == pytest.approx(tiles)
        and not (folder / WORK).exists()
    )
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.slow
def test_a_full_disk_says_so_and_the_run_goes_on_where_there_is_room(tmp_path, recipe, calm):
    disk = tmp_path / "disk"
    with small_disk(disk, 1400):
        folder = fractal(disk / "land").folder
        with pytest.raises(InputError, match="No space left"):
            erode(folder, recipe, Alone(), coarse=80)
        assert not Landscape(folder).faults() and not list(folder.rglob(".erosion-*"))
        subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True)
        told = []
        done = erode(
            folder,
            recipe,
            Alone(),
            coarse=80,
            on_progress=lambda fraction, message: told.append(message),
        )
        assert done.manifest.layers == calm and "the whole eroded on coarse cells" not in told
    with small_disk(tmp_path / "other", 400):
        folder = fractal(tmp_path / "other" / "land").folder
        before = Landscape(folder).manifest
        with pytest.raises(InputError, match="No space left"):
            analyze(folder, Alone())
        assert Landscape(folder).manifest == before and not Landscape(folder).faults()


KILLED = """
import os, shutil, sys
from pathlib import Path
from erosion_addon.landscape.storage.folder import Landscape, Window
from erosion_addon.landscape.window import put_back, take

land, rename = Path(sys.argv[1]), Path.replace
for last in range(1, 100):
    folder = Path(shutil.copytree(land, land.with_name(f"killed {last}")))
    if child := os.fork():
        if os.waitpid(child, 0)[1] == 0:
            break
        continue
    renames = []

    def replace(self, target):
        renames.append(target)
        if len(renames) == last:
            os.kill(os.getpid(), 9)
        return rename(self, target)

    Path.replace = replace
    window = Window(40, 120, 30, 200)
    terrain, state = take(Landscape(folder), window)
    put_back(folder, window, state, terrain.elevation - 30.0)
    os._exit(0)
"""
"""Write a window back to copies of a landscape, and be killed at every rename, until it is not."""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_write_back_that_is_killed_at_any_rename_is_there_whole_or_not_at_all(landscape, capsys):
    """Until its manifest lies beside the tiles nothing has changed; from then on the next command
    completes it.
    """
    subprocess.run(
        [sys.executable, "-c", KILLED, landscape.folder], cwd=Path(__file__).parents[2], check=True
    )
    *killed, last = sorted(
        landscape.folder.parent.glob("killed *"), key=lambda path: int(path.name.split()[1])
    )
    after = Landscape(last).manifest
    completed = []
    there = []
    for folder in killed:
        completed.append(main(["landscape", "check", str(folder)]) != 0)
        assert ("next command that opens the landscape" in capsys.readouterr().err) == completed[-1]
        found = Landscape(folder)
        there.append(found.manifest == after)
        assert (there[-1] or found.manifest == landscape.manifest) and not found.faults()
        assert main(["landscape", "check", str(folder)]) == 0
    # six tiles and the manifest, then the pyramid
    assert completed == [False] * 7 + [True] * 7 + [False]
    assert there == [False] * 7 + [True] * 8


KILLED_TASK = """
import os, sys
from pathlib import Path
from erosion_addon.landscape.erode import TooEarlyError, do_one

land, rename, ended = Path(sys.argv[1]), Path.replace, 0
while ended < 100:
    if child := os.fork():
        if os.waitpid(child, 0)[1] == 0:
            break
        ended += 1
        try:
            do_one(land, "shape_x1_y0", 1)
        except TooEarlyError as early:
            assert "needs shape_x0_y0" in str(early)
            continue
        os._exit(1)
    renames = 0

    def replace(self, target):
        global renames
        renames += 1
        if renames > ended:
            os.kill(os.getpid(), 9)
        return rename(self, target)

    Path.replace = replace
    do_one(land, "shape_x0_y0", 1)
    os._exit(0)
print(ended)
"""
"""Do a task in a process that is killed before its first rename, in another that is killed before
its second, and so on, until one comes to its end. No other task takes it for done before that.
"""


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_task_that_is_killed_at_any_rename_is_not_done_and_does_not_show(landscape, recipe, calm):
    prepare(landscape.folder, recipe, coarse=80)
    do_one(landscape.folder, "coarse")
    words = [sys.executable, "-c", KILLED_TASK, landscape.folder]
    told = subprocess.run(
        words, cwd=Path(__file__).parents[2], check=True, capture_output=True, text=True
    )
    files = len(list((landscape.folder / WORK / "shape_x0_y0").glob("[!.]*.npy")))
    assert int(told.stdout) == files + 1  # and the note that it is done
    assert do_one(landscape.folder, "shape_x2_y0") and do_one(landscape.folder, "shape_x1_y0")
    (landscape.folder / "elevation").mkdir()
    (landscape.folder / "elevation" / ".erosion-0123456789abcdef.npy").write_bytes(b"cut off")
    assert erode(landscape.folder, recipe, Alone(), coarse=80).manifest.layers == calm
    assert not list(landscape.folder.rglob(".erosion-*"))


@pytest.mark.thorough
@pytest.mark.slow
def test_a_task_on_a_full_disk_says_so_and_is_done_where_there_is_room(tmp_path, recipe, calm):
    disk = tmp_path / "disk"
    with small_disk(disk, 16_000):
        folder = fractal(disk / "land").folder
        prepare(folder, recipe, coarse=80)
        do_one(folder, "coarse")
        for left in (100_000, 0):  # in the middle of a file, and at the first
            room = shutil.disk_usage(disk).free - left
            (disk / "filled").write_bytes(bytes(room))
            with pytest.raises(InputError, match="No space left"):
                do_one(folder, "shape_x0_y0")
            assert not list(folder.rglob(".erosion-*"))
            (disk / "filled").unlink()
        do_one(folder, "shape_x0_y0")
        for name in ("shape_x2_y0", "shape_x1_y0"):
            assert do_one(folder, name) == name
        assert erode(folder, recipe, Alone(), coarse=80).manifest.layers == calm


@pytest.mark.thorough
@pytest.mark.slow
def test_a_task_that_a_farm_starts_twice_at_once_does_not_show(
    landscape, recipe, calm, monkeypatch
):
    """As one that it takes for lost, while files are moved slowly."""
    rename = Path.replace

    def slow(self, target):
        time.sleep(0.02)
        return rename(self, target)

    prepare(landscape.folder, recipe, coarse=80)
    do_one(landscape.folder, "coarse")
    monkeypatch.setattr(Path, "replace", slow)
    with ThreadPoolExecutor(3) as pool:
        both = [pool.submit(do_one, landscape.folder, "shape_x0_y0", 1) for _ in range(3)]
        assert [one.result() for one in both] == ["shape_x0_y0"] * 3
    assert erode(landscape.folder, recipe, Alone(), coarse=80).manifest.layers == calm


@pytest.mark.slow
def test_a_clock_that_is_set_back_does_not_show(landscape, recipe, calm, monkeypatch):
    """Files of the future and of the past, and a second run that is told an earlier time at each
    look.
    """
    with pytest.raises(EndsError):
        erode(landscape.folder, recipe, Ending(6), coarse=80)
    for number, path in enumerate(sorted(landscape.folder.rglob("*"))):
        os.utime(path, (stamp := (4e9, 1e8)[number % 2], stamp))
    seconds = itertools.count(5e8, -86400.0)
    monkeypatch.setattr(time, "time", lambda: next(seconds))
    told = []
    done = erode(
        landscape.folder,
        recipe,
        Alone(),
        coarse=80,
        on_progress=lambda fraction, message: told.append(message),
    )
    assert done.manifest.layers == calm
    assert (
        len(told) == done.manifest.report["tasks"] - 6
        and "the whole eroded on coarse cells" not in told
    )


@pytest.mark.thorough
@pytest.mark.slow
def test_slow_renames_do_not_show(landscape, recipe, calm, monkeypatch):
    rename = Path.replace

    def slow(self, target):
        time.sleep(0.02)
        return rename(self, target)

    monkeypatch.setattr(Path, "replace", slow)
    assert erode(landscape.folder, recipe, Alone(), coarse=80).manifest.layers == calm


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "America/St_Johns"])
def test_neither_odd_letters_in_paths_nor_time_zones_show(tmp_path, calm, zone):
    folder = fractal(tmp_path / "my länd's (1) & 地形 #%" / "a b").folder
    words = [sys.executable, "-m", "erosion_addon", "landscape", "erode", folder, *QUICK, "--quiet"]
    subprocess.run(words, cwd=Path(__file__).parents[2], env={**os.environ, "TZ": zone}, check=True)
    assert Landscape(folder).manifest.layers == calm
