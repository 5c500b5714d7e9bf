# SPDX-License-Identifier: GPL-3.0-or-later
"""Free memory, and a check before a large allocation."""

import ctypes
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from .errors import InputError, Sentence

_PLENTY = 2 << 30
"""Bytes of memory that a file of any size may need."""

_DENSEST = 200
"""Numbers per byte of a larger file. Deflate packs up to 1032 equal ones, so 100 KB could fill
gigabytes.
"""


class _MemoryStatus(ctypes.Structure):
    """MEMORYSTATUSEX of the Windows API."""

    _fields_ = [
        ("length", ctypes.c_uint32),
        ("load", ctypes.c_uint32),
        ("total_physical", ctypes.c_uint64),
        ("available_physical", ctypes.c_uint64),
        ("total_page_file", ctypes.c_uint64),
        ("available_page_file", ctypes.c_uint64),
        ("total_virtual", ctypes.c_uint64),
        ("available_virtual", ctypes.c_uint64),
        ("available_extended_virtual", ctypes.c_uint64),
    ]


def available_memory() -> int | None:
    """Bytes that can be allocated without swapping; None if unknown."""
    if sys.platform == "win32":
        status = _MemoryStatus(length=ctypes.sizeof(_MemoryStatus))
        success = ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status))
        return int(status.available_physical) if success else None
    try:
        if sys.platform == "linux":
            return _available_on_linux(Path("/"))
        # macOS counts pages that it would give up at once as used, so only the installed memory is
        # a useful bound.
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None


def _available_on_linux(root: Path) -> int | None:
    """Minimum over the machine, the enclosing containers and the process limits."""
    bounds = [*_left_by_machine(root), *_left_by_containers(root), *_left_by_limits(root)]
    return max(min(bounds), 0) if bounds else None


def _left_by_machine(root: Path) -> Iterator[int]:
    for name, value in _named_numbers(root / "proc/meminfo"):
        if name == "MemAvailable:":
            yield value * 1024


def _left_by_containers(root: Path) -> Iterator[int]:
    """Bytes left in each control group of this process, versions 1 and 2, see cgroups(7); the
    kernel kills it when one is full.
    """
    # A line is "number:controllers:path"; version 2 has no controllers. A container may see its own
    # group as the root, where the path in that line does not exist.
    for line in _lines(root / "proc/self/cgroup"):
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            mount = "sys/fs/cgroup"
            names = ("memory.max", "memory.current")
            cache = "inactive_file"
        elif "memory" in controllers.split(","):
            mount = "sys/fs/cgroup/memory"
            cache = "total_inactive_file"
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes")
        else:
            continue
        group = Path(path.lstrip("/"))
        for place in dict.fromkeys((group, *group.parents, Path())):
            folder = root / mount / place
            try:
                limit, used = (int((folder / name).read_text(encoding="ascii")) for name in names)
            except (OSError, ValueError):  # none here, or "max"
                continue
            # Files that were read count as used, but the kernel forgets them before it ends
            # anybody.
            yield limit - used + dict(_named_numbers(folder / "memory.stat")).get(cache, 0)


def _left_by_limits(root: Path) -> Iterator[int]:
    """Bytes left under process limits, such as a shell's `ulimit -v`."""
    import resource

    pages = [int(word) for line in _lines(root / "proc/self/statm") for word in line.split()]
    # The first number is the size of the address space, the sixth that of the data.
    for kind, used in zip((resource.RLIMIT_AS, resource.RLIMIT_DATA), pages[::5], strict=False):
        limit, _ = resource.getrlimit(kind)
        if limit != resource.RLIM_INFINITY:
            yield limit - used * os.sysconf("SC_PAGE_SIZE")


def _named_numbers(path: Path) -> Iterator[tuple[str, int]]:
    """Leading name and number of each line of a file."""
    for line in _lines(path):
        words = line.split()
        if len(words) > 1 and words[1].isdigit():
            yield words[0], int(words[1])


def _lines(path: Path) -> list[str]:
    """Lines of a system file; empty if it cannot be read."""
    try:
        return path.read_text(encoding="ascii", errors="replace").split("\n")[:-1]
    except OSError:
        return []


def require(
    bytes_needed: int,
    work: str,
    hint: str = Sentence("use a smaller terrain or close other programs"),
) -> None:
    """Raise InputError with both numbers and a hint if some work needs more bytes than are free."""
    available = available_memory()
    if available is not None and bytes_needed > available:
        raise InputError(
            "{work} needs about {size} of memory, and {available} is free; {hint}."
        ).format(
            work=work,
            size=size_in_words(bytes_needed),
            available=size_in_words(available),
            hint=hint,
        )


def require_to_unpack(bytes_needed: int, numbers: int, stored: int, work: str) -> None:
    """`require` for reading a file; InputError also for a small file that unpacks to gigabytes.


    numbers: in the file. stored: its size in bytes.
    """
    if bytes_needed > _PLENTY and numbers > _DENSEST * stored:
        raise InputError(
            "{work} needs about {size} of memory, although the file has only {stored}; "
            "save it with fewer cells, or without compression."
        ).format(work=work, size=size_in_words(bytes_needed), stored=size_in_words(stored))
    require(bytes_needed, work)


def size_in_words(size: float) -> str:
    """Bytes in megabytes or gigabytes, to a tenth, at least 0.1 MB."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{max(size / 1e6, 0.1):.1f} MB"
