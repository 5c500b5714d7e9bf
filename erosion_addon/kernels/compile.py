# SPDX-License-Identifier: GPL-3.0-or-later
"""How kernels are compiled, and where the machine code is kept between runs.

A cached kernel is a pickle: a folder that others can write to would let them run code here. So the cache lives in a
private folder of the user, one for each version of numba, Python and these sources and each processor; without such a
folder kernels are compiled anew in each process. numba's own choices (beside the source, a shared folder) are never
used. A damaged file is worse than none, as broken machine code ends the process: each one is sealed with its digest,
and whatever is wrong with one costs a compilation and nothing else.
"""

import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import llvmlite.binding
import numba
import numpy as np
from numba.core import event, serialize
from numba.core.caching import CompileResultCacheImpl, FunctionCache, UserProvidedCacheLocator
from numba.core.sigutils import normalize_signature

CACHE_VARIABLE = "TERRAIN_EROSION_CACHE"
"""Environment variable that names another folder for compiled kernels; empty: keep none."""


KERNELS: list[Any] = []
"""All kernels of the modules imported so far."""


def _user_cache() -> Path:
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "terrain-erosion" / "kernels"


def _sources_digest() -> str:
    """Changes with any kernel: numba itself does not notice when a kernel that another one calls has changed."""
    sources = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:12]


def _cache_folder() -> Path | None:
    """The private folder for this numba, Python, processor and source; None where there can be none."""
    try:
        named = os.environ.get(CACHE_VARIABLE)
        if named == "":
            return None
        version = f"numba-{numba.__version__}-python-{sys.version_info.major}.{sys.version_info.minor}"
        name = f"{version}-{llvmlite.binding.get_host_cpu_name()}-{_sources_digest()}"
        folder = (Path(named) if named else _user_cache()) / name
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if hasattr(os, "getuid") and (folder.stat().st_uid != os.getuid() or folder.stat().st_mode & 0o022):
            return None
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except (OSError, RuntimeError):  # RuntimeError: no home folder
        return None


CACHE = _cache_folder()


class _Near(UserProvidedCacheLocator):
    """Gives the folder that numba makes in `CACHE` a short name: Windows takes paths of 259 letters, and no more."""

    @classmethod
    def get_suitable_cache_subpath(cls, py_file: str) -> str:
        return "code"


class _Sealed(CompileResultCacheImpl):
    """What numba keeps of a compiled kernel, with a digest over all of it."""

    _locator_classes = [_Near]

    def reduce(self, compiled: Any) -> tuple[bytes, bytes]:
        content = serialize.dumps(super().reduce(compiled))
        return hashlib.sha256(content).digest(), content

    def rebuild(self, target_context: Any, sealed: tuple[bytes, bytes]) -> Any:
        digest, content = sealed
        if hashlib.sha256(content).digest() != digest:
            raise ValueError("damaged")
        return super().rebuild(target_context, serialize.loads(content))


class _Cache(FunctionCache):
    """numba's cache, which a damaged or unwritable file makes useless but never fatal."""

    _impl_class = _Sealed

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        try:
            found = super().load_overload(signature, target_context)
            # Two processes that fill an empty cache at once can each write the file that the other's index names.
            if found is None or found.signature.args == tuple(normalize_signature(signature)[0]):
                return found
        except Exception:  # noqa: BLE001 - a damaged pickle raises anything
            pass
        _empty_cache()
        return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        try:
            super().save_overload(signature, compiled)
        except Exception:  # noqa: BLE001 - the disk is full, the folder gone, a damaged index in the way
            _empty_cache()


def _empty_cache() -> None:
    """Delete all compiled kernels, though not their private folder; they come back one by one as they are needed."""
    if CACHE is not None and CACHE.is_dir():
        for entry in CACHE.iterdir():
            shutil.rmtree(entry, ignore_errors=True)


def kernel(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """Compile without the interpreter's lock, without fastmath, keeping the machine code in the private folder."""
    compiled: Callable[..., Any] = numba.njit(nogil=True, error_model="numpy", **options)(function)
    if CACHE is not None:
        usual = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(CACHE)
        try:
            cache = _Cache(function)
            if Path(cache.cache_path).parent == CACHE:  # else numba has fallen back on a place of its own
                compiled._cache = cache  # type: ignore[attr-defined]
        except (OSError, RuntimeError):  # RuntimeError: numba found no place at all
            pass
        finally:
            numba.config.CACHE_DIR = usual
    KERNELS.append(compiled)
    return compiled


def lean(function: Callable[..., Any]) -> Callable[..., Any]:
    """As `kernel`, for what makes no arrays and calls nothing that does; numba refuses anything else.

    Then numba need not count who refers to an array: with tuples of arrays, as `queues.Pool`, that took longer than
    the work itself.
    """
    return kernel(function, _nrt=False)


inlined = numba.njit(nogil=True, error_model="numpy", _nrt=False, forceinline=True)
"""As `lean`, for what is called so often that the call itself would cost a tenth of the time."""


class _Told(event.Listener):
    def __init__(self, tell: Callable[[int, int], None]) -> None:
        self._tell, self._done = tell, 0

    def on_start(self, event: Any) -> None:
        self._tell(self._done, sum(not compiled.overloads for compiled in KERNELS))

    def on_end(self, event: Any) -> None:
        self._done += 1
        self.on_start(event)


@contextmanager
def told_of_compiling(tell: Callable[[int, int], None]) -> Iterator[None]:
    """Call tell(done, left) whenever a kernel begins or ends to be compiled meanwhile, and not for what comes from the
    folder. done: how many have been since; left: how many of KERNELS there are that nothing has called yet."""
    with event.install_listener("numba:compile", _Told(tell)):
        yield


@kernel
def _total(numbers):
    total = 0.0
    for number in numbers:
        total += number
    return total


def prepare() -> None:
    """Compile and run a tiny kernel; raises whatever goes wrong where numba's parts do not fit each other.

    Extensions share one folder of packages, in which our numba can meet a neighbour's llvmlite or numpy.
    """
    if _total(np.array([1.0, 2.0])) != 3.0:
        raise RuntimeError("numba computes 1 + 2 wrongly here")
