# SPDX-License-Identifier: GPL-3.0-or-later
"""How much memory is free, and a refusal with numbers before too much of it is asked for."""

import ctypes
import os
import sys
from pathlib import Path

from .errors import InputError


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
    """Bytes that can be allocated without swapping, or None where the system does not say."""
    if sys.platform == "win32":
        status = _MemoryStatus(length=ctypes.sizeof(_MemoryStatus))
        done = ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status))
        return int(status.available_physical) if done else None
    try:
        if sys.platform == "linux":
            for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
            return None
        # macOS counts pages that it would give up at once as used, so only the installed memory is a useful bound.
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None


def require(bytes_needed: int, what: str) -> None:
    """Raise InputError with both numbers where `what` needs more bytes than are free."""
    available = available_memory()
    if available is not None and bytes_needed > available:
        raise InputError(
            f"{what} needs about {_gigabytes(bytes_needed)} of memory and {_gigabytes(available)} are free; "
            "use a smaller terrain or close other programs."
        )


def _gigabytes(count: int) -> str:
    return f"{count / 1e9:.1f} GB"
