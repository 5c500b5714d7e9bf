# SPDX-License-Identifier: GPL-3.0-or-later
"""Compilation of kernels, and the folder that caches their machine code.

The cache holds pickles, so a folder that others can write to would let them run code here. It is
therefore private to the user, see `private_folder`, and named by the versions of numba and Python,
the package and its sources. Without such a folder, kernels are compiled again in each process. Each
file holds one kernel for one signature and processor. It begins with the digest of the rest, as
damaged machine code would crash the process. A bad file only costs the compilation of its kernel.
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

from . import elementary, interruption, private_folder, splitmix

CACHE_VARIABLE = "TERRAIN_EROSION_CACHE"
"""Environment variable with the absolute path of another cache folder; empty: no cache."""


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
    """Name that changes with everything that invalidates machine code; short, as Windows limits
    paths to 259 characters.

    Sources: numba does not notice changes in a called kernel. Package: machine code refers to
    modules by name, and an extension has another name in Blender than in its worker.
    """
    sources = b"".join(
        path.read_bytes() for path in sorted(Path(__file__).parents[2].rglob("kernels/*.py"))
    )
    names = "\0".join(
        (numba.__version__, f"{sys.version_info.major}.{sys.version_info.minor}", __name__, "")
    )
    return "numba-python-" + hashlib.sha256(names.encode() + sources).hexdigest()[:16]


def _cache_folder() -> Path | None:
    """Private folder for these versions and sources; None if none can be made."""
    try:
        variable = os.environ.get(CACHE_VARIABLE)
        folder = (_user_cache() if variable is None else Path(variable)) / _folder_name()
        # else whoever fills the current folder could run code here
        if variable == "" or not folder.is_absolute():
            return None
        private_folder.make(folder)
        folder = folder.resolve()
        private_folder.require(folder)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except (OSError, RuntimeError):  # RuntimeError: no home folder
        return None


CACHE = _cache_folder()


class _SealedCache(caching._Cache):
    """Cache of one kernel with the interface of numba's dispatcher: one file for each signature."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._function = function
        self._folder = folder

    @property
    def cache_path(self) -> str:
        return str(self._folder)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()
        name = self._name(sig, target_context.codegen())
        try:
            sealed = private_folder.read(self._folder, name)
        except OSError:  # most likely there is none
            return None
        try:
            result = CompileResult._rebuild(target_context, *_unsealed(sealed))
            if result.signature.args == tuple(normalize_signature(sig)[0]):
                return result
        except Exception:  # noqa: BLE001 - a damaged or foreign pickle raises anything
            pass
        private_folder.remove(self._folder, name)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        if data.lifted or data.library.has_dynamic_globals:  # which holds addresses of this process
            return
        # The disk is full, the folder was removed, or a result cannot be stored.
        with suppress(Exception):
            private_folder.make(self._folder)
            private_folder.write(
                self._folder, self._name(sig, data.codegen), _sealed(data._reduce())
            )

    def _name(self, sig: Any, codegen: Any) -> str:
        """Name of a fixed length: processor names in LLVM have up to 30 characters, features
        hundreds.
        """
        key = repr((sig, codegen.magic_tuple())).encode() + self._function.__code__.co_code
        module = self._function.__module__.rpartition(".")[2]
        name = self._function.__name__
        return f"{module}.{name}-{hashlib.sha256(key).hexdigest()[:16]}.nbc"

    def enable(self) -> None:
        """No effect: the cache is always enabled."""

    def disable(self) -> None:
        """No effect: the cache is always enabled."""

    def flush(self) -> None:
        """No effect: changed sources lead to another folder."""


def _sealed(content: Any) -> bytes:
    pickled: bytes = serialize.dumps(content)
    return hashlib.sha256(pickled).digest() + pickled


def _unsealed(sealed: bytes) -> Any:
    seal = sealed[:32]
    pickled = sealed[32:]
    if hashlib.sha256(pickled).digest() != seal:
        raise ValueError("damaged")
    return serialize.loads(pickled)


def _interruptible(dispatcher: type) -> type:
    """Subclass of numba's dispatcher whose long calls a signal interrupts, see `interruption`."""

    class Interruptible(dispatcher):  # type: ignore[misc]
        def __call__(self, *arguments: Any) -> Any:
            if interruption.is_long(arguments):
                return interruption.aside(lambda: dispatcher.__call__(self, *arguments))
            return dispatcher.__call__(self, *arguments)

    return Interruptible


def kernel(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """Compile without the interpreter lock and without fastmath, cached in the private folder."""
    compiled: Callable[..., Any] = numba.njit(nogil=True, error_model="numpy", **options)(function)
    compiled.__class__ = _INTERRUPTIBLE
    if CACHE is not None:
        compiled._cache = _SealedCache(function, CACHE)  # type: ignore[attr-defined]
    KERNELS.append(compiled)
    return compiled


_INTERRUPTIBLE = _interruptible(type(numba.njit(lambda: None)))


def allocation_free(function: Callable[..., Any]) -> Callable[..., Any]:
    """Variant of `kernel` without reference counting, for code that neither allocates arrays nor
    calls code that does.

    numba refuses anything else. On tuples of arrays, such as `queues.Pool`, counting took longer
    than the work itself.
    """
    return kernel(function, _nrt=False)


inlined = numba.njit(nogil=True, error_model="numpy", _nrt=False, forceinline=True)
"""Variant of `allocation_free` that is inlined, for functions where the call alone would cost a
tenth of the time.
"""


def _teach(*plain: Callable[..., Any]) -> None:
    """Register plain Python functions as callable from kernels."""
    for function in plain:
        register_jitable(error_model="numpy", forceinline=True)(function)


_teach(*elementary.FUNCTIONS, splitmix.mix)


class _Listener(event.Listener):
    def __init__(self, on_progress: Callable[[int, int], None]) -> None:
        self._on_progress = on_progress
        self._count = 0

    def on_start(self, event: Any) -> None:
        self._on_progress(self._count, sum(not compiled.overloads for compiled in KERNELS))

    def on_end(self, event: Any) -> None:
        self._count += 1
        self.on_start(event)


@contextmanager
def compile_progress(on_progress: Callable[[int, int], None]) -> Iterator[None]:
    """Context that calls on_progress(done, left) when the compilation of a kernel begins or ends,
    but not for cached kernels.

    done: kernels compiled since; left: number of KERNELS that have not been called yet.
    """
    with event.install_listener("numba:compile", _Listener(on_progress)):
        yield


@kernel
def _total(numbers):
    total = 0.0
    for number in numbers:
        total += number
    return total


def prepare() -> None:
    """Compile and run a tiny kernel; raises any error of an inconsistent numba installation.

    Extensions share one folder of packages, in which numba can meet another extension's llvmlite or
    numpy.
    """
    if _total(np.array([1.0, 2.0])) != 3.0:
        raise RuntimeError("numba computes 1 + 2 wrongly here")
