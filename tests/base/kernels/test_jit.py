# SPDX-License-Identifier: GPL-3.0-or-later
"""Cache of compiled kernels: private, and harmless when damaged."""

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

ROOT = Path(__file__).resolve().parents[3]
KERNELS = ROOT / "erosion_addon" / "base" / "kernels"

posix = pytest.mark.skipif(os.name != "posix", reason="owners, modes and links are POSIX's")


def double(number):
    """The kernel under test."""
    return number + number


@pytest.fixture
def load(monkeypatch):
    """load(cache): kernels/jit.py imported anew, with this cache folder in the environment."""

    def load_with(cache):
        monkeypatch.setenv("TERRAIN_EROSION_CACHE", str(cache))
        spec = importlib.util.spec_from_file_location(
            "erosion_addon.base.kernels.jit_anew", KERNELS / "jit.py"
        )
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load_with


@pytest.fixture
def compiled(load):
    """compiled(cache): whether the kernel computes correctly, and how many of its two signatures
    were cached.
    """

    def run(cache):
        kernel = load(cache).kernel(double)
        return (kernel(21), kernel(0.25)) == (42, 0.5), kernel.stats.cache_hits.total()

    return run


@pytest.fixture
def filled(tmp_path, compiled):
    """Cache folder with the kernel and its two files, one per type of number."""
    cache = tmp_path / "cache"
    assert compiled(cache) == (True, 0)
    return cache, {path: path.read_bytes() for path in sorted(cache.rglob("*.nbc"))}


def packaged_files():
    """Machine code beside the sources, numba's default place."""
    return [
        path
        for folder in (ROOT / "erosion_addon", ROOT / "tests")
        for path in folder.rglob("*.nb?")
    ]


def in_a_process(cache, *statements, arguments=()):
    """Output of a program in a new Python."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("NUMBA")
    }
    done = subprocess.run(
        [sys.executable, "-B", "-c", "\n".join(statements), *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        env=environment | {"TERRAIN_EROSION_CACHE": str(cache)},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


STREAM = (
    "import numpy as np",
    "from erosion_addon.base.kernels import rng as random",
    "print(random.stream(np.uint64(1), 2), random.stream.stats.cache_hits.total())",
)


@pytest.mark.worker
def test_a_process_loads_what_another_has_compiled_and_survives_what_it_has_broken(tmp_path):
    number, hits = in_a_process(tmp_path, *STREAM).split()
    assert hits == "0" and in_a_process(tmp_path, *STREAM) == f"{number} 1"
    code = next(tmp_path.rglob("rng.stream*.nbc"))
    content = bytearray(code.read_bytes())
    # in the machine code: without a digest, one in five ends the process
    content[len(content) * 3 // 4] ^= 1
    code.write_bytes(content)
    assert in_a_process(tmp_path, *STREAM) == f"{number} 0"
    assert not packaged_files()


def test_a_kernel_is_compiled_once(filled, compiled):
    cache, files = filled
    assert len(files) == 2 and compiled(cache) == (True, 2)


def sealed(content):
    """Content of a kernel's file with a correct digest."""
    return hashlib.sha256(content).digest() + content


@pytest.mark.slow
@pytest.mark.parametrize(
    "damage",
    [
        "empty",
        "cut off",
        "zeros",
        "garbage",
        "pickled nonsense",
        "sealed nonsense",
        "of a module that is not here",
    ],
)
def test_a_damaged_file_costs_its_own_compilation_and_is_replaced(filled, compiled, damage):
    cache, files = filled
    path, content = next(iter(files.items()))
    half = len(content) // 2
    damaged = {
        "empty": b"",
        "cut off": content[:half],
        "zeros": content[:half] + bytes(len(content) - half),
        "garbage": random.Random(1).randbytes(len(content)),
        "pickled nonsense": b"\x80\x04N." * 2,
        "sealed nonsense": sealed(b"\x80\x04N."),
        "of a module that is not here": sealed(b"cneverheardof\nname\n."),
    }
    path.write_bytes(damaged[damage])
    assert compiled(cache) == (True, 1)  # the other one still comes from the folder
    assert compiled(cache) == (True, 2)


@pytest.mark.slow
def test_every_flipped_bit_in_a_file_is_noticed_or_harmless(filled, compiled):
    cache, files = filled
    path, content = next(iter(files.items()))
    numbers = random.Random(2)
    for _ in range(20):
        broken = bytearray(content)
        broken[numbers.randrange(len(content))] ^= 1 << numbers.randrange(8)
        path.write_bytes(broken)
        assert compiled(cache)[0]


def test_the_code_of_another_signature_is_not_run(filled, compiled):
    cache, files = filled
    one, other = files
    one.write_bytes(files[other])
    other.write_bytes(files[one])
    assert compiled(cache) == (True, 0)


