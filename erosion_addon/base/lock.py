# SPDX-License-Identifier: GPL-3.0-or-later
"""Lock of a folder that one process changes at a time."""

import json
import os
import platform
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from .errors import InputError
from .regular_files import open_regular

_LOCK = "lock"

_LARGEST_LOCK = 4096
"""Bytes."""


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Context of the one process that changes a folder; InputError while another does.

    The lock of a process that no longer runs on this machine is taken over.
    """
    path = folder / _LOCK
    mine = {
        "host": platform.node(),
        "pid": os.getpid(),
        "since": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }
    try:
        _take(path, mine)
    except FileExistsError:
        refuse_locked(folder)
        path.unlink(missing_ok=True)
        _take(path, mine)
    except OSError as error:
        raise InputError(f"{folder} cannot be written: {error.strerror or error}.") from None
    try:
        yield
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def refuse_locked(folder: Path) -> None:
    """InputError while a process changes a folder, see `locked`."""
    path = folder / _LOCK
    held = _holder(path)
    if path.exists() and (held is None or held.get("host") != platform.node() or _runs(held.get("pid"))):
        who = f"process {held.get('pid')} on {held.get('host')} since {held.get('since')}" if held else "someone"
        raise InputError(
            f"{folder} is being changed by {who}; wait until it is done, or remove {path} if that process no longer "
            f"runs."
        ) from None


def _take(path: Path, mine: Mapping[str, Any]) -> None:
    with path.open("x", encoding="utf-8") as stream:
        json.dump(mine, stream)


def _holder(path: Path) -> dict[str, Any] | None:
    with suppress(OSError, ValueError, RecursionError), open_regular(path) as stream:
        held = json.loads(stream.read(_LARGEST_LOCK))
        return held if isinstance(held, dict) else None
    return None


def _runs(pid: Any) -> bool:
    """Whether the process of this ID runs on this machine."""
    if type(pid) is not int or pid <= 0:
        return True
    if os.name == "nt":
        return True  # there is no harmless signal; the user is asked
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
