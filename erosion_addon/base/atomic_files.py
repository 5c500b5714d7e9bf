# SPDX-License-Identifier: GPL-3.0-or-later
"""Output files, written all or none.

A file that replaces another keeps its rights: mode, and owner, group and access control list as far
as the user may set them. Until it is complete only the user can read it. New files have the rights
that the system gives. Where a file has several hard links, the other names keep the old content.
Windows and macOS lists are those of the folder.
"""

import errno
import hashlib
import os
import re
import secrets
import signal
import stat
import threading
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import TracebackType

from .errors import InputError, unwritable
from .regular_files import kind_of

DEVICES = {"con", "prn", "aux", "nul"} | {
    f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10)
}
"""Device names reserved by Windows, with any suffix."""


_TEMPORARY = re.compile(r"\.erosion-[0-9a-f]{16}(\.\w+)?")
"""Names of files on their way to their places."""

_ACL = "system.posix_acl_access"
"""Extended attribute of Linux with an access control list."""


class Outputs:
    """A set of output files: `plan` each before the work, `write` each after it, then `publish`
    all.

    Leaving the `with` block without `publish` leaves the disk unchanged.
    """

    def __init__(self, inputs: Iterable[str | Path] = ()) -> None:
        """inputs: files being read; none of them may be overwritten."""
        self._inputs = list(map(Path, inputs))
        self._planned: dict[str, Path] = {}
        self._written: list[tuple[Path, Path]] = []
        self._folders: list[Path] = []
        self._other_folder: Path | None = None

    def plan(
        self, path: str | Path, suffixes: Collection[str], instead_of: Path | None = None
    ) -> Path:
        """Real path of an output file; InputError if it is not writable or is planned already.

        instead_of: input that may be overwritten, because the user named it as the output.
        """
        path = Path(path)
        if path.suffix.lower() not in suffixes:
            raise InputError("{path} cannot be written: its name must end in {suffixes}.").format(
                path=path, suffixes=" or ".join(suffixes)
            )
        if os.name == "nt" and path.stem.split(".")[0].rstrip().lower() in DEVICES:
            raise InputError("{path} is the name of a device on Windows; choose another.").format(
                path=path
            )
        with _sentence(path):
            str(path).encode()
            # through a symbolic link the file it points to is replaced, not the link
            target = path.resolve()
            is_input = any(_are_same(target, file) for file in self._inputs)
            if is_input and not (instead_of and _are_same(target, instead_of)):
                raise InputError(
                    "{path} cannot be written: it is an input; choose another name."
                ).format(path=path)
            if target.is_dir():
                raise InputError("{path} cannot be written: it is a folder.").format(path=path)
            if target.parent not in self._folders:
                _try_writing(path, target)
        self._add(path, target)
        return target

    def plan_folder(self, path: str | Path) -> None:
        """Plan a folder of output files, which may lie in a planned one; `write` creates it if
        needed.
        """
        path = Path(path)
        with _sentence(path):
            folder = path.resolve()
            if folder.exists() and not folder.is_dir():
                raise InputError("{path} cannot be a folder: it is a file.").format(path=path)
            if not folder.exists():
                if folder.parent not in self._folders:
                    _try_writing(path, folder)
                self._add(path, folder)
                self._folders.append(folder)

    def _add(self, path: Path, target: Path) -> None:
        # Windows and macOS do not distinguish a.exr from A.exr.
        if self._planned.setdefault(str(target).casefold(), path) is not path:
            raise InputError("{path} would be written twice; choose another name.").format(
                path=path
            )

    @contextmanager
    def write(self, target: Path) -> Iterator[Path]:
        """Temporary path beside `target`, to write to; there is an empty file if it replaces
        one.
        """
        target = self._place_of(target)
        suffix = self._planned[str(target).casefold()].suffix.lower()
        temporary = target.with_name(f".erosion-{secrets.token_hex(8)}{suffix}")
        self._written.append((temporary, target))
        try:
            with _sentence(target):
                if target.parent in self._folders:
                    target.parent.mkdir(parents=True, exist_ok=True)
                if replaces := target.exists():
                    os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
                yield temporary
                # No link, as the rights of the file that it leads to would change.
                with open(temporary, "r+b", opener=_opened_itself) as stream:
                    if replaces:
                        _keep_rights(target, stream.fileno())
                    # Some file systems notice a full disk no sooner than here.
                    os.fsync(stream.fileno())
        except InputError as error:
            raise InputError(error.sentence.renamed(str(temporary), str(target))) from error

    def redirect(self, folder: Path) -> None:
        """Discard the written files; `write` writes all of them into a new folder from now on."""
        self._discard()
        self._written.clear()
        self._folders.clear()
        with _sentence(folder):
            folder.mkdir()
        self._other_folder = folder

    def _place_of(self, target: Path) -> Path:
        """Where a planned file is written."""
        if self._other_folder is None:
            return target
        place = self._other_folder / target.name
        while str(place).casefold() in self._planned:
            place = place.with_name(f"_{place.name}")
        self._planned[str(place).casefold()] = place
        return place

    def digests(self) -> dict[str, str]:
        """SHA-256 of each file written so far, by its path as given."""
        digests_by_path = {}
        for file, target in self._written:
            with _sentence(target):
                digests_by_path[str(self._planned[str(target).casefold()])] = sha256(file)
        return digests_by_path

    def publish(self, goes_on: bool = False) -> list[Path]:
        """Move every written file into place, the first one last, so that its presence means the
        set is complete.

        Returns the paths as given. goes_on: whether work follows. Ctrl-C and termination signals
        during the move then end it afterwards; otherwise they are ignored.
        """
        paths = [self._planned[str(target).casefold()] for _, target in self._written]
        for path, (_, target) in zip(paths, self._written, strict=True):
            with _sentence(path):
                _try_writing(path, target)
        with _uninterrupted() as came:
            self._move()
        self._folders.clear()
        if goes_on:
            for number in came:
                signal.raise_signal(number)
        return paths

    def _move(self) -> None:
        """Move the files into place. If one cannot be moved, the earlier ones are moved back, if
        the file system supports hard links.
        """
        with ExitStack() as second_names, ExitStack() as undo:
            for temporary, target in reversed(self._written):
                with _sentence(target):
                    back = _way_back(target, second_names)
                    temporary.replace(target)
                    undo.callback(back)
            undo.pop_all()

    def __enter__(self) -> "Outputs":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._discard()

    def _discard(self) -> None:
        """Remove the files that are not published, and the folders made for them."""
        for temporary, _ in self._written:
            # the folder is gone, or the disk: the sentence about that goes on
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
        for folder in reversed(self._folders):
            if folder.is_dir() and not any(folder.iterdir()):
                folder.rmdir()