def test_a_file_in_place_of_the_folder_is_survived(filled, load):
    cache, files = filled
    kernel = load(cache).kernel(double)
    folder = next(cache.iterdir())
    for path in files:
        path.unlink()
    folder.rmdir()
    folder.write_text("not a folder")
    assert kernel(21) == 42 and folder.read_text() == "not a folder"
    assert not packaged_files()


def test_a_folder_that_vanishes_is_made_again(filled, load):
    cache, _ = filled
    kernel = load(cache).kernel(double)
    shutil.rmtree(cache)
    assert kernel(21) == 42
    (made,) = cache.rglob("*.nbc")
    assert os.name != "posix" or made.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.slow
@pytest.mark.parametrize("what", ["file", "file/below", ""])
def test_without_a_usable_folder_kernels_are_compiled_and_nothing_is_kept(
    tmp_path, load, compiled, monkeypatch, what
):
    (tmp_path / "file").write_text("not a folder")
    for name in ("HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path / "user"))
    cache = tmp_path / what if what else ""
    assert load(cache).CACHE is None
    assert compiled(cache) == (True, 0) and compiled(cache) == (True, 0)
    assert [path.name for path in tmp_path.rglob("*")] == ["file"]
    assert not packaged_files()


@pytest.mark.parametrize("variable", ["TERRAIN_EROSION_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"])
def test_nothing_is_read_from_below_the_current_folder(
    tmp_path, load, compiled, monkeypatch, variable
):
    """It may have come with somebody else's files, and machine code with them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "platform", "win32" if variable == "LOCALAPPDATA" else "linux")
    module = load("kernels")
    if variable != "TERRAIN_EROSION_CACHE":
        monkeypatch.delenv("TERRAIN_EROSION_CACHE")
        monkeypatch.setenv(variable, "kernels")
    assert module._cache_folder() is None and not list(tmp_path.iterdir())


@pytest.mark.slow
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


@pytest.mark.worker
def test_there_is_a_folder_for_each_state_of_the_sources(tmp_path):
    """numba itself does not see that a kernel has changed which another one calls."""
    shutil.copytree(KERNELS, tmp_path / "kernels", ignore=shutil.ignore_patterns("__pycache__"))
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})",
        "from kernels.jit import CACHE; print(CACHE)",
    )
    before = in_a_process(tmp_path, *program)
    assert in_a_process(tmp_path, *program) == before
    with (tmp_path / "kernels" / "random.py").open("a") as source:
        source.write("# changed\n")
    assert in_a_process(tmp_path, *program) != before


@pytest.mark.worker
@posix
def test_a_package_of_another_name_keeps_its_own_and_takes_nothing_away(tmp_path):
    """An extension is called bl_ext.REPOSITORY.terrain_erosion in Blender, and otherwise in its
    worker.
    """
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "erosion").symlink_to(ROOT, target_is_directory=True)
    own = STREAM
    other = (
        f"import sys; sys.path.insert(0, {str(tmp_path / 'elsewhere')!r})",
        *(line.replace("erosion_addon", "erosion.erosion_addon") for line in STREAM),
    )
    hits = [in_a_process(tmp_path, *program).split()[1] for program in (own, other, own, other)]
    assert hits == ["0", "0", "1", "1"]


@pytest.mark.skipif(sys.platform != "linux", reason="XDG_CACHE_HOME is Linux's")
def test_the_users_own_cache_is_the_default(tmp_path, load, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    module = load(tmp_path / "elsewhere")
    monkeypatch.delenv("TERRAIN_EROSION_CACHE")
    assert module._cache_folder().parent == tmp_path / "terrain-erosion" / "kernels"


WINDOWS = (
    r"C:\Users\a.name.of.20.letters\AppData\Roaming\Blender Foundation\Blender\5.2"
    r"\extensions\.user\user_default\terrain_erosion\kernels"
)
LONGEST = (
    "import importlib, pkgutil, sys",
    "import erosion_addon",
    "from erosion_addon.base.kernels.jit import CACHE, KERNELS",
    "for found in pkgutil.walk_packages(erosion_addon.__path__, 'erosion_addon.'):",
    "    if '.kernels.' in found.name: importlib.import_module(found.name)",
    "class Codegen:",
    "    def magic_tuple(self):",
    "        return 'x86_64-unknown-linux-gnu', sys.argv[1], '+avx512f,' * 40",
    "print(max((str(CACHE / kernel._cache._name((), Codegen())) for kernel in KERNELS), key=len))",
)


@pytest.mark.thorough
@pytest.mark.worker
@pytest.mark.parametrize(
    "processor", ["i386", "icelake-server", "a-processor-of-forty-letters-or-a-few-more"]
)
def test_paths_are_short_enough_for_windows_on_every_processor(tmp_path, processor):
    """It takes 259 letters; a file has the number of a process behind its name while it is
    written.
    """
    # Blender, which the interface imports, may have something to say first.
    said = in_a_process(tmp_path, *LONGEST, arguments=[processor])
    longest = Path(said.splitlines()[-1]).relative_to(tmp_path)
    assert len(f"{WINDOWS}/{longest}.4294967295") <= 259


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
