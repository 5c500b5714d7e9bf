# SPDX-License-Identifier: GPL-3.0-or-later
"""The lock of a folder: one holder, also where several take over that of a dead process at once."""

import errno
import json
import os
import platform
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from erosion_addon.base import atomic_files, lock
from erosion_addon.base.errors import InputError
from erosion_addon.base.lock import locked, refuse_locked
from tests.small_disk import small_disk

posix = pytest.mark.skipif(
    os.name == "nt", reason="a process cannot be asked there whether it runs"
)

RACE = """
import sys, time
from pathlib import Path
from erosion_addon.base.errors import InputError
from erosion_addon.base.lock import locked

folder, begin = Path(sys.argv[1]), float(sys.argv[2])
time.sleep(max(0.0, begin - time.time()))
try:
    with locked(folder):
        print("in", flush=True)
        sys.stdin.read()
        print("out", flush=True)
except InputError as error:
    print(error)
"""


def dead_process():
    """Number of a process that has ended."""
    told = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True
    )
    return int(told.stdout)


def left(folder, **values):
    """A lock that a process has left behind."""
    lock = {
        "host": platform.node(),
        "pid": dead_process(),
        "since": "2026-11-01T00:00:00Z",
        **values,
    }
    (folder / "lock").write_text(json.dumps(lock))


@posix
@pytest.mark.slow
def test_of_several_processes_that_find_a_dead_lock_one_takes_it(tmp_path):
    for trial in range(5):
        folder = tmp_path / str(trial)
        folder.mkdir()
        left(folder)
        words = [sys.executable, "-c", RACE, folder, str(time.time() + 1.0)]
        racers = [
            subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                cwd=Path(__file__).parents[2],
            )
            for _ in range(4)
        ]
        # the one that has it keeps it until the others have ended, however late they begin
        end = time.monotonic() + 120
        while sum(racer.poll() is None for racer in racers) > 1 and time.monotonic() < end:
            time.sleep(0.02)
        told = [racer.communicate()[0].splitlines() for racer in racers]
        assert [lines for lines in told if lines == ["in", "out"]] == [["in", "out"]]
        refused = (
            # the latter while another one takes over the dead lock
            "is being changed by process|cannot be locked"
        )
        assert all(re.search(refused, lines[0]) for lines in told if lines != ["in", "out"])
        assert not list(folder.iterdir())


def test_a_lock_given_back_and_taken_between_two_looks_names_its_holder(tmp_path, monkeypatch):
    left(tmp_path, pid=os.getpid())
    reads = []
    holder = lock._holder

    def late(path):
        reads.append(path)
        return holder(path) if len(reads) > 1 else None

    monkeypatch.setattr(lock, "_holder", late)
    with pytest.raises(InputError, match=f"is being changed by process {os.getpid()}"):
        refuse_locked(tmp_path)


@posix
def test_a_lock_whose_holder_lives_in_another_space_of_processes_is_not_taken(tmp_path):
    """As in two containers of one machine with one name: the holder's number means nothing
    outside.
    """
    with locked(tmp_path):
        held = json.loads((tmp_path / "lock").read_text())
        with (tmp_path / "lock").open("r+") as lock:
            lock.write(json.dumps({**held, "pid": dead_process()}))
            lock.truncate()
        with pytest.raises(InputError, match="cannot be locked"), locked(tmp_path):
            pass
        assert (tmp_path / "lock").exists()


def test_only_ones_own_lock_is_removed(tmp_path):
    with locked(tmp_path):
        (tmp_path / "lock").unlink()  # by a user who takes it for dead
        left(tmp_path, host="another machine")
    with pytest.raises(InputError, match="on another machine since"):
        refuse_locked(tmp_path)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EIO])
def test_a_lock_that_cannot_be_written_leaves_nothing(tmp_path, monkeypatch, number):
    def fails(descriptor):
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(atomic_files.os, "fsync", fails)
        with pytest.raises(InputError, match=os.strerror(number)), locked(tmp_path):
            pass
    assert not list(tmp_path.iterdir())
    with locked(tmp_path):
        assert json.loads((tmp_path / "lock").read_text())["pid"] == os.getpid()


@pytest.mark.slow
def test_a_full_disk_leaves_a_folder_unlocked(tmp_path):
    with small_disk(tmp_path / "disk", 100):
        filler = tmp_path / "disk" / "filler"
        filler.write_bytes(
            bytes(os.statvfs(tmp_path / "disk").f_bavail * os.statvfs(tmp_path / "disk").f_frsize)
        )
        with pytest.raises(InputError, match="No space left"), locked(tmp_path / "disk"):
            pass
        filler.unlink()
        assert not list((tmp_path / "disk").iterdir())
        with locked(tmp_path / "disk"):
            pass


@pytest.mark.parametrize("number", [errno.EPERM, errno.ENOTSUP])
def test_a_drive_without_hard_links_has_locks_too(tmp_path, monkeypatch, number):
    def refuses(path, target):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(Path, "hardlink_to", refuses)
    with locked(tmp_path):
        assert [path.name for path in tmp_path.iterdir()] == ["lock"]
        with pytest.raises(InputError, match="is being changed by process"), locked(tmp_path):
            pass
    assert not list(tmp_path.iterdir())


@posix
@pytest.mark.parametrize(
    "kind", ["link", "broken link", "pipe", "folder", "empty", "no JSON", "[1]"]
)
def test_what_is_no_lock_is_refused_in_a_sentence(tmp_path, kind):
    lock = tmp_path / "lock"
    match kind:
        case "link":
            lock.symlink_to(Path(__file__))
        case "broken link":
            lock.symlink_to("/nowhere")
        case "pipe":
            os.mkfifo(lock)
        case "folder":
            lock.mkdir()
        case _:
            lock.write_text({"empty": "", "no JSON": "\0"}.get(kind, kind))
    with (
        pytest.raises(
            InputError, match=r"is being changed by another process; .* or remove .*lock"
        ),
        locked(tmp_path),
    ):
        pass
    assert os.path.lexists(lock)