def create(path: Path, content: bytes, mode: int = 0o666) -> None:
    """Create a file with its content, or not at all. FileExistsError if it exists; OSError."""
    temporary = path.with_name(f".erosion-{secrets.token_hex(8)}")
    try:
        _write_new(temporary, content, mode)
        try:
            path.hardlink_to(temporary)
        except FileExistsError:
            # A network drive may have done it and have lost its answer.
            if temporary.stat().st_nlink != 2:
                raise
        except OSError:  # no hard links here
            _write_new(path, content, mode)
    finally:
        temporary.unlink(missing_ok=True)


def _write_new(path: Path, content: bytes, mode: int) -> None:
    """Write a file that is not there yet; one that cannot be written to its end is removed."""
    with (
        open(path, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as stream,
        ExitStack() as undo,
    ):
        undo.callback(path.unlink, missing_ok=True)
        stream.write(content)
        stream.flush()
        # Some file systems notice a full disk no sooner than here.
        os.fsync(stream.fileno())
        undo.pop_all()


def remove_leftovers(folder: Path) -> None:
    """Remove the unfinished files of killed processes from a folder that no other process writes
    to.
    """
    with suppress(OSError):
        for file in folder.glob(".erosion-*"):
            if _TEMPORARY.fullmatch(file.name):
                file.unlink(missing_ok=True)


def move_over(path: Path, target: Path) -> None:
    """Move a file to a path, with the rights of the file it replaces. OSError if that fails."""
    if target.exists():
        with open(path, "r+b", opener=_opened_itself) as stream:
            _keep_rights(target, stream.fileno())
    path.replace(target)


def sha256(path: Path) -> str:
    """SHA-256 of a file's bytes; OSError if it cannot be read."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _try_writing(path: Path, target: Path) -> None:
    """InputError or OSError if no file can be created beside `target`, or an existing `target`
    cannot be replaced.
    """
    if not target.parent.is_dir():
        raise InputError("{path} cannot be written: the folder {parent} does not exist.").format(
            path=path, parent=target.parent
        )
    probe = target.with_name(f".erosion-{secrets.token_hex(8)}")
    try:
        probe.open("xb").close()
    finally:
        probe.unlink(missing_ok=True)
    if target.exists():
        # A file moved to the place of a pipe or a device would be in its stead: root would do
        # without /dev/null.
        if kind := kind_of(target):
            raise InputError("{path} cannot be written: it is {kind}.").format(path=path, kind=kind)
        # Windows refuses to replace a file that another program holds open, and everybody a
        # read-only one.
        target.open("r+b").close()


def _opened_itself(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0))


def _keep_rights(target: Path, file: int) -> None:
    """Give an open file the rights of the file it will replace. OSError if nothing was written to
    it.
    """
    if os.fstat(file).st_size == 0:
        raise OSError(errno.EIO, "nothing was written")
    if os.name == "nt":
        return
    status = target.stat()
    for owner, group in ((-1, status.st_gid), (status.st_uid, -1)):
        with suppress(OSError):  # of somebody else
            os.fchown(file, owner, group)
    mode = stat.S_IMODE(status.st_mode) & 0o777
    entries = _access_list(target)
    if os.fstat(file).st_gid == status.st_gid and not entries:
        with suppress(OSError, AttributeError):  # of files that are new in the folder
            os.removexattr(file, _ACL)
    elif os.fstat(file).st_gid == status.st_gid:
        with suppress(OSError):
            os.setxattr(file, _ACL, entries)
            return  # the list has the mode in it
        mode &= 0o707  # the group's part was a mask
    else:
        mode = mode & 0o707 | (mode & 0o007) << 3  # another group may do what everybody may
    with suppress(OSError):  # a drive without modes
        os.fchmod(file, mode)


def _access_list(path: Path) -> bytes:
    try:
        return os.getxattr(path, _ACL)
    except (OSError, AttributeError):  # there is none, or this is not Linux
        return b""


def _way_back(target: Path, second_names: ExitStack) -> Callable[[], None]:
    """Function that restores the current file at a path; its second name, needed for this, is
    removed with `second_names`.
    """
    second_name = target.with_name(f".erosion-{secrets.token_hex(8)}") if target.exists() else None

    def back() -> None:
        with suppress(OSError):
            if second_name is None:
                target.unlink()
            elif second_name.exists():
                second_name.replace(target)

    if second_name is not None:
        second_names.callback(second_name.unlink, missing_ok=True)
        with suppress(OSError):  # no hard links here, or not to a file of somebody else's
            second_name.hardlink_to(target)
    return back


def _are_same(first: Path, second: Path) -> bool:
    """Whether two paths name the same file."""
    try:
        return first.samefile(second)
    except (OSError, ValueError):
        return False


@contextmanager
def _sentence(path: Path) -> Iterator[None]:
    """InputError that words a file system error for `path`."""
    try:
        yield
    except UnicodeEncodeError:
        raise InputError("{path} is not a usable file name; choose another.").format(
            path=repr(str(path))
        ) from None
    except (OSError, RuntimeError, ValueError) as error:  # a loop of links, a NUL in the name
        if isinstance(error, InputError):
            raise
        raise unwritable(path, error) from error


@contextmanager
def _uninterrupted() -> Iterator[list[int]]:
    """Context in which Ctrl-C and termination signals only add their number to a list, for the few
    milliseconds in which files are moved.

    Only the main thread receives them.
    """
    ours = threading.current_thread() is threading.main_thread()
    came = list[int]()
    numbers = [
        getattr(signal, name)
        for name in ("SIGINT", "SIGTERM", "SIGHUP")
        if ours and hasattr(signal, name)
    ]
    handlers = {
        number: handler for number in numbers if callable(handler := signal.getsignal(number))
    }
    for number in handlers:
        signal.signal(number, lambda number, frame: came.append(number))
    try:
        yield came
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
