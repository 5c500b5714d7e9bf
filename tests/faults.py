# SPDX-License-Identifier: GPL-3.0-or-later
"""Every place where memory, the disk or the worker may fail, failed once, and from then on for ever: `make faults`.

The k-th call of ours that may fail raises, k = 1, 2, 3 ... until an act comes to its end without. After each the input
is as it was, or the result is complete; what was said is a sentence; and the act succeeds once nothing fails any more.
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
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import bpy
import numpy as np

import erosion_addon
from erosion_addon.cli.commands import main as command
from erosion_addon.model import Recipe
from erosion_addon.scene.original import original
from erosion_addon.scene.run import job
from erosion_addon.scene.terrain import grid
from erosion_addon.scene.worker import worker_process
from erosion_addon.ui.recipe import steps
from erosion_addon.worker import client
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
DISK = [*((os, name) for name in ("open", "fsync", "mkdir", "write")), (io, "open"), (builtins, "open")]
RENAMING = (os.replace, os.rename)
NAMES = [(os, "replace"), (os, "rename"), (os, "link")]
WORKER = [(client, "send"), (client, "receive")]


class Faults:
    """Functions that raise at the k-th call from the package, once or from then on.

    A file that cannot be renamed stays so, while others can: it is open in another program.
    """

    def __init__(self, functions: list[tuple[Any, str]], error: Callable[[], Exception], k: int, stays: bool) -> None:
        self._functions, self._error, self._k, self._stays = functions, error, k, stays
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


class Command:
    """`erode` with maps, a report and a side file, over older files of these names."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="faults")).resolve()
        np.save(self._folder / "dem.npy", fractal(16, 20, 80.0))
        assert not self._erode(1)
        self._old = {path: path.read_bytes() for path in sorted(self._folder.rglob("*")) if path.is_file()}

    def _erode(self, seed: int) -> str:
        names = ["out.exr", "--maps", "maps", "--report", "report.json"]
        words = [str(self._folder / name) if "." in name or name == "maps" else name for name in ("dem.npy", *names)]
        said = io.StringIO()
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
            code = command(
                ["erode", *words, "--set", "droplet.drops_per_cell=0.2", "--seed", str(seed), "--recipe", "arcane"]
            )
        assert code in (0, 2), said.getvalue()
        return said.getvalue() if code else ""

    def before(self) -> None:
        shutil.rmtree(self._folder)
        for path, content in self._old.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def do(self) -> str:
        return self._erode(2)

    def state(self) -> Any:
        return {
            str(path): hashlib.sha256(_without_measured(path)).hexdigest()
            for path in sorted(self._folder.rglob("*"))
            if path.is_file()
        }


MEASURED = {"seconds", "drops_per_second", "peak_memory_bytes"}
"""What a report measures, which is never the same twice, or not there."""


def _without_measured(path: Path) -> bytes:
    """The bytes of a file; of a report what is the same each time."""
    if path.suffix != ".json":
        return path.read_bytes()
    kept = json.loads(
        path.read_bytes(), object_hook=lambda table: {key: table[key] for key in table if key not in MEASURED}
    )
    return json.dumps(kept).encode()


