# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled kernels are kept in a private folder, and nothing that is wrong with it can do harm."""

import hashlib
import importlib.util
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest

ROOT = Path(__file__).resolve().parents[2]
KERNELS = ROOT / "erosion_addon" / "kernels"

posix = pytest.mark.skipif(os.name != "posix", reason="owners and modes are POSIX's")


def double(number):
    """What is compiled here."""
    return number + number


@pytest.fixture
def load(monkeypatch):
    """load(cache): kernels/compile.py as a new process would have it, with that folder in the environment."""

    def load_with(cache):
        monkeypatch.setenv("TERRAIN_EROSION_CACHE", str(cache))
        spec = importlib.util.spec_from_file_location("compile_anew", KERNELS / "compile.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load_with


@pytest.fixture
def compiled(load):
    """compiled(cache): whether the kernel computes rightly, and how many of its two signatures came from the folder."""

    def run(cache):
        kernel = load(cache).kernel(double)
        return (kernel(21), kernel(0.25)) == (42, 0.5), kernel.stats.cache_hits.total()

    return run


@pytest.fixture
def filled(tmp_path, compiled):
    """A folder with the kernel in it, and its files: the index and two of code."""
    cache = tmp_path / "cache"
    assert compiled(cache) == (True, 0)
    return cache, {path: path.read_bytes() for path in sorted(cache.rglob("*.nb?"))}


def packaged_files():
    """Machine code beside the sources, where numba would put it by itself."""
    return [path for folder in (ROOT / "erosion_addon", ROOT / "tests") for path in folder.rglob("*.nb?")]


def in_a_process(cache, *statements):
    """What a new Python prints."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA")}
    done = subprocess.run(
        [sys.executable, "-B", "-c", "\n".join(statements)], cwd=ROOT, capture_output=True, text=True, timeout=120,
        env=environment | {"TERRAIN_EROSION_CACHE": str(cache)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


MIX = (
    "import numpy as np",
    "from erosion_addon.kernels import random",
    "print(random.mix(np.uint64(1)), random.mix.stats.cache_hits.total())",
)


def test_a_process_loads_what_another_has_compiled_and_survives_what_it_has_broken(tmp_path):
    number, hits = in_a_process(tmp_path, *MIX).split()
    assert hits == "0" and in_a_process(tmp_path, *MIX) == f"{number} 1"
    code = next(tmp_path.rglob("random.mix*.nbc"))
    content = bytearray(code.read_bytes())
    content[len(content) * 3 // 4] ^= 1  # in the machine code: without a digest, one in five ends the process
    code.write_bytes(content)
    assert in_a_process(tmp_path, *MIX) == f"{number} 0"
    assert not packaged_files()


def test_a_kernel_is_compiled_once(filled, compiled):
    cache, files = filled
    assert len(files) == 3 and compiled(cache) == (True, 2)


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
@pytest.mark.parametrize("damage", ["empty", "cut off", "zeros", "garbage", "pickled nonsense"])
def test_a_damaged_file_costs_a_compilation_and_is_replaced(filled, compiled, suffix, damage):
    cache, files = filled
    path = next(path for path in files if path.suffix == suffix)
    content, half = files[path], len(files[path]) // 2
    damaged = {
        "empty": b"", "cut off": content[:half], "zeros": content[:half] + bytes(len(content) - half),
        "garbage": random.Random(1).randbytes(len(content)), "pickled nonsense": b"\x80\x04N." * 2,
    }  # fmt: skip
    path.write_bytes(damaged[damage])
    right, hits = compiled(cache)
    assert right and hits < 2
    compiled(cache)
    assert compiled(cache) == (True, 2)


def test_every_flipped_bit_in_a_file_is_noticed_or_harmless(filled, compiled):
    cache, files = filled
    path, content = next((path, content) for path, content in files.items() if path.suffix == ".nbc")
    numbers = random.Random(2)
    for _ in range(20):
        broken = bytearray(content)
        broken[numbers.randrange(len(content))] ^= 1 << numbers.randrange(8)
        path.write_bytes(broken)
        assert compiled(cache)[0]


def test_the_code_of_another_signature_is_not_run(filled, compiled):
    """Two processes that fill an empty folder at once can leave an index that names the other's file."""
    cache, files = filled
    one, other = (path for path in files if path.suffix == ".nbc")
    one.write_bytes(files[other])
    other.write_bytes(files[one])
    assert compiled(cache) == (True, 0)


def test_a_file_in_place_of_the_folder_inside_is_survived(filled, compiled):
    cache, files = filled
    inside = next(iter(files)).parent
    for path in inside.iterdir():
        path.unlink()
    inside.rmdir()
    inside.write_text("not a folder")
    assert compiled(cache) == (True, 0)
    assert not packaged_files()


def test_a_folder_that_vanishes_is_made_again(filled, load):
    cache, _ = filled
    kernel = load(cache).kernel(double)
    shutil.rmtree(cache)
    assert kernel(21) == 42
    assert len(list(cache.rglob("*.nbc"))) == 1


@pytest.mark.parametrize("what", ["file", "file/below", ""])
def test_without_a_usable_folder_kernels_are_compiled_and_nothing_is_kept(tmp_path, load, compiled, monkeypatch, what):
    (tmp_path / "file").write_text("not a folder")
    for name in ("HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path / "user"))
    cache = tmp_path / what if what else ""
    assert load(cache).CACHE is None
    assert compiled(cache) == (True, 0) and compiled(cache) == (True, 0)
    assert [path.name for path in tmp_path.rglob("*")] == ["file"]
    assert not packaged_files()


@posix
@pytest.mark.parametrize("fault", ["world-writable", "group-writable", "foreign"])
def test_a_folder_that_others_can_write_to_is_neither_read_nor_written(filled, compiled, fault):
    cache, files = filled
    folder = next(cache.iterdir())
    if fault == "foreign" and os.getuid() != 0:
        pytest.skip("only root can give a folder away")
    if fault == "foreign":
        os.chown(folder, 65534, 65534)
    else:
        folder.chmod(0o777 if fault == "world-writable" else 0o770)
    stamps = {path: path.stat().st_mtime_ns for path in files}
    assert compiled(cache) == (True, 0)
    assert {path: path.stat().st_mtime_ns for path in cache.rglob("*.nb?")} == stamps


@posix
def test_the_folder_is_private(filled):
    status = next(filled[0].iterdir()).stat()
    assert status.st_mode & 0o777 == 0o700 and status.st_uid == os.getuid()


def test_there_is_a_folder_for_each_state_of_the_sources(filled):
    """numba itself does not see that a kernel has changed which another one calls."""
    sources = sorted(KERNELS.glob("*.py"))
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
    assert next(filled[0].iterdir()).name.endswith(digest[:12])


@pytest.mark.skipif(sys.platform != "linux", reason="XDG_CACHE_HOME is Linux's")
def test_the_users_own_cache_is_the_default(tmp_path, load, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    module = load(tmp_path / "elsewhere")
    monkeypatch.delenv("TERRAIN_EROSION_CACHE")
    assert module._cache_folder().parent == tmp_path / "terrain-erosion" / "kernels"


WINDOWS = (
    r"C:\Users\a.name.of.20.letters\AppData\Roaming\Blender Foundation\Blender\5.2\extensions\.user\user_default"
    r"\terrain_erosion\kernels"
)
LONGEST = (
    "import importlib, pkgutil",
    "from erosion_addon import kernels",
    "from erosion_addon.kernels.compile import KERNELS",
    "for found in pkgutil.iter_modules(kernels.__path__):",
    "    importlib.import_module(f'{kernels.__name__}.{found.name}')",
    "print(max((f'{kept.cache_path}/{kept._impl.filename_base}' for kept in (k._cache for k in KERNELS)), key=len))",
)


def test_paths_are_short_enough_for_windows(tmp_path):
    """It takes 259 letters. numba writes to a temporary file first; some processors' names have 14 letters."""
    longest = Path(in_a_process(tmp_path, *LONGEST)).relative_to(tmp_path)
    assert len(f"{WINDOWS}/{longest}.10.nbc.tmp.0123456789abcdef") <= 259 - 8


def test_other_peoples_kernels_keep_their_own_folder(filled, load):
    before = numba.config.CACHE_DIR
    load(filled[0]).kernel(double)
    assert before == numba.config.CACHE_DIR


def test_prepare_says_nothing_where_numba_works(tmp_path, load):
    load(tmp_path).prepare()


def test_prepare_raises_where_numbas_parts_do_not_fit(tmp_path, load, monkeypatch):
    module = load("")
    monkeypatch.delattr("llvmlite.binding.parse_assembly")
    with pytest.raises(AttributeError, match="parse_assembly"):
        module.prepare()
