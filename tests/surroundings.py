# SPDX-License-Identifier: GPL-3.0-or-later
"""The same work in all surroundings that this machine can be given: `make faults`, or `python -m
tests.surroundings` (Linux, root).

In each a heightmap is eroded on the command line with maps and a report, and a mesh in Blender,
which is exported, saved, opened and restored. The bytes are the usual ones; or there is a sentence,
and every file is as it was. Then memory is made scarcer and scarcer, for a program and for the
worker of a Blender.
"""

import argparse
import contextlib
import hashlib
import io
import json
import locale
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from erosion_addon.scene.terrain.mesh import fingerprint, make_grid_object, vertex_heights
from tests.every_machine import OTHER_LIBRARY, OTHER_NUMPY, OTHER_PROCESSOR
from tests.terrains import fractal

ROOT = Path(__file__).resolve().parents[1]
ROWS = 160
COLS = 200
FEW = {"droplet.drops_per_cell": 0.3}
SEED = 3
MEMORY_GROUPS = Path("/sys/fs/cgroup/memory")
CODES = {0, 2}
"""Exit codes of a command that went well, and of a refusal."""


@dataclass(frozen=True)
class Surroundings:
    """What a program finds. before: words of a shell that come before it; $W is the folder of its
    work.

    variables: of the environment; None for one that is not there. is_refused: whether a sentence
    may come of it.
    """

    before: str = ""
    variables: dict[str, str | None] = field(default_factory=dict)
    folder: str = "work"
    is_refused: bool = False


def _small_disk(place: str) -> str:
    return f"mkdir -p {place} && mount -t tmpfs -o size=1m tmpfs {place}"


ALONE = "unshare --mount --propagation private sh -c '{}; exec \"$@\"' sh"
"""A mount table of its own, in which something is mounted."""

SURROUNDINGS = {
    "as usual": Surroundings(),
    "no network": Surroundings("unshare --net"),
    "a comma in numbers": Surroundings(variables={"LC_ALL": "de_DE.UTF-8"}),
    "Turkish": Surroundings(variables={"LC_ALL": "tr_TR.UTF-8"}),
    "no language": Surroundings(variables={"LC_ALL": "POSIX", "LANG": None}),
    "a folder with spaces": Surroundings(folder=" two  words "),
    "a folder in other letters": Surroundings(folder="Gelände 山 ⛰ é"),
    "a folder with signs of shells": Surroundings(folder="$(touch x) `y` 'z' \"%s\" {0} & | ; *"),
    "a folder with a line break": Surroundings(folder="two\nlines"),
    "a folder like an option": Surroundings(folder="--help"),
    "a folder named CON": Surroundings(folder="CON"),
    "a folder with a long name": Surroundings(folder="x" * 255),
    "a long path": Surroundings(folder="/".join(["y" * 200] * 4)),
    "nobody else may read": Surroundings("sh -c 'umask 077; exec \"$@\"' sh"),
    "one processor": Surroundings("taskset --cpu-list 0"),
    "sixty-four open files": Surroundings("sh -c 'ulimit -n 64; exec \"$@\"' sh"),
    "a quarter of an hour off": Surroundings(variables={"TZ": "Asia/Kathmandu"}),
    "no home": Surroundings(variables={"HOME": None, "XDG_CACHE_HOME": None}),
    "a home that is not there": Surroundings(
        variables={"HOME": "/nowhere", "XDG_CACHE_HOME": None}
    ),
    "a home that is read-only": Surroundings(
        ALONE.format('mkdir -p "$W/home" && mount -t tmpfs -o ro tmpfs "$W/home"'),
        {"HOME": "$W/home", "XDG_CACHE_HOME": None, "BLENDER_USER_RESOURCES": "$W/home/blender"},
    ),
    "a full disk for machine code": Surroundings(
        ALONE.format(_small_disk('"$W/small"')), {"TERRAIN_EROSION_CACHE": "$W/small"}
    ),
    "a full disk for temporary files": Surroundings(
        ALONE.format(
            _small_disk('"$W/small"') + ' && head -c 2m /dev/zero > "$W/small/all" || true'
        ),
        {"TMPDIR": "$W/small"},
    ),
    "temporary files in a folder with spaces": Surroundings(
        'sh -c \'mkdir -p "$TMPDIR"; exec "$@"\' sh', {"TMPDIR": "$W/two words ı"}
    ),
    "a disk of 1 MB": Surroundings(ALONE.format(_small_disk('"$W"')), is_refused=True),
    "another C library": Surroundings(variables=dict(OTHER_LIBRARY)),
    "numpy without vectors": Surroundings(variables=dict(OTHER_NUMPY)),
    "another processor": Surroundings(variables=dict(OTHER_PROCESSOR)),
}


