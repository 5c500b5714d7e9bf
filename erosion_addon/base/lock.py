# SPDX-License-Identifier: GPL-3.0-or-later
"""Lock of a folder that one process changes at a time.

A file that names the holder also works between machines, on drives without system locks. Where
system locks exist, the holder has one on the file too, which ends with its process.
"""

import json
import os
import platform
import secrets
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from .atomic_files import create
from .errors import InputError, Sentence, unwritable
from .regular_files import open_regular, require_regular

_LOCK = "lock"

_LARGEST_LOCK = 4096
"""Bytes."""

_ATTEMPTS, _REST = 100, 0.02
"""Number of looks at a lock that others take over or give back, and seconds between two."""

_LOOKS = 5
"""Number of looks before a lock counts as unreadable."""


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
        "token": secrets.token_hex(8),
    }
    with ExitStack() as stack:
        try:
            _take(folder, mine)
            if stream := _locked_stream(path):
                stack.enter_context(stream)
            yield
        finally:
            # else somebody has removed it, and another one's may lie there
            if _holder(path) == mine:
                with suppress(OSError):
                    path.unlink(missing_ok=True)


def refuse_locked(folder: Path) -> None:
    """InputError while a process changes a folder, see `locked`."""
    path = folder / _LOCK
    holder = _holder(path)
    for _ in range(_LOOKS):
        if holder or not os.path.lexists(path):
            break
        # given back and taken by another between the two looks
        holder = _holder(path)
    if os.path.lexists(path) and not _is_dead(holder):
        if holder:
            process = Sentence("process {pid} on {host} since {since}").format(
                pid=holder.get("pid"), host=holder.get("host"), since=holder.get("since")
            )
        else:
            process = Sentence("another process")
        raise InputError(
            "{folder} is being changed by {holder}; wait until it is done, or remove {path} "
            "if that process no longer runs."
        ).format(folder=folder, holder=process, path=path) from None


def _take(folder: Path, mine: dict[str, Any]) -> None:
    path = folder / _LOCK
    for _ in range(_ATTEMPTS):
        try:
            create(path, json.dumps(mine).encode())
        except FileExistsError:
            refuse_locked(folder)
            _remove_dead(path)
            time.sleep(_REST)
        except OSError as error:
            raise unwritable(folder, error) from None
        else:
            break
    if _holder(path) != mine:
        raise InputError(
            "{folder} cannot be locked; if no process changes it, remove {path}."
        ).format(folder=folder, path=path)


def _remove_dead(path: Path) -> None:
    """Remove the lock of a process that no longer runs, unless another process is about to take it
    over.
    """
    # Where the system has no locks on files, it stays: nothing else distinguishes it from the next
    # one at the same place.
    if stream := _locked_stream(path):
        with stream, suppress(OSError):
            if os.path.samestat(os.fstat(stream.fileno()), path.lstat()) and _is_dead(
                _read(stream)
            ):
                path.unlink()


def _locked_stream(path: Path) -> BinaryIO | None:
    """Opened lock with a lock of the system on it until it is closed; None if another process has
    one, or the system has no locks.
    """
    if os.name == "nt":
        return None  # there a file that somebody has open cannot be removed
    import fcntl

    with suppress(OSError, ValueError):
        require_regular(path)
        stream = path.open("r+b")  # network drives lock only what may be written
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            stream.close()
            raise
        return stream
    return None


def _is_dead(holder: dict[str, Any] | None) -> bool:
    """Whether the holder of a lock was a process of this machine that no longer runs."""
    return (
        holder is not None
        and holder.get("host") == platform.node()
        and not _runs(holder.get("pid"))
    )


def _holder(path: Path) -> dict[str, Any] | None:
    with suppress(OSError, ValueError), open_regular(path) as stream:
        return _read(stream)
    return None


def _read(stream: BinaryIO) -> dict[str, Any] | None:
    """Content of a lock; None for any other."""
    with suppress(ValueError, RecursionError):
        holder = json.loads(stream.read(_LARGEST_LOCK))
        return holder if isinstance(holder, dict) else None
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
