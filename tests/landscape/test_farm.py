# SPDX-License-Identifier: GPL-3.0-or-later
"""Erosion of a landscape by single commands, as farms run them, and the job type for Flamenco."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import textwrap
from itertools import groupby
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from erosion_addon import VERSION
from erosion_addon.base.atomic_files import Outputs
from erosion_addon.base.errors import InputError
from erosion_addon.base.lock import locked
from erosion_addon.cli.commands import main
from erosion_addon.landscape import erode as erosion
from erosion_addon.landscape import journal
from erosion_addon.landscape.erode import Alone, TooEarlyError, do_one, erode, prepare
from erosion_addon.landscape.journal import Version
from erosion_addon.landscape.storage.folder import Landscape
from erosion_addon.landscape.tasks import WORK
from tests.cli.commandline import run
from tests.landscape.conftest import QUICK, fractal

JOB_TYPE = Path(__file__).parents[2] / "examples" / "flamenco" / "terrain-erosion-landscape.js"

ROOT = Path(__file__).parents[2]
MANUAL = ROOT / "docs" / "scripting" / "landscapes.md"

DEADLINE = """printf '%s\\t' "$@" >> "$JOBS"; echo >> "$JOBS"; echo Result=Success
echo "JobID=job$(wc -l < "$JOBS")" """
"""A stand-in for Deadline's command, which prints the job's ID."""

AUTHOR = """
const made = [];
const author = {
    Task: (name, type) => ({
        name, type, commands: [], needs: [],
        addCommand(command) { this.commands.push(command); },
        addDependency(task) {
            if (!made.includes(task)) { throw new Error(`${name} comes before what it needs`); }
            this.needs.push(task.name);
        },
    }),
    Command: (name, parameters) => ({ name, parameters }),
};
"""
"""Stub of what Flamenco gives to job types."""


@pytest.mark.thorough
@pytest.mark.slow
def test_single_tasks_in_any_allowed_order_leave_the_bytes_of_one_run(landscape, recipe, tmp_path):
    there = erode(fractal(tmp_path / "there").folder, recipe, Alone(1), coarse=80)
    tasks = prepare(landscape.folder, recipe, coarse=80)
    waiting = list(tasks)
    done = set()
    while waiting:
        task = next(task for task in reversed(waiting) if done.issuperset(task.needs))
        waiting.remove(task)
        assert do_one(landscape.folder, task.name) == task.name
        done.add(task.name)
    stamps = {path: path.stat().st_mtime_ns for path in (landscape.folder / WORK).rglob("*.npy")}
    assert do_one(landscape.folder, str(len(tasks) - 1)) == tasks[-1].name  # it is done already
    assert stamps == {
        path: path.stat().st_mtime_ns for path in (landscape.folder / WORK).rglob("*.npy")
    }
    told = []
    here = erode(
        landscape.folder,
        recipe,
        Alone(),
        coarse=80,
        on_progress=lambda fraction, message: told.append(message),
    )
    assert here.manifest.layers == there.manifest.layers and told == []
    assert prepare(landscape.folder, recipe, coarse=80) == []


def test_tasks_that_cannot_run_say_why(landscape, recipe):
    with pytest.raises(InputError, match="is not prepared; run landscape tasks first"):
        do_one(landscape.folder, "coarse")
    tasks = prepare(landscape.folder, recipe, coarse=80)
    for name, sentence in (
        ("shape_x1_y0", "needs coarse, which is not done; run that one first"),
        ("../coarse", "There is no task"),
        (str(len(tasks)), "there are tasks 0 to"),
    ):
        with pytest.raises(InputError, match=sentence):
            do_one(landscape.folder, name)
    # none of this recipe: nothing is to be done
    assert do_one(landscape.folder, "cover_x9_y9") == "cover_x9_y9"
    with locked(landscape.folder), pytest.raises(InputError, match="is being changed by process"):
        do_one(landscape.folder, "coarse")


def test_a_task_that_comes_too_early_ends_with_the_code_to_try_again(landscape, recipe, capsys):
    words = ["landscape", "task", str(landscape.folder), "shape_x1_y0"]
    assert main(words) == 75  # before landscape tasks
    assert "is not prepared" in capsys.readouterr().err
    prepare(landscape.folder, recipe, coarse=80)
    assert main([*words, "--progress", "json"]) == 75
    note, end = (json.loads(line) for line in capsys.readouterr().err.splitlines())
    assert "needs coarse, which is not done" in note["text"] and end["code"] == 75
    with locked(landscape.folder):
        assert main(words) == 75
    assert "is being changed by process" in capsys.readouterr().err
    assert main([*words[:-1], "../coarse"]) == 2


def test_a_journal_that_a_drive_fails_to_read_costs_no_task(landscape, recipe, monkeypatch):
    prepare(landscape.folder, recipe, coarse=80)
    (landscape.folder / WORK / "coarse").mkdir()
    before = sorted((landscape.folder / WORK).rglob("*"))

    def fails(path):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(journal, "open_regular", fails)
    for act in (
        lambda: do_one(landscape.folder, "shape_x0_y0"),
        lambda: erode(landscape.folder, recipe, Alone(), coarse=80),
    ):
        with pytest.raises(
            InputError, match=r"journal.jsonl cannot be read: Input/output error\.$"
        ):
            act()
        assert sorted((landscape.folder / WORK).rglob("*")) == before


@pytest.mark.slow
def test_a_task_waits_for_what_it_needs(landscape, recipe, monkeypatch):
    """Another process makes ready first, then does one task after the other, while this one looks
    again.
    """
    monkeypatch.setattr(erosion, "REST", 0.01)
    steps = iter(
        [
            lambda: prepare(landscape.folder, recipe, coarse=80),
            lambda: do_one(landscape.folder, "coarse"),
            lambda: do_one(landscape.folder, "shape_x0_y0"),
            lambda: do_one(landscape.folder, "shape_x2_y0"),
        ]
    )
    told = []

    def on_wait(sentence):
        told.append(sentence)
        next(steps)()

    assert do_one(landscape.folder, "shape_x1_y0", 1, 1000.0, on_wait) == "shape_x1_y0"
    assert "is not prepared" in told[0]
    for name, said in zip(("coarse", "shape_x0_y0", "shape_x2_y0"), told[1:], strict=True):
        assert f"needs {name}, which is not done" in said
    assert (landscape.folder / WORK / "shape_x1_y0" / "elevation.npy").exists()
    with pytest.raises(TooEarlyError, match="needs shape_x"):
        do_one(landscape.folder, "finish_x0_y0", 1, 0.05)


def test_tasks_of_a_round_need_those_of_earlier_rounds_alone(landscape, recipe, capsys):
    tasks = prepare(landscape.folder, recipe, coarse=80)
    assert main(["landscape", "tasks", str(landscape.folder), *QUICK, "--rounds"]) == 0
    lines = capsys.readouterr().out.split()
    ranges = [(int(line.partition("-")[0]), int(line.rpartition("-")[2])) for line in lines]
    # coarse, four colors, cover, finish
    assert [last - first + 1 for first, last in ranges] == [1, 2, 1, 2, 1, 6, 6]
    done = set()
    for first, last in ranges:
        names = {task.name for task in tasks[first : last + 1]}
        assert all(done.issuperset(task.needs) for task in tasks[first : last + 1])
        done |= names
    assert done == {task.name for task in tasks}


@pytest.mark.thorough
@pytest.mark.slow
def test_a_task_started_once_more_in_a_landscape_that_is_complete_does_nothing(landscape, recipe):
    erode(landscape.folder, recipe, Alone(), coarse=80)
    before = {path: path.stat().st_mtime_ns for path in landscape.folder.rglob("*")}
    assert (
        do_one(landscape.folder, "coarse") == "coarse"
        and do_one(landscape.folder, "1") == "shape_x0_y0"
    )
    assert {path: path.stat().st_mtime_ns for path in landscape.folder.rglob("*")} == before


@pytest.mark.slow
def test_a_task_whose_files_were_damaged_holds_up_those_after_it(landscape, recipe):
    prepare(landscape.folder, recipe, coarse=80)
    do_one(landscape.folder, "coarse")
    (landscape.folder / WORK / "coarse" / "elevation.npy").write_bytes(b"")
    with pytest.raises(InputError, match="needs coarse, which is not done; run that one first"):
        do_one(landscape.folder, "shape_x0_y0")
    do_one(landscape.folder, "coarse")
    assert do_one(landscape.folder, "shape_x0_y0") == "shape_x0_y0"


@pytest.mark.slow
def test_the_commands_print_tasks_and_do_them(landscape):
    told = run("landscape", "tasks", landscape.folder, *QUICK)
    assert told.returncode == 0, told.stderr
    first, second, *_ = told.stdout.decode().splitlines()
    assert first == "0 coarse" and second == "1 shape_x0_y0 coarse"
    for name in ("coarse", "1"):
        assert run("landscape", "task", landscape.folder, name).returncode == 0
    assert (landscape.folder / WORK / "shape_x0_y0" / "elevation.npy").exists()


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js")
def test_the_job_type_for_flamenco_has_all_tasks_in_an_order_that_works(tmp_path, recipe):
    landscape = fractal(tmp_path / "land", 80, (240, 320))
    settings = {"folder": str(landscape.folder), "rows": 3, "cols": 4, "recipe": "alpine"}
    settings |= {"seed": 7, "threads": 0, "python": "python3"}
    script = "\n".join(
        [
            AUTHOR,
            JOB_TYPE.read_text(encoding="utf-8"),
            f"const settings = {json.dumps(settings)};",
            "compileJob({ settings, addTask(task) { made.push(task); } });",
            (
                "console.log(JSON.stringify({ made, keys: JOB_TYPE.settings.map((setting) => "
                "setting.key) }));"
            ),
        ]
    )
    told = subprocess.run(["node", "-"], input=script, capture_output=True, text=True, check=True)
    found = json.loads(told.stdout)
    assert set(found["keys"]) == set(settings)
    made = {task["name"]: task for task in found["made"]}
    tasks = prepare(landscape.folder, recipe, coarse=80)
    assert {task.name for task in tasks} == made.keys() - {"prepare", "complete"}
    before = {}
    for name, task in made.items():
        before[name] = set(task["needs"]).union(*(before[need] for need in task["needs"]))
    for task in tasks:
        assert before[task.name] >= {"prepare", *task.needs}
        assert made[task.name]["commands"][0]["parameters"]["args"][2:] == [
            "landscape",
            "task",
            str(landscape.folder),
            task.name,
        ]
    assert before["complete"] == made.keys() - {"complete"}
    assert made["complete"]["commands"][0]["parameters"]["args"][3:] == [
        "erode",
        str(landscape.folder),
        "--recipe",
        "alpine",
        "--seed",
        "7",
    ]


class Stopped:
    """A task that is stopped before its files take their places, and goes on when something else
    has been done.
    """

    def __init__(self, monkeypatch, meanwhile):
        def publish(outputs, goes_on=False, publish=Outputs.publish):
            if outputs.digests() and any(WORK in Path(name).parts for name in outputs.digests()):
                monkeypatch.undo()
                meanwhile()
            return publish(outputs, goes_on)

        monkeypatch.setattr(Outputs, "publish", publish)


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("name", ["coarse", "shape_x0_y0", "finish_x1_y0"])
def test_a_task_of_an_earlier_order_leaves_nothing_in_a_newer_one(
    landscape, recipe, tmp_path, monkeypatch, name
):
    """It is stopped at the last moment: all is written and the order is compared, but nothing is
    moved.
    """
    few = recipe.with_values({"droplet.drops_per_cell": 0.1, "uplift.years": 2000})
    calm = erode(fractal(tmp_path / "calm").folder, few, Alone(), seed=9, coarse=80).manifest.layers
    for task in prepare(landscape.folder, few, coarse=80):
        if task.name == name:
            break
        do_one(landscape.folder, task.name)
    Stopped(monkeypatch, lambda: erode(landscape.folder, few, Alone(), seed=9, coarse=80))
    with pytest.raises(InputError):
        do_one(landscape.folder, name)
    found = Landscape(landscape.folder)
    assert found.manifest.layers == calm and not found.faults()


@pytest.mark.slow
def test_a_task_of_an_earlier_order_leaves_nothing_in_the_tasks_of_a_newer_one(
    landscape, recipe, monkeypatch
):
    """The newer order is under way, and the task of the same name is done there."""
    few = recipe.with_values({"droplet.drops_per_cell": 0.1, "uplift.years": 2000})
    prepare(landscape.folder, few, coarse=80)
    kept = {}

    def newer():
        prepare(landscape.folder, few, seed=9, coarse=80)
        do_one(landscape.folder, "coarse")
        kept.update(
            {
                path: path.read_bytes()
                for path in (landscape.folder / WORK).rglob("*")
                if path.is_file()
            }
        )

    Stopped(monkeypatch, newer)
    with pytest.raises(InputError):
        do_one(landscape.folder, "coarse")
    assert kept == {
        path: path.read_bytes() for path in (landscape.folder / WORK).rglob("*") if path.is_file()
    }


OTHER = """
import sys
import erosion_addon
from erosion_addon.landscape import journal