def files(folder: Path) -> dict[str, str]:
    """All files below a folder, with their SHA-256."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in found
    }


def digest(values: Any) -> str:
    """SHA-256 of an array."""
    return hashlib.sha256(np.ascontiguousarray(values).tobytes()).hexdigest()


# In the surroundings


def on_the_command_line(folder: Path) -> str:
    """Erode a heightmap there; returns the digest of the heights, or the sentence of a refusal."""
    from erosion_addon.cli.commands import main as command

    heights = folder / "land.npy"
    out = folder / "out.npy"
    np.save(heights, fractal(ROWS, COLS, 200.0))
    before = files(folder)
    said = io.StringIO()
    words = [
        "erode",
        str(heights),
        str(out),
        "--maps",
        str(folder / "maps"),
        "--report",
        str(folder / "told.json"),
    ]
    values = [f"{name}={value}" for name, value in FEW.items()]
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        code = command(
            [*words, "--recipe", "arcane", "--set", *values, "--seed", str(SEED), "--quiet"]
        )
    assert code in CODES, said.getvalue()
    if code:
        assert files(folder) == before, "a refusal left files behind"
        return said.getvalue().strip()
    told = json.loads((folder / "told.json").read_text(encoding="utf-8"))
    assert len(list((folder / "maps").iterdir())) >= 6 and told["seed"] == SEED
    return digest(np.load(out))


def in_blender(folder: Path) -> str:
    """Erode a mesh there, export it, save it, open it and restore it; returns what
    `on_the_command_line` does.
    """
    import bpy

    import erosion_addon
    from erosion_addon import Recipe
    from erosion_addon.ui.recipe import steps

    erosion_addon.register()
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    obj = make_grid_object(
        "Land", fractal(ROWS, COLS, 200.0), (10.0, 10.0), bpy.context.scene.collection
    )
    bpy.context.view_layer.objects.active = obj
    obj.select_set(True)
    steps.fill(obj.erosion, Recipe.load("arcane").with_values(FEW))
    obj.erosion.seed = SEED
    start = digest(vertex_heights(obj.data))
    try:
        assert bpy.ops.erosion.run() == {"FINISHED"}
    except RuntimeError as error:
        assert digest(vertex_heights(obj.data)) == start
        return str(error).strip()
    end = digest(vertex_heights(obj.data))
    before = files(folder)
    try:
        assert bpy.ops.erosion.maps_export(directory=str(folder / "of Blender")) == {"FINISHED"}
        path = str(folder / "land.blend")
        bpy.ops.wm.save_as_mainfile(filepath=path)
        bpy.ops.wm.open_mainfile(filepath=path)
        obj = bpy.data.objects["Land"]
        bpy.context.view_layer.objects.active = obj
        assert digest(vertex_heights(obj.data)) == end
    except RuntimeError as error:
        assert files(folder) == before, "a refusal left files behind"
        end = str(error).strip()
    assert bpy.ops.erosion.restore() == {"FINISHED"}
    assert digest(vertex_heights(obj.data)) == start
    erosion_addon.unregister()
    return end


def in_blender_with_little_memory(megabytes: int) -> str:
    """Erode a mesh in Blender whose worker may have so much memory; returns a digest or the
    sentence.
    """
    import resource

    import bpy

    from erosion_addon import Recipe
    from erosion_addon.scene.run import job
    from erosion_addon.scene.worker import worker_process

    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    obj = make_grid_object(
        "Land", fractal(ROWS, COLS, 200.0), (10.0, 10.0), bpy.context.scene.collection
    )
    before = fingerprint(obj.data)
    resource.prlimit(
        worker_process.ready()._process.pid, resource.RLIMIT_AS, (megabytes << 20,) * 2
    )
    run = job.start(obj, Recipe.load("arcane").with_values(FEW), {})
    while not run.ended:
        run.poll(0.05)
    said = run.sentence
    state = run.state
    job.clear()
    worker_process.stop()
    if state == "done":
        return digest(vertex_heights(obj.data))
    assert fingerprint(obj.data) == before and state == "failed"
    return said


# From outside


def child(name: str, words: list[str], base: Path) -> subprocess.CompletedProcess[str]:
    """This module in surroundings."""
    given = SURROUNDINGS[name]
    work = base / given.folder
    work.mkdir(parents=True, exist_ok=True)
    variables = {
        key: value and value.replace("$W", str(work)) for key, value in given.variables.items()
    }
    there = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "LOCPATH": str(base.parent / "locales"),
        "W": str(work),
        **variables,
    }
    before = ["sh", "-c", f'exec {given.before} "$@"', "sh"] if given.before else []
    return subprocess.run(
        [
            *before,
            sys.executable,
            "-W",
            "ignore",
            "-m",
            "tests.surroundings",
            "--here",
            str(work),
            *words,
        ],
        env={key: value for key, value in there.items() if value is not None},
        cwd=ROOT,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=900,
    )


def make_locales(folder: Path) -> None:
    """The languages of `SURROUNDINGS`, which a system need not have."""
    folder.mkdir()
    for name in ("de_DE", "tr_TR"):
        words = ["localedef", "-i", name, "-f", "UTF-8", str(folder / f"{name}.UTF-8")]
        subprocess.run(words, check=True, capture_output=True)


def is_sentence(text: str) -> bool:
    """Whether a text is what a refusal says."""
    return text.endswith(".") and "Traceback" not in text and " " in text


def everywhere(names: list[str], base: Path) -> int:
    """Try surroundings; returns how many failures there are."""
    failures = 0
    usual = None
    for name in dict.fromkeys(["as usual", *names]):
        done = child(name, [], base)
        try:
            told = json.loads(done.stdout.splitlines()[-1])
        except (IndexError, ValueError):
            told = {}
        usual = usual or told
        refused = SURROUNDINGS[name].is_refused
        is_well = bool(told) and all(
            told[act] == usual[act] or (refused and is_sentence(told[act]))
            for act in ("command line", "Blender")
        )
        failures += not is_well
        words = "the same bytes" if told == usual else "a sentence" if is_well else "FAILED"
        print(f"{name}: {words}", flush=True)
        if not is_well:
            print(told, done.returncode, done.stdout[-2000:], done.stderr[-4000:], sep="\n")
        elif told != usual:
            print(*(f"    {text}" for text in told.values() if is_sentence(text)), sep="\n")
    return failures


def little_memory(base: Path) -> tuple[int, int]:
    """Limit the address space of a program, and of the worker of a Blender, to more and more until
    all goes well.

    Returns how many limits were tried, and failures: files or a mesh that are neither what was
    there nor the result.
    """
    tried = failures = 0
    work = base / "little memory"
    work.mkdir()
    np.save(work / "land.npy", fractal(ROWS, COLS, 200.0))
    before = files(work)
    words = [
        "erode",
        "land.npy",
        "out.npy",
        "--recipe",
        "arcane",
        "--set",
        "droplet.drops_per_cell=0.3",
        "--quiet",
    ]
    program = [sys.executable, "-W", "ignore", "-m", "erosion_addon", *words]
    megabytes = 60
    code = 1
    while code:
        done = subprocess.run(
            ["sh", "-c", f'ulimit -v {megabytes * 1024}; exec "$@"', "sh", *program],
            cwd=work,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            errors="replace",
        )
        code = done.returncode
        now = files(work)
        is_well = (
            now == before if code else now.items() > before.items() and len(now) == len(before) + 1
        )
        failures = failures + (not is_well)
        tried = tried + 1
        print(
            f"{megabytes} MB for a program: exit code {code}, {'well' if is_well else 'FAILED'}",
            flush=True,
        )
        megabytes += megabytes // 6
    megabytes = 60
    expected = None
    last = ""
    while not expected:
        done = subprocess.run(
            [
                sys.executable,
                "-W",
                "ignore",
                "-m",
                "tests.surroundings",
                "--here",
                str(work),
                "--memory",
                str(megabytes),
            ],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=300,
        )
        last = (done.stdout.splitlines() or [""])[-1]
        expected = last if len(last) == 64 else None
        is_well = bool(expected) or is_sentence(last)
        failures = failures + (not is_well)
        tried = tried + 1
        print(
            (
                f"{megabytes} MB for a worker: "
                f"{'the result' if expected else last or done.stderr[-500:]}"
            ),
            flush=True,
        )
        megabytes += megabytes // 6
    return tried, failures


def in_a_memory_group(base: Path) -> str:
    """A terrain that does not fit into a control group of 400 MB; returns what is said, or why it
    was not tried.
    """
    group = MEMORY_GROUPS / f"erosion-{os.getpid()}"
    try:
        group.mkdir()
        (group / "memory.limit_in_bytes").write_text(str(400 << 20))
    except OSError as error:
        return f"not tried: {error.strerror}"
    try:
        np.save(base / "large.npy", np.zeros((3000, 3000)))
        words = [
            sys.executable,
            "-W",
            "ignore",
            "-m",
            "erosion_addon",
            "erode",
            str(base / "large.npy"),
        ]
        done = subprocess.run(
            [
                "sh",
                "-c",
                f'echo $$ > {group}/cgroup.procs; exec "$@"',
                "sh",
                *words,
                str(base / "out.npy"),
                "--quiet",
            ],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 2 and not (base / "out.npy").exists(), (
            done.returncode,
            done.stderr,
        )
        return done.stderr.strip()
    finally:
        group.rmdir()


def main() -> int:
    """Try all that is asked for; returns how many failures there are."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"of {', '.join(SURROUNDINGS)} (default: all)"
    )
    parser.add_argument(
        "--here", type=Path, metavar="FOLDER", help="work in this process, and say what comes of it"
    )
    parser.add_argument(
        "--memory", type=int, metavar="MB", help="with --here: for the worker of a Blender"
    )
    given = parser.parse_args()
    if given.memory:
        print("\n" + in_blender_with_little_memory(given.memory), flush=True)
    elif given.here:
        with contextlib.suppress(locale.Error):
            locale.setlocale(locale.LC_ALL, "")
        told = {"command line": on_the_command_line(given.here), "Blender": in_blender(given.here)}
        print("\n" + json.dumps(told), flush=True)
    if given.here:
        os._exit(0)  # Blender 4.5 as a Python module may hang at its end, see conftest.py
    if sys.platform != "linux" or os.geteuid() != 0:
        print("Not run: this needs Linux and root.")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder).resolve() / "base"
        base.mkdir()
        make_locales(base.parent / "locales")
        names = given.names or list(SURROUNDINGS)
        failures = everywhere(names, base)
        print(f"{len(set(names) | {'as usual'})} surroundings, {failures} failures", flush=True)
        if not given.names:
            print(f"memory group of 400 MB: {in_a_memory_group(base)}", flush=True)
            tried, more = little_memory(base)
            print(f"{tried} limits of memory, {more} failures")
            failures += more
    return failures


if __name__ == "__main__":
    sys.exit(main() > 0)
