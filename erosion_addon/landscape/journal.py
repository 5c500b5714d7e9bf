# SPDX-License-Identifier: GPL-3.0-or-later
"""Journal of tasks done, so that an interrupted run continues, and the version that does them."""

import hashlib
import hmac
import json
import os
import secrets
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from .. import VERSION
from ..base.atomic_files import Outputs, create, sha256
from ..base.errors import InputError, unreadable, unwritable
from ..base.regular_files import open_regular
from .storage.arrays import arrays_in, refuse_link
from .tasks import Task

JOURNAL = "journal.jsonl"

_LARGEST_JOURNAL = 1 << 30
"""Bytes; a task takes about a thousand."""

_LARGEST_LINE = 1 << 16
"""Bytes of the first line."""

Outcome = dict[str, Any]
"""Result of a task, see `tasks.run`."""

_BESIDE = ("ui", "scene", "cli", "worker", "translations")
"""Rooms that no task calls; a package without Blender may have others."""


class Version(NamedTuple):
    """Version of the package, and a digest of the sources that tasks follow from."""

    version: str
    sources: str

    def __str__(self) -> str:
        return f"{self.version} ({self.sources})"


@cache
def this_version() -> Version:
    """Version of this process."""
    package = Path(__file__).parents[1]
    digest = hashlib.sha256()
    places = {path.relative_to(package).as_posix(): path for path in package.rglob("*.py")}
    for place, path in sorted(places.items()):
        if place.partition("/")[0] not in _BESIDE:
            digest.update(place.encode() + b"\0" + path.read_bytes().replace(b"\r\n", b"\n"))
    return Version(VERSION, digest.hexdigest()[:12])


def require_version(version: Any, whose: str, remedy: str) -> None:
    """Raise InputError with both versions unless the other one is this one.

    version: version and digest of its sources. whose: their owner, at the beginning of the
    sentence. remedy: end of the sentence.
    """
    if tuple(version) != tuple(this_version()):
        versions = f"version {Version(*version)} of Terrain Erosion, and this is {this_version()}"
        raise InputError(f"{whose} {versions}; {remedy}.")


