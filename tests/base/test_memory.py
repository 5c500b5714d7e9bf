# SPDX-License-Identifier: GPL-3.0-or-later
"""Free memory: never more than containers and limits grant this process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from erosion_addon import InputError
from erosion_addon.base import memory
from erosion_addon.base.memory import _available_on_linux, available_memory, require_to_unpack

ROOT = Path(__file__).resolve().parents[2]
MEMINFO = "MemTotal:       16000000 kB\nMemAvailable:    8000000 kB\n"
FREE = 8_000_000 * 1024
UNLIMITED = "9223372036854771712"

LIMITED = """
import resource, sys
resource.setrlimit(getattr(resource, sys.argv[1]), (2**30, 2**30))
from erosion_addon.base.memory import available_memory
print(available_memory())
"""

linux = pytest.mark.skipif(sys.platform != "linux", reason="what Linux says")


def system(root, **files):
    """Files of a system; `_` in names stands for `/`."""
    for name, text in {"proc/meminfo": MEMINFO, **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return _available_on_linux(root)


@linux
def test_without_a_container_it_is_what_the_machine_has(tmp_path):
    assert system(tmp_path) == FREE


VERSION_2 = ("sys/fs/cgroup", "memory.max", "memory.current", "inactive_file", "0::{path}\n")
VERSION_1 = (
    "sys/fs/cgroup/memory",
    "memory.limit_in_bytes",
    "memory.usage_in_bytes",
    "total_inactive_file",
    "12:cpu,cpuacct:/\n9:memory:{path}\n1:name=systemd:{path}\n",
)


@linux
@pytest.mark.parametrize("version", [VERSION_1, VERSION_2], ids=["version 1", "version 2"])
@pytest.mark.parametrize(
    "path, where",
    [("/", ""), ("/farm/job 7", "farm/job 7/"), ("/farm/job 7", "farm/"), ("/docker/abc", "")],
)
def test_a_container_leaves_its_limit_less_what_it_uses_but_for_files_that_were_read(
    tmp_path, version, path, where
):
    """Its own group, one around it, or one that it sees as the top of all."""
    mount, limit, used, cache, groups = version
    files = {
        "proc/self/cgroup": groups.format(path=path),
        f"{mount}/{where}{limit}": "1000000000\n",
        f"{mount}/{where}{used}": "700000000\n",
        f"{mount}/{where}memory.stat": f"anon 1\n{cache} 50000000\n",
    }
    assert system(tmp_path, **files) == 350_000_000


@linux
@pytest.mark.parametrize("version, limit", [(VERSION_1, UNLIMITED), (VERSION_2, "max")])
def test_a_container_without_a_limit_leaves_what_the_machine_has(tmp_path, version, limit):
    mount, limit_file, used, _, groups = version
    files = {
        "proc/self/cgroup": groups.format(path="/"),
        f"{mount}/{limit_file}": limit,
        f"{mount}/{used}": "7\n",
    }
    assert system(tmp_path, **files) == FREE


@linux
def test_a_full_container_leaves_nothing(tmp_path):
    files = {
        "proc/self/cgroup": "0::/\n",
        "sys/fs/cgroup/memory.max": "10\n",
        "sys/fs/cgroup/memory.current": "20\n",
    }
    assert system(tmp_path, **files) == 0


@pytest.mark.worker
@linux
@pytest.mark.parametrize("limit", ["RLIMIT_AS", "RLIMIT_DATA"])
def test_a_limit_of_the_process_is_what_it_leaves(limit):
    said = subprocess.run(
        [sys.executable, "-c", LIMITED, limit],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    assert 0 <= int(said.stdout) < 2**30


def test_this_machine_has_some():
    assert available_memory() is None or available_memory() > 0


GIB = 1 << 30


@pytest.mark.parametrize(
    ("needed", "numbers", "stored", "is_refused"),
    [
        (6 * GIB, 200_000_001, 1_000_000, True),
        (6 * GIB, 200_000_000, 1_000_000, False),  # 200 numbers in a byte: a mask of few shapes
        (2 * GIB, 10**9, 1_000_000, False),
    ],
)
def test_a_small_file_does_not_fill_gigabytes_however_much_is_free(
    monkeypatch, needed, numbers, stored, is_refused
):
    monkeypatch.setattr(memory, "available_memory", lambda: 100 * GIB)
    if is_refused:
        with pytest.raises(
            InputError,
            match=r"^Reading a\.png needs .* 6\.4 GB .* the file has only 1\.0 MB; save it",
        ):
            require_to_unpack(needed, numbers, stored, "Reading a.png")
    else:
        require_to_unpack(needed, numbers, stored, "Reading a.png")