journal.VERSION = "9.9.9"
from erosion_addon.cli.commands import main

sys.exit(main(sys.argv[1:]))
"""
"""The command of another version."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [("task", "coarse"), ("task", "1", "--wait", "30"), ("erode", *QUICK), ("tasks", *QUICK)],
)
def test_another_version_is_refused_with_both_and_what_is_done_stays(landscape, recipe, words):
    prepare(landscape.folder, recipe, coarse=80)
    (landscape.folder / WORK / "coarse").mkdir()
    before = {path: path.stat().st_mtime_ns for path in landscape.folder.rglob("*")}
    command = [
        sys.executable,
        "-c",
        OTHER,
        "landscape",
        words[0],
        str(landscape.folder),
        *words[1:],
    ]
    told = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert told.returncode == 2, told.stderr
    assert f"begun by version {VERSION} (" in told.stderr and "and this is 9.9.9 (" in told.stderr
    assert before == {path: path.stat().st_mtime_ns for path in landscape.folder.rglob("*")}


def test_other_sources_of_the_same_version_are_another_version(landscape, recipe, monkeypatch):
    prepare(landscape.folder, recipe, coarse=80)
    monkeypatch.setattr(journal, "this_version", lambda: Version(VERSION, "0" * 12))
    with pytest.raises(
        InputError,
        match=rf"begun by version {VERSION} .*, and this is {VERSION} \(000000000000\); go on",
    ):
        do_one(landscape.folder, "coarse")


