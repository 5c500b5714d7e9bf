# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that no other user can have written, in a folder of the user, because their content is run
as code.

Each folder on the way belongs to root or the user, and others may not write to it, unless it is
sticky like /tmp, where only the owner can rename a file. The last one is the user's alone. All are
opened one inside the other, so that nothing can take their places between the check and the use. A
group may write if it is the user's own, as where each user has a group of that name; access control
lists then count as other users.

Windows has no modes: there the folder is as private as the access control lists of the user's
profile make it, and a folder that the user names elsewhere is not checked. Neither are the lists of
macOS.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_HAS_MODES = os.name == "posix"
_ITSELF = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def make(folder: Path) -> None:
    """Make a folder and its missing parents for the user alone. OSError if that fails."""
    for path in (*reversed(folder.parents), folder):
        if not path.exists():
            with suppress(FileExistsError):
                path.mkdir(0o700)


def require(folder: Path) -> None:
    """OSError unless others can neither write to a folder nor put another one in its place. folder:
    without links.
    """
    with _entered(folder):
        pass


def read(folder: Path, name: str) -> bytes:
    """Content of a file of the user's. OSError if there is none."""
    with _entered(folder) as within:
        # Opening a pipe would wait for somebody who writes to it.
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _ITSELF
        descriptor = os.open(_path(folder, name, within), flags, dir_fd=within)
        with os.fdopen(descriptor, "rb") as stream:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode) or (_HAS_MODES and not _is_mine(status)):
                raise PermissionError(f"{folder / name} may be somebody else's")
            return stream.read()


def write(folder: Path, name: str, content: bytes) -> None:
    """Write a file that only the user can read, all or nothing. OSError if that fails."""
    temporary = f"{name.rpartition('.')[0]}.{os.getpid()}"
    with _entered(folder) as within:
        path = _path(folder, temporary, within)
        with suppress(FileNotFoundError):  # of an earlier process of that number
            os.unlink(path, dir_fd=within)
        descriptor = os.open(
            path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _ITSELF, 0o600, dir_fd=within
        )
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(content)
            os.replace(path, _path(folder, name, within), src_dir_fd=within, dst_dir_fd=within)
        except BaseException:
            with suppress(OSError):
                os.unlink(path, dir_fd=within)
            raise


def remove(folder: Path, name: str) -> None:
    """Remove a file, if that is possible."""
    with suppress(OSError), _entered(folder) as within:
        os.unlink(_path(folder, name, within), dir_fd=within)


@contextmanager
def _entered(folder: Path) -> Iterator[int | None]:
    """Descriptor of a folder that was opened by way of folders that can be trusted; None on
    Windows.
    """
    if not _HAS_MODES:
        yield None
        return
    flags = os.O_RDONLY | os.O_DIRECTORY | _ITSELF
    within = os.open(folder.anchor, flags)
    try:
        for part in folder.parts[1:]:
            _require_trusted(within)
            inner = os.open(part, flags, dir_fd=within)
            os.close(within)
            within = inner
        if not _is_mine(os.fstat(within)):
            raise PermissionError(f"{folder} may be somebody else's")
        yield within
    finally:
        os.close(within)


def _path(folder: Path, name: str, within: int | None) -> str:
    """Path of a file as a function takes it that knows the folder's descriptor."""
    return str(folder / name) if within is None else name


def _is_mine(status: os.stat_result) -> bool:
    return status.st_uid == os.geteuid() and not status.st_mode & _OTHERS_WRITE


def _require_trusted(descriptor: int) -> None:
    """PermissionError if others can replace the files of a folder."""
    status = os.fstat(descriptor)
    writable = status.st_mode & _OTHERS_WRITE
    if (
        writable == stat.S_IWGRP
        and _is_own_group(status.st_gid)
        and not _has_access_list(descriptor)
    ):
        writable = 0
    if status.st_uid not in (0, os.geteuid()) or (writable and not status.st_mode & stat.S_ISVTX):
        raise PermissionError("others may write to a folder on the way")


def _is_own_group(number: int) -> bool:
    """Whether a group has the user's name and no other member."""
    import grp
    import pwd

    try:
        group = grp.getgrgid(number)
        user = pwd.getpwuid(os.geteuid())
    except KeyError:
        return False
    return (
        user.pw_gid == number
        and group.gr_name == user.pw_name
        and {*group.gr_mem} <= {user.pw_name}
    )


def _has_access_list(descriptor: int) -> bool:
    try:
        return "system.posix_acl_access" in os.listxattr(descriptor)
    except (OSError, AttributeError):  # no such lists here, or not Linux
        return False
