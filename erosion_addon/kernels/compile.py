# SPDX-License-Identifier: GPL-3.0-or-later
"""How kernels are compiled, and where the machine code is kept between runs.

Machine code is kept as pickles: a folder that others can write to would let them run code here. So it lies in a private
folder of the user, named by the versions of numba and Python, the name of this package and its sources; without such a
folder kernels are compiled anew in each process. There is one file for each kernel, kinds of arguments and processor.
Broken machine code would end the process, so each file begins with the digest of the rest. What is wrong with a file
costs the compilation of its kernel and nothing else.
"""

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from . import settings  # noqa: F401 - before numba, which reads them when it is imported

# isort: split
import numba
import numpy as np
from numba.core import caching, event, serialize
from numba.core.compiler import CompileResult
from numba.core.sigutils import normalize_signature
from numba.extending import register_jitable

from . import elementary, splitmix

CACHE_VARIABLE = "TERRAIN_EROSION_CACHE"
"""Environment variable that names another folder for compiled kernels, absolutely; empty: keep none."""


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


def _folder_name() -> str:
    """Another one for whatever makes machine code unfit; short, as Windows takes paths of 259 letters and no more.

    The sources: numba does not notice when a kernel that another one calls has changed. The package: machine code names
    the modules that it needs, and an extension has another name in Blender than in its worker.
    """
    sources = b"".join(path.read_bytes() for path in sorted(Path(__file__).parents[1].rglob("kernels/*.py")))
    names = "\0".join((numba.__version__, f"{sys.version_info.major}.{sys.version_info.minor}", __name__, ""))
    return "numba-python-" + hashlib.sha256(names.encode() + sources).hexdigest()[:16]


def _make_private(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def _cache_folder() -> Path | None:
    """The private folder for these versions and sources; None where there can be none."""
    try:
        named = os.environ.get(CACHE_VARIABLE)
        folder = (_user_cache() if named is None else Path(named)) / _folder_name()
        if named == "" or not folder.is_absolute():  # else whoever fills the current folder could run code here
            return None
        _make_private(folder)
        if hasattr(os, "getuid") and (folder.stat().st_uid != os.getuid() or folder.stat().st_mode & 0o022):
            return None
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except (OSError, RuntimeError):  # RuntimeError: no home folder
        return None


CACHE = _cache_folder()


class _Kept(caching._Cache):
    """The machine code of one kernel in a folder, as numba's dispatcher asks for it: a file for each signature."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._function, self._folder = function, folder

    @property
    def cache_path(self) -> str:
        return str(self._folder)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()
        path = self._path(sig, target_context.codegen())
        try:
            sealed = path.read_bytes()
        except OSError:  # most likely there is none
            return None
        try:
            found = CompileResult._rebuild(target_context, *_unsealed(sealed))
            if found.signature.args == tuple(normalize_signature(sig)[0]):
                return found
        except Exception:  # noqa: BLE001 - a damaged or foreign pickle raises anything
            pass
        _remove(path)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        if data.lifted or data.library.has_dynamic_globals:  # which holds addresses of this process
            return
        path = self._path(sig, data.codegen)
        temporary = path.with_suffix(f".{os.getpid()}")
        try:
            _make_private(self._folder)
            temporary.write_bytes(_sealed(data._reduce()))
            temporary.replace(path)
        except Exception:  # noqa: BLE001 - the disk is full, the folder gone or no longer one, something cannot be kept
            _remove(temporary)

    def _path(self, sig: Any, codegen: Any) -> Path:
        """As long for every processor, whose names in LLVM have up to 30 letters and features hundreds."""
        key = repr((sig, codegen.magic_tuple())).encode() + self._function.__code__.co_code
        module, name = self._function.__module__.rpartition(".")[2], self._function.__name__
        return self._folder / f"{module}.{name}-{hashlib.sha256(key).hexdigest()[:16]}.nbc"

    def enable(self) -> None:
        """It always is."""

    def disable(self) -> None:
        """It never is."""

    def flush(self) -> None:
        """What changes a kernel leads to another folder."""


def _sealed(content: Any) -> bytes:
    pickled: bytes = serialize.dumps(content)
    return hashlib.sha256(pickled).digest() + pickled


def _unsealed(sealed: bytes) -> Any:
    seal, pickled = sealed[:32], sealed[32:]
    if hashlib.sha256(pickled).digest() != seal:
        raise ValueError("damaged")
    return serialize.loads(pickled)


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink()


def kernel(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """Compile without the interpreter's lock, without fastmath, keeping the machine code in the private folder."""
    compiled: Callable[..., Any] = numba.njit(nogil=True, error_model="numpy", **options)(function)
    if CACHE is not None:
        compiled._cache = _Kept(function, CACHE)  # type: ignore[attr-defined]
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


def _teach(*plain: Callable[..., Any]) -> None:
    """Let kernels call functions of plain Python, which stay what they are."""
    for function in plain:
        register_jitable(error_model="numpy", forceinline=True)(function)


_teach(*elementary.FUNCTIONS, splitmix.mix)


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

    Extensions share one folder of packages, in which our numba can meet a neighbor's llvmlite or numpy.
    """
    if _total(np.array([1.0, 2.0])) != 3.0:
        raise RuntimeError("numba computes 1 + 2 wrongly here")