class Tiles:
    """`landscape erode` on two tiles. Work on the way may lie about: the next run goes on from it, or does it again."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="faults")).resolve() / "land"
        heights = self._folder.with_name("dem.npy")
        np.save(heights, fractal(64, 128, 200.0).astype(np.float32))
        self.make = ["landscape", "make", str(self._folder), str(heights), "--tile", "64", "--quiet"]
        few = ["--recipe", "arcane", "--set", "droplet.drops_per_cell=0.1"]
        self.erode = ["landscape", "erode", str(self._folder), *few, "--coarse", "64", "--quiet"]

    def _command(self, words: list[str]) -> str:
        said = io.StringIO()
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
            code = command(words)
        assert code in (0, 2), said.getvalue()
        return said.getvalue() if code else ""

    def before(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
        assert not self._command(self.make)

    def do(self) -> str:
        return self._command(self.erode)

    def state(self) -> Any:
        layers = json.loads((self._folder / "landscape.json").read_text())["layers"]
        files = [self._folder / layer / f"{tile}.npy" for layer, tiles in layers.items() for tile in tiles]
        return layers, [hashlib.sha256(path.read_bytes()).hexdigest() for path in files]


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
        obj = grid.make_grid_object("Land", fractal(14, 18, 120.0), (10.0, 10.0), bpy.context.scene.collection)
        obj.data.attributes.new("sediment", "FLOAT", "POINT").data.foreach_set(
            "value", np.full(14 * 18, 0.5, np.float32)
        )
        bpy.context.view_layer.objects.active = obj
        obj.select_set(True)
        brush = bpy.context.scene.erosion_brush
        brush.kind, brush.radius = "raise", 40.0
        steps.fill(obj.erosion, Recipe.load("arcane").with_values({"droplet.drops_per_cell": 0.3}))
        for name in self._earlier:
            assert getattr(bpy.ops.erosion, name)() == {"FINISHED"}

    def do(self) -> str:
        bpy.context.view_layer.objects.active = bpy.data.objects["Land"]
        try:
            done = getattr(bpy.ops.erosion, self._name)(**GIVEN.get(self._name, {}))
        except RuntimeError as error:
            return str(error)
        return "" if done == {"FINISHED"} else "It was canceled."

    def state(self) -> Any:
        found = []
        for obj in sorted(bpy.data.objects, key=lambda obj: obj.name):
            if obj.type != "MESH":
                continue
            for attribute in sorted(obj.data.attributes, key=lambda attribute: attribute.name):
                size = len(attribute.data)
                member, width = _MEMBERS.get(attribute.data_type, ("", 0))
                values = np.zeros(size * width, np.float32)
                if width:
                    attribute.data.foreach_get(member, values)
                found.append((obj.name, attribute.name, attribute.data_type, attribute.domain, values.tobytes()))
        land = bpy.data.objects["Land"]
        strokes = [(item.name, item.painted, [kept.data for kept in item.strokes]) for item in land.erosion.steps]
        return found, original.has_source(land.data), len(bpy.data.meshes), job.now.current, strokes


STROKE = [{"name": "", "location": (30.0 * x, 5.0 * x + 5.0, 0.0), "pressure": 1.0} for x in (-1.0, 0.0, 1.0)]
GIVEN: dict[str, dict[str, Any]] = {"brush_stroke": {"stroke": STROKE}}
"""What operators are called with."""

_MEMBERS = {"FLOAT": ("value", 1), "FLOAT_VECTOR": ("vector", 3), "FLOAT_COLOR": ("color", 4), "FLOAT2": ("vector", 2)}

ACTS: dict[str, Callable[[], Act]] = {
    "erode": Command,
    "landscape": Tiles,
    "run": lambda: InBlender("run"),
    "run again": lambda: InBlender("run", "run"),
    "restore": lambda: InBlender("run", "restore"),
    "apply": lambda: InBlender("run", "apply"),
    "levels of detail": lambda: InBlender("run", "lod_add"),
    "light": lambda: InBlender("run", "light_bake"),
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
    """Fail an act at each of its points; returns how many there are, and what was not as it must be."""
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
    parser.add_argument("acts", nargs="*", metavar="ACT", help=f"of {', '.join(ACTS)} (default: all)")
    given = parser.parse_args()
    erosion_addon.register()
    total = points = 0
    for name in given.acts or ACTS:
        act = ACTS[name]()
        for kind in KINDS:
            for stays in (False, True):
                count, violations = sweep(act, kind, stays)
                points, total = points + count, total + len(violations)
                print(
                    f"{name}, {kind}, {'for ever' if stays else 'once'}: {count} points, {len(violations)} violations",
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