class Journal:
    """Append-only log of an order: a header line, then a line of JSON per finished task. Single
    tasks have their own files.

    is_there: whether the journal belongs to this order. is_foreign: whether it has lines of others,
    which do not count.
    """

    def __init__(
        self,
        folder: Path,
        work: str,
        key: str,
        may_be_of: Callable[[Task, Outcome], bool],
        secret: bytes = b"",
        alone: bool = True,
    ) -> None:
        """folder: of the landscape. work: name of the folder of the tasks' files in it. key: hash
        of everything they depend on. may_be_of: whether a line may belong to a task. secret: of the
        user, see `users_secret`; lines that were written without it do not count. alone: whether
        tasks done alone count, whoever did them on any machine.

        InputError where another version has begun the same order.
        """
        self._folder = folder
        self._work = folder / work
        self._key = key
        self._may_be_of = may_be_of
        self._secret = secret
        for path in (self._work, self._work / JOURNAL):
            refuse_link(path)
        lines = lines_of(self._work / JOURNAL, key)
        entries = self._sealed(lines or [])
        self.is_there = lines is not None
        self.is_foreign = len(entries) < len(lines or [])
        for path in sorted(self._work.glob(f"{Path(JOURNAL).stem}_*.jsonl")) if alone else ():
            entries += lines_of(path, key) or []
        self._said = {
            str(line["name"]): line for line in entries if isinstance(line, dict) and "name" in line
        }

    def begin(self) -> None:
        """Start a new journal, replacing any other."""
        self._said.clear()
        # At once: a task of an earlier order that moves its files meanwhile moves them away with
        # the others.
        aside = self._folder / f".erosion-{secrets.token_hex(8)}"
        try:
            if self._work.exists():
                self._work.rename(aside)
            self._work.mkdir()
        except OSError as error:
            raise unwritable(self._work, error) from None
        shutil.rmtree(aside, ignore_errors=True)
        self._append()

    @property
    def note(self) -> str:
        """A sentence on lines that do not count."""
        return (
            f"What another user or machine has done in {self._work} is not trusted, and done again."
        )

    def sound(self, tasks: Sequence[Task]) -> dict[str, Outcome]:
        """Finished tasks whose files, and the files of all tasks they need, have their hashes."""
        sound: dict[str, Outcome] = {}
        for task in tasks:
            if all(need in sound for need in task.needs) and self.has(task):
                sound[task.name] = self._said[task.name]
        return sound

    def has(self, task: Task) -> bool:
        """Whether a task is done, and all its files have their hashes, and there are no others."""
        if task.name not in self._said:
            return False
        result = self._said[task.name]
        folder = self._work / task.name
        try:
            files = {
                self._folder / f"{name}.npy": digest for name, digest in result["files"].items()
            }
            return (
                self._may_be_of(task, result)
                and {path for path in files if path.parent == folder} == set(arrays_in(folder))
                and all(path.is_file() and sha256(path) == digest for path, digest in files.items())
            )
        except (OSError, AttributeError, KeyError, TypeError, ValueError):
            return False

    def names(self, task: str) -> bool:
        """Whether a line lists the task as done. Its files are not checked."""
        return task in self._said

    def add(self, result: Outcome) -> None:
        """Keep a task that is done."""
        self._append({**result, "seal": self._seal(result)} if self._secret else result)

    def add_alone(self, result: Outcome, file: str, before: Callable[[], object]) -> None:
        """Record a finished single task in its own file: whole or not at all, while other processes
        do the same. before: called when the file is written but not yet in place; may raise.
        """
        path = self._work / file
        for part in (self._work, path):
            refuse_link(part)
        with Outputs() as outputs:
            target = outputs.plan(path, (path.suffix,))
            with outputs.write(target) as temporary:
                temporary.write_text(_text_of(self._first(), result), encoding="utf-8")
            before()
            outputs.publish(goes_on=True)

    def _append(self, *results: Outcome) -> None:
        path = self._work / JOURNAL
        refuse_link(path)
        try:
            lines = [*([] if path.exists() else [self._first()]), *results]
            with path.open("a", encoding="utf-8") as stream:
                stream.write(_text_of(*lines))
        except OSError as error:
            raise unwritable(path, error) from None

    def _first(self) -> dict[str, Any]:
        """Header line: the order that the other lines belong to."""
        return {"key": self._key, **this_version()._asdict()}

    def _seal(self, result: Outcome) -> str:
        text = self._key + json.dumps(result, sort_keys=True)
        return hmac.new(self._secret, text.encode(), hashlib.sha256).hexdigest()

    def _sealed(self, lines: list[Any]) -> list[Outcome]:
        """Lines that were written with the secret, if there is one."""
        if not self._secret:
            return lines
        entries = [(line, str(line.pop("seal", ""))) for line in lines if isinstance(line, dict)]
        return [
            line
            for line, seal in entries
            if hmac.compare_digest(seal.encode(), self._seal(line).encode())
        ]


def _text_of(*lines: Outcome) -> str:
    return "".join(json.dumps(line) + "\n" for line in lines)


def users_secret() -> bytes:
    """32 secret bytes of this user, who alone can read them beside the compiled code; without such
    a folder new ones each time.

    InputError if they are there and cannot be read: other ones would discard the tasks done.
    """
    from ..base.kernels.jit import CACHE  # numba takes a second to import

    fresh = os.urandom(32)
    if CACHE is None:
        return fresh
    path = CACHE / "secret"
    for _ in range(2):
        with suppress(OSError):  # it is there, or nothing can be written there
            create(path, fresh, 0o600)
        try:
            secret = path.read_bytes()
        except FileNotFoundError:
            return fresh
        except OSError as error:
            why = f"{path} cannot be read: {error.strerror or error}"
            raise InputError(
                f"{why}. An analysis under way needs it to go on; delete it to begin anew."
            ) from None
        if len(secret) == len(fresh):
            return secret
        with suppress(OSError):  # a full disk once cut it off: nothing was ever sealed with it
            path.unlink()
    return fresh


def lines_of(path: Path, key: str) -> list[Any] | None:
    """Lines of a journal that belongs to `key`, see `Journal`; None if there is no such journal.

    InputError for one that is there and cannot be read, or of another version: its tasks may be
    done.
    """
    try:
        with open_regular(path) as stream:
            first = json.loads(stream.readline(_LARGEST_LINE))
            if first.get("key") != key:
                return None
            text = stream.read(_LARGEST_JOURNAL).decode("utf-8", "replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise unreadable(path, error) from None
    except (ValueError, AttributeError, RecursionError):  # no file, or no journal
        return None
    origin = [str(first.get(name, "?"))[:20] for name in ("version", "sources")]
    remedy = f"go on with that one, or delete {path.parent} to begin anew"
    require_version(origin, f"{path.parent} was begun by", remedy)
    entries = []
    for line in text.splitlines():
        with suppress(ValueError, RecursionError):  # the last one may be cut off
            entries.append(json.loads(line))
    return entries
