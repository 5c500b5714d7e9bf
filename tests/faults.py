# SPDX-License-Identifier: GPL-3.0-or-later
"""Every place where memory, the disk or the worker may fail, failed once, and from then on for
ever: `make faults`.

The k-th call of ours that may fail raises, k = 1, 2, 3 ... until an act comes to its end without.
After each the input is as it was, or the result is complete; what was said is a sentence; and the
act succeeds once nothing fails any more.
"""

import argparse
import builtins
import contextlib
import hashlib
import io
import json
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import bpy
import numpy as np

import erosion_addon
from erosion_addon import Recipe
from erosion_addon.cli.commands import main as command
from erosion_addon.landscape import erode as erosion
from erosion_addon.landscape.storage.folder import Landscape
from erosion_addon.landscape.tasks import WORK
from erosion_addon.scene.materials.terrain.sockets import SHORE
from erosion_addon.scene.original import original
from erosion_addon.scene.run import job
from erosion_addon.scene.session import session
from erosion_addon.scene.terrain.mesh import make_grid_object, vertex_heights, write_heights
from erosion_addon.scene.worker import worker_process
from erosion_addon.terrain.fields import WATERS
from erosion_addon.ui.recipe import steps
from erosion_addon.worker import client
from tests.mesh_contents import everything
from tests.terrains import fractal

PACKAGE = str(Path(erosion_addon.__file__).parent)
DEPTH = 8
"""Frames between a call of ours and the function of another's that fails."""

MEMORY = [
    (np, name)
    for name in (
        "empty",
        "zeros",
        "ones",
        "full",
        "ascontiguousarray",
        "column_stack",
        "stack",
        "where",
        "concatenate",
        "empty_like",
        "zeros_like",
    )
]
DISK = [
    *((os, name) for name in ("open", "fsync", "mkdir", "write")),
    (io, "open"),
    (builtins, "open"),
]
RENAMING = (os.replace, os.rename)
NAMES = [(os, "replace"), (os, "rename"), (os, "link")]
WORKER = [(client, "send"), (client, "receive")]


class Faults:
    """Functions that raise at the k-th call from the package, once or from then on.

    A file that cannot be renamed stays so, while others can: it is open in another program.
    """

    def __init__(
        self, functions: list[tuple[Any, str]], error: Callable[[], Exception], k: int, stays: bool
    ) -> None:
        self._functions = functions
        self._error = error
        self._k = k
        self._stays = stays
        self.calls = 0
        self._where: Any = None

    @property
    def fired(self) -> bool:
        """Whether there was a k-th call."""
        return self.calls >= self._k

    @contextlib.contextmanager
    def at_work(self) -> Iterator["Faults"]:
        """Let them raise."""
        kept = [getattr(owner, name) for owner, name in self._functions]
        for (owner, name), function in zip(self._functions, kept, strict=True):
            setattr(owner, name, self._failing(function))
        try:
            yield self
        finally:
            for (owner, name), function in zip(self._functions, kept, strict=True):
                setattr(owner, name, function)

    def _failing(self, function: Any) -> Any:
        def called(*given: Any, **named: Any) -> Any:
            if _is_ours(sys._getframe(1)):
                self.calls += 1
                self._where = given[-1] if self.calls == self._k else self._where
                is_there = function not in RENAMING or given[-1] == self._where
                if self.calls == self._k or (self._stays and self.calls > self._k and is_there):
                    raise self._error()
            return function(*given, **named)

        return called


def _is_ours(frame: Any) -> bool:
    """Whether the package called, itself or through a few functions of others."""
    for _ in range(DEPTH):
        if frame is None:
            return False
        if frame.f_code.co_filename.startswith(PACKAGE):
            return True
        if "importlib" in frame.f_code.co_filename or "numba" in frame.f_code.co_filename:
            return False
        frame = frame.f_back
    return False


class Act(Protocol):
    """Something that an artist or a farm does in a world of its own."""

    def before(self) -> None:
        """Make the world anew."""

    def do(self) -> str:
        """Act; returns the sentences of a refusal, and nothing where it went well."""

    def state(self) -> Any:
        """All of the world that counts."""


def _said(words: list[str], fine: int = 0) -> str:
    """Run a command; returns the sentences of a refusal, and nothing where it went well. fine: its
    exit status then.
    """
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        code = command(words)
    assert code in (fine, 2), said.getvalue()
    return said.getvalue() if code == 2 else ""