def example(word, land):
    """The example of the manual's page that has a word, for a landscape so small that it needs a
    coarser grid.
    """
    lines = MANUAL.read_text(encoding="utf-8").splitlines()
    blocks = (
        list(lines) for _, lines in groupby(lines, lambda line: not line or line.startswith("    "))
    )
    (found,) = (text for block in blocks if word in (text := "\n".join(block)))
    few = " ".join(QUICK[2:]) if word == "deadlinecommand" else '", "'.join(QUICK[2:])
    recipe = "--recipe alpine" if word == "deadlinecommand" else '"--recipe", "alpine"'
    more = f"{recipe} {few}" if word == "deadlinecommand" else f'{recipe}, "{few}"'
    assert recipe in found and "/farm/land" in found
    return textwrap.dedent(found.replace(recipe, more).replace("/farm/land", str(land)))


@pytest.fixture
def farm(tmp_path, monkeypatch):
    """A landscape in two tiles, and programs `python3` and `deadlinecommand`, which notes what it
    is given.
    """
    land = fractal(tmp_path / "the farm" / "land", 80, (80, 160)).folder
    (tmp_path / "programs").mkdir()
    for name, words in {
        "python3": f'exec {shlex.quote(sys.executable)} "$@"',
        "deadlinecommand": DEADLINE,
    }.items():
        (tmp_path / "programs" / name).write_text(f"#!/bin/bash\n{words}\n")
        (tmp_path / "programs" / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'programs'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("JOBS", str(tmp_path / "jobs"))
    return land


def done_backward(commands, layers):
    """Do the commands of each layer, those with the greatest numbers first."""
    for words, numbers in zip(commands, layers, strict=True):
        for number in reversed(numbers):
            assert main([*(word.replace("#", str(number)) for word in words), "--quiet"]) == 0


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None or os.name == "nt", reason="needs bash")
def test_the_example_for_deadline_completes_a_landscape(farm, tmp_path, recipe):
    subprocess.run(["bash", "-euc", example("deadlinecommand", farm)], check=True)
    jobs = [
        line.rstrip("\t\n").split("\t") for line in (tmp_path / "jobs").read_text().splitlines()
    ]
    given = [dict(zip(job[1::2], job[2::2], strict=True)) for job in jobs]
    before = [job["-prop"] for job in given]
    assert before == [
        "JobDependencies=",
        *(f"JobDependencies=job{number}" for number in range(1, len(jobs))),
    ]
    commands = []
    for job in given:
        assert job["-executable"] == "python3" and job["-chunksize"] == "1"
        words = shlex.split(job["-arguments"].replace("<QUOTE>", '"').replace("<STARTFRAME>", "#"))
        assert words[:2] == ["-m", "erosion_addon"]
        commands.append(words[2:])
    done_backward(commands, [numbers_of(job["-frames"]) for job in given])
    assert Landscape(farm).has("elevation") and not Landscape(farm).faults()


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="needs a shell")
def test_the_example_for_opencue_completes_a_landscape(farm, monkeypatch):
    """With a stand-in for PyOutline."""
    launched = []

    class Layer:
        def __init__(self, name, command, range):
            self.name = name
            self.command = command
            self.numbers = numbers_of(range)
            self.after = None

        def depend_all(self, before):
            self.after = before

    class Outline(list):
        def __init__(self, name, **where):
            super().__init__()
            assert where.keys() == {"show", "shot", "user"}

        add_layer = list.append

    outline, modules, shell = (
        ModuleType(name) for name in ("outline", "outline.modules", "outline.modules.shell")
    )
    outline.Outline = Outline
    shell.Shell = Layer
    outline.cuerun = SimpleNamespace(launch=lambda job, use_pycuerun: launched.append(job))
    for module in (outline, modules, shell):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(example("outline", farm), str(MANUAL), "exec"), {})  # noqa: S102
    (job,) = launched
    assert [layer.after for layer in job] == [None, *job[:-1]]
    commands = [[word.replace("#IFRAME#", "#") for word in layer.command[3:]] for layer in job]
    assert all(layer.command[:3] == ["python3", "-m", "erosion_addon"] for layer in job)
    done_backward(commands, [layer.numbers for layer in job])
    assert Landscape(farm).has("elevation") and not Landscape(farm).faults()


def numbers_of(frames):
    """Numbers of a range such as 2-4."""
    first, _, last = frames.partition("-")
    return range(int(first), int(last or first) + 1)