KEPT = "out.npz"
"""File with a run whose results could not be written."""


class Folder:
    """Files of a world, as they are first."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="faults")).resolve()
        self._old: dict[Path, bytes] = {}

    def keep(self) -> None:
        """This is how they are first."""
        self._old = {
            path: path.read_bytes() for path in sorted(self.path.rglob("*")) if path.is_file()
        }

    def put_back(self) -> None:
        """Make them what they are first."""
        shutil.rmtree(self.path, ignore_errors=True)
        self.path.mkdir()
        for path, content in self._old.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def state(self) -> dict[str, str]:
        """Path of each file → hash of its bytes."""
        return {
            str(path): hashlib.sha256(_without_measured(path)).hexdigest()
            for path in sorted(self.path.rglob("*"))
            if path.is_file() and path.name != KEPT
        }


class Command:
    """A command in a folder that has dem.npy, and what earlier commands left there: older files of
    the same names.
    """

    def __init__(self, line: str, *earlier: str) -> None:
        self._folder = Folder()
        np.save(self._folder.path / "dem.npy", fractal(16, 20, 80.0))
        for other in earlier:
            assert not self._said(other)
        self._folder.keep()
        self._line = line

    def _said(self, line: str) -> str:
        """Words of files have a dot or end in a slash."""
        words = [
            word if "=" in word or not ("." in word or "/" in word) else self._in(word)
            for word in line.split()
        ]
        return _said(words, fine=75 if "--time-limit" in words else 0)

    def _in(self, word: str) -> str:
        return str(self._folder.path / word)

    def before(self) -> None:
        self._folder.put_back()

    def do(self) -> str:
        return self._said(self._line)

    def state(self) -> Any:
        return self._folder.state()


FEW = "--recipe arcane --set droplet.drops_per_cell=0.2"
LONG = "--recipe arcane --set droplet.drops_per_cell=200"
ERODE = f"erode dem.npy out.exr --maps maps/ --report report.json {FEW}"


class Frames(Command):
    """`erode` with frames. Whole frames of the run may lie there after a failure: it can be begun
    anew.
    """

    def __init__(self) -> None:
        super().__init__(
            f"erode dem.npy out.exr --frames 3 --frames-folder frames/ --frames-fields wear {FEW}"
        )
        self._done: dict[str, str] = {}

    def do(self) -> str:
        shutil.rmtree(self._folder.path / "frames", ignore_errors=True)
        return super().do()

    def state(self) -> Any:
        found = self._folder.state()
        if any(path.endswith("out.exr") for path in found):
            self._done = self._done or found
            return found
        frames = {
            path: digest
            for path, digest in found.items()
            if "/frames/" in path and path.endswith(".exr")
        }
        halves = [path for path, digest in frames.items() if self._done.get(path) != digest]
        return {path: digest for path, digest in found.items() if "/frames/" not in path}, halves


MEASURED = {"seconds", "drops_per_second", "peak_memory_bytes"}
"""What a report measures, which is never the same twice, or not there."""


def _without_measured(path: Path) -> bytes:
    """The bytes of a file; of a report what is the same each time."""
    if path.suffix != ".json":
        return path.read_bytes()
    kept = json.loads(
        path.read_bytes(),
        object_hook=lambda table: {key: table[key] for key in table if key not in MEASURED},
    )
    return json.dumps(kept).encode()


OTHERS = "shape_x0_y0"
"""Task of another machine of a farm."""


class Tiles:
    """A command on a landscape of two tiles, after others.

    Work on the way may lie about: the next run goes on from it, or does it again.
    """

    def __init__(self, name: str, *earlier: str) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="faults")).resolve() / "land"
        heights = self._folder.with_name("dem.npy")
        np.save(heights, fractal(64, 128, 200.0).astype(np.float32))
        land = str(self._folder)
        few = ["--recipe", "arcane", "--set", "droplet.drops_per_cell=0.1", "--coarse", "64"]
        self._commands = {
            "make": ["landscape", "make", land, str(heights), "--tile", "64", "--quiet"],
            "erode": ["landscape", "erode", land, *few, "--quiet"],
            "analyze": ["landscape", "analyze", land, "--quiet"],
            "tasks": ["landscape", "tasks", land, *few],
            **{
                task: ["landscape", "task", land, task, "--wait", "1"]
                for task in ("coarse", OTHERS, "shape_x1_y0")
            },
        }
        self._earlier = [self._commands[one] for one in earlier]
        self._words = self._commands[name]

    def before(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
        for words in self._earlier:
            assert not _said(words)

    def do(self) -> str:
        return _said(self._words)

    def state(self) -> Any:
        return _layers(self._folder)


class Waiting(Tiles):
    """A task that waits until another machine has done one. What either of them leaves counts."""

    def __init__(self) -> None:
        super().__init__("shape_x1_y0", "make", "tasks", "coarse")
        erosion.REST = 0.01
        self._work = self._folder / WORK
        self._journal = self._work / f"journal_{OTHERS}.jsonl"
        self._there = self._folder.with_name("there")
        super().before()
        assert not _said(self._commands[OTHERS])
        shutil.copytree(self._folder, self._there)

    def before(self) -> None:
        shutil.rmtree(self._folder)
        shutil.copytree(self._there, self._folder)
        shutil.rmtree(self._work / OTHERS)
        self._journal.unlink()

    def do(self) -> str:
        other = threading.Timer(0.1, self._other_machine)
        other.start()
        try:
            return super().do()
        finally:
            other.join()

    def _other_machine(self) -> None:
        if not self._journal.exists():
            shutil.copytree(self._there / WORK / OTHERS, self._work / OTHERS, dirs_exist_ok=True)
            shutil.copyfile(self._there / WORK / self._journal.name, self._journal)

    def state(self) -> Any:
        done = {}
        for journal in self._work.glob("journal_*.jsonl"):
            told = json.loads(journal.read_text().splitlines()[1])
            if told["name"] != OTHERS:
                files = {
                    name: hashlib.sha256((self._folder / f"{name}.npy").read_bytes())
                    for name in told["files"]
                }
                done[told["name"]] = {
                    name: digest.hexdigest() for name, digest in files.items()
                } == told["files"]
        return super().state(), done


def _layers(folder: Path) -> Any:
    """Layers of a landscape and hashes of their tiles; nothing where there is no landscape."""
    if not (folder / "landscape.json").exists():
        return None
    layers = json.loads((folder / "landscape.json").read_text())["layers"]
    files = [folder / layer / f"{tile}.npy" for layer, tiles in layers.items() for tile in tiles]
    return layers, [hashlib.sha256(path.read_bytes()).hexdigest() for path in files]


RESCUED = "Land eroded"
"""Object with a result that could not be written to its terrain, which is as it was."""


class InBlender:
    """An operator on a terrain, after others."""

    def __init__(self, *names: str) -> None:
        *self._earlier, self._name = names
        self._file = Path(tempfile.mkdtemp(prefix="faults"), "before.blend")

    def before(self) -> None:
        job.clear()
        if not self._file.exists():
            self._make()
            bpy.ops.wm.save_as_mainfile(filepath=str(self._file))
        bpy.ops.wm.open_mainfile(filepath=str(self._file))

    def _make(self) -> None:
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        obj = make_grid_object(
            "Land", fractal(14, 18, 120.0), (10.0, 10.0), bpy.context.scene.collection
        )
        obj.data.attributes.new("sediment", "FLOAT", "POINT").data.foreach_set(
            "value", np.full(14 * 18, 0.5, np.float32)
        )
        bpy.context.view_layer.objects.active = obj
        obj.select_set(True)
        brush = bpy.context.scene.erosion_brush
        brush.kind = "raise"
        brush.radius = 40.0
        steps.fill(obj.erosion, Recipe.load("arcane").with_values({"droplet.drops_per_cell": 0.3}))
        for name in self._earlier:
            assert getattr(bpy.ops.erosion, name)(**GIVEN.get(name, {})) == {"FINISHED"}

    def do(self) -> str:
        job.clear()  # a result that there was no memory to write
        bpy.context.view_layer.objects.active = bpy.data.objects["Land"]
        try:
            done = getattr(bpy.ops.erosion, self._name)(**GIVEN.get(self._name, {}))
        except RuntimeError as error:
            return str(error)
        return "" if done == {"FINISHED"} else "It was canceled."

    def state(self) -> Any:
        found = [
            (obj.name, everything(obj.data))
            for obj in sorted(bpy.data.objects, key=lambda obj: obj.name)
            if obj.type == "MESH" and obj.name != RESCUED
        ]
        land = bpy.data.objects["Land"]
        strokes = [
            (item.name, item.painted, [kept.data for kept in item.strokes])
            for item in land.erosion.steps
        ]
        meshes = sum(mesh.name != RESCUED for mesh in bpy.data.meshes)
        is_busy = session.run.task is not None and session.run.task.state != "held"
        return found, original.has_source(land.data), meshes, is_busy, strokes


class Beds(InBlender):
    """Beds carved for rivers. Those that there is no memory for show the ground before, whole,
    which a warning says.
    """

    def __init__(self) -> None:
        super().__init__("run", "rivers_add", "beds_carve")
        self._whole: list[Any] = []

    def state(self) -> Any:
        ((name, held), *rivers), *others = super().state()
        water = {key: held.pop(key) for key in [*held] if key[0] in WATERS}
        # by the ground as it is, and by the rivers that are there
        held.pop((SHORE, "FLOAT", "POINT"), None)
        if len(self._whole) < 2:  # before and after
            self._whole.append((water, rivers))
        return name, held, (water, rivers) in self._whole, others


class Export(InBlender):
    """An operator that writes files of an eroded terrain, over older ones."""

    def __init__(self, name: str, **given: Any) -> None:
        super().__init__("run", name)
        self._files = Folder()
        for older in ("land.png", "wear.exr"):
            (self._files.path / older).write_bytes(b"older")
        self._files.keep()
        self._given = {
            key: value.format(self._files.path) if isinstance(value, str) else value
            for key, value in given.items()
        }

    def before(self) -> None:
        super().before()
        self._files.put_back()

    def do(self) -> str:
        GIVEN[self._name] = self._given
        return super().do()

    def state(self) -> Any:
        return super().state(), self._files.state()


class Animation(InBlender):
    """A run of each frame of the scene, kept as files. Whole frames may lie there after a failure:
    it goes on.
    """

    def __init__(self) -> None:
        super().__init__("run")
        self._files = Folder()
        self._done: dict[str, str] = {}

    def before(self) -> None:
        super().before()
        self._files.put_back()
        bpy.context.scene.frame_start = 1
        bpy.context.scene.frame_end = 2
        frames = bpy.data.objects["Land"].erosion.frames
        frames.folder = str(self._files.path)
        frames.fields = {"wear"}

    def do(self) -> str:
        GIVEN[self._name] = {"animation": True}
        return super().do()

    def state(self) -> Any:
        files = {
            path: digest for path, digest in self._files.state().items() if path.endswith(".exr")
        }
        if len(files) == 4:
            self._done = self._done or files
            return super().state(), files
        return super().state(), [
            path for path, digest in files.items() if self._done.get(path) != digest
        ]


class Window(InBlender):
    """A window of a landscape, raised and written back. A file more may lie about: the manifest
    does not name it.
    """

    def __init__(self) -> None:
        super().__init__("landscape_put_back")
        self._tiles = Tiles("erode", "make")
        self._tiles.before()
        self._files = Folder()
        shutil.rmtree(self._files.path)
        shutil.copytree(self._tiles._folder, self._files.path)
        self._files.keep()

    def _make(self) -> None:
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        path = str(self._files.path / "landscape.json")
        bpy.ops.erosion.landscape_import(
            filepath=path, part="WINDOW", first=(10, 40), size=(40, 48)
        )
        bpy.context.object.name = "Land"
        mesh = bpy.context.object.data
        write_heights(mesh, vertex_heights(mesh) + np.float32(2.0))

    def before(self) -> None:
        self._files.put_back()
        super().before()

    def state(self) -> Any:
        # what is written takes its places, as for whoever opens it next
        Landscape(self._files.path)
        return (
            super().state(),
            bpy.data.objects["Land"]["erosion_landscape"],
            _layers(self._files.path),
        )


STROKE = [
    {"name": "", "location": (30.0 * x, 5.0 * x + 5.0, 0.0), "pressure": 1.0}
    for x in (-1.0, 0.0, 1.0)
]
GIVEN: dict[str, dict[str, Any]] = {
    "brush_stroke": {"stroke": STROKE},
    "beds_carve": {"incision": 1.0},
    "lakes_add": {"lake_area": 200.0, "lake_depth": 0.1},
    "rivers_add": {"source_area": 0.001},
}
"""What operators are called with."""

ACTS: dict[str, Callable[[], Act]] = {
    "erode": lambda: Command(f"{ERODE} --seed 2", f"{ERODE} --seed 1"),
    "resume": lambda: Command(
        "resume run.npz out.exr --maps maps/ --report report.json",
        f"{ERODE} --seed 1",
        f"erode dem.npy part.exr --checkpoint run.npz --time-limit 0 {LONG}",
    ),
    "variants": lambda: Command(f"variants dem.npy page/ {FEW} --seeds 1 2 --side 16"),
    "rivers": lambda: Command(
        "rivers dem.npy rivers.geojson --also rivers.obj rivers.csv --set source_area=0.00001"
    ),
    "rivers with beds": lambda: Command(
        "rivers dem.npy rivers.geojson --carve carved.r16 --set source_area=0.00001 incision=1.0",
        "rivers dem.npy rivers.geojson --carve carved.r16 --set source_area=0.00003",
    ),
    "analyze": lambda: Command("analyze dem.npy --maps maps/ --report report.json --plot plot.svg"),
    "convert": lambda: Command("convert dem.npy land.png --tiles 1x2 --size 9x9"),
    "frames": Frames,
    "landscape": lambda: Tiles("erode", "make"),
    "landscape make": lambda: Tiles("make"),
    "landscape analyze": lambda: Tiles("analyze", "make"),
    "landscape window": Window,
    "landscape task": Waiting,
    "run": lambda: InBlender("run"),
    "run again": lambda: InBlender("run", "run"),
    "restore": lambda: InBlender("run", "restore"),
    "apply": lambda: InBlender("run", "apply"),
    "levels of detail": lambda: InBlender("run", "lod_add"),
    "light": lambda: InBlender("run", "light_bake"),
    "add rivers": lambda: InBlender("run", "rivers_add"),
    "carve beds": Beds,
    "add lakes": lambda: InBlender("run", "lakes_add"),
    "export of maps": lambda: Export("maps_export", directory="{}", fields="wear"),
    "export of a heightmap": lambda: Export(
        "heightmap_export", filepath="{}/land.png", file_format=".png"
    ),
    "animation": Animation,
    "stroke": lambda: InBlender("brush_stroke"),
    "stroke after a run": lambda: InBlender("run", "brush_stroke"),
}
KINDS: dict[str, tuple[list[tuple[Any, str]], Callable[[], Exception]]] = {
    "memory": (MEMORY, MemoryError),
    "disk": (DISK, lambda: OSError(28, "No space left on device")),
    "names of files": (NAMES, lambda: PermissionError(13, "Permission denied")),
    "worker": (WORKER, lambda: BrokenPipeError(32, "Broken pipe")),
}


def sweep(act: Act, kind: str, stays: bool) -> tuple[int, list[str]]:
    """Fail an act at each of its points; returns how many there are, and what was not as it must
    be.
    """
    functions, error = KINDS[kind]
    act.before()
    old = act.state()
    assert not act.do()
    new = act.state()
    violations = []
    for k in range(1, 10_000):
        act.before()
        assert act.state() == old
        with Faults(functions, error, k, stays).at_work() as faults:
            try:
                said = act.do()
            except BaseException as raised:  # noqa: BLE001 - that none comes is what is tested
                said = f"Traceback: {raised!r}"
        if not faults.fired:
            return k - 1, violations
        state = act.state()
        if "Traceback" in said or (said and not said.rstrip().endswith(".")):
            violations.append(f"point {k}: {said}")
        elif state != (old if said else new) and state not in (old, new):
            violations.append(f"point {k}: neither what was there nor the result, after {said!r}")
        elif state == old and (again := act.do() or act.state() != new):
            violations.append(f"point {k}: afterwards {again!r}")
    raise AssertionError("It never ends.")


def main() -> int:
    """Sweep what is asked for; returns how many violations there are."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "acts", nargs="*", metavar="ACT", help=f"of {', '.join(ACTS)} (default: all)"
    )
    given = parser.parse_args()
    erosion_addon.register()
    total = points = 0
    for name in given.acts or ACTS:
        act = ACTS[name]()
        for kind in KINDS:
            for stays in (False, True):
                count, violations = sweep(act, kind, stays)
                points = points + count
                total = total + len(violations)
                print(
                    (
                        f"{name}, {kind}, {'for ever' if stays else 'once'}: {count} points, "
                        f"{len(violations)} violations"
                    ),
                    flush=True,
                )
                print(*violations, sep="\n", end="\n" if violations else "")
    print(f"{points} faults, {total} violations")
    return total


if __name__ == "__main__":
    failed = main() > 0
    worker_process.stop()
    sys.stdout.flush()
    os._exit(failed)  # Blender 4.5 as a Python module may hang at its end, see conftest.py
