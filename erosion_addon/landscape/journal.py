# SPDX-License-Identifier: GPL-3.0-or-later
"""Journal of tasks done, so that an interrupted run continues."""

import hashlib
import hmac
import json
import os
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..base.atomic_files import Outputs, sha256
from ..base.errors import InputError
from ..base.regular_files import open_regular
from .storage.folder import refuse_link
from .tasks import Task

JOURNAL = "journal.jsonl"

_LARGEST_JOURNAL = 1 << 30
"""Bytes; a task takes about a thousand."""

Done = dict[str, Any]
"""Result of a task, see `tasks.run`."""


class Journal:
    """Tasks done, a line of JSON each, after a line that says what they belong to; a file each of those done alone."""

    def __init__(
        self, folder: Path, work: str, key: str, may_be_of: Callable[[Task, Done], bool], secret: bytes = b""
    ) -> None:
        """folder: of the landscape. work: name of the folder of the tasks' files in it; removed if it belongs to
        something else. key: hash of all that they follow from. may_be_of: whether a line may tell of a task. secret:
        of the user, see `users_secret`; lines that were written without it do not count.
        """
        self._folder, self._work, self._key, self._may_be_of = folder, folder / work, key, may_be_of
        self._secret = secret
        for path in (self._work, self._work / JOURNAL):
            refuse_link(path)
        found = self._sealed(lines_of(self._work / JOURNAL, key))
        if found is None:
            shutil.rmtree(self._work, ignore_errors=True)
            self._append()
        for path in sorted(self._work.glob(f"{Path(JOURNAL).stem}_*.jsonl")):
            found = [*(found or []), *(self._sealed(lines_of(path, key)) or [])]
        self._said = {str(line["name"]): line for line in found or [] if isinstance(line, dict) and "name" in line}

    def sound(self, tasks: Sequence[Task]) -> dict[str, Done]:
        """Tasks done whose files are there with their hashes, and so are those of all that they need."""
        sound: dict[str, Done] = {}
        for task in tasks:
            if all(need in sound for need in task.needs) and self.has(task):
                sound[task.name] = self._said[task.name]
        return sound

    def has(self, task: Task) -> bool:
        """Whether a task is done, and all its files have their hashes."""
        if task.name not in self._said:
            return False
        result = self._said[task.name]
        try:
            files = {name: self._folder / f"{name}.npy" for name in result["files"]}
            return self._may_be_of(task, result) and all(
                path.is_file() and sha256(path) == result["files"][name] for name, path in files.items()
            )
        except (OSError, KeyError, TypeError, ValueError):
            return False

    def names(self, task: str) -> bool:
        """Whether a line lists the task as done. Its files are not checked."""
        return task in self._said

    def add(self, result: Done) -> None:
        """Keep a task that is done."""
        self._append({**result, "seal": self._seal(result)} if self._secret else result)

    def add_alone(self, result: Done, file: str) -> None:
        """Keep a task that is done, in a file of its own: whole or not at all, while others keep theirs."""
        path = self._work / file
        refuse_link(path)
        with Outputs() as outputs:
            target = outputs.plan(path, (path.suffix,))
            with outputs.write(target) as temporary:
                temporary.write_text(_text_of({"key": self._key}, result), encoding="utf-8")
            outputs.publish(goes_on=True)

    def _append(self, *results: Done) -> None:
        path = self._work / JOURNAL
        refuse_link(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            lines = [*([] if path.exists() else [{"key": self._key}]), *results]
            with path.open("a", encoding="utf-8") as stream:
                stream.write(_text_of(*lines))
        except OSError as error:
            raise InputError(f"{path} cannot be written: {error.strerror or error}.") from None

    def _seal(self, result: Done) -> str:
        text = self._key + json.dumps(result, sort_keys=True)
        return hmac.new(self._secret, text.encode(), hashlib.sha256).hexdigest()

    def _sealed(self, lines: list[Done] | None) -> list[Done] | None:
        """Lines that were written with the secret, if there is one; None without any."""
        if lines is None or not self._secret:
            return lines
        found = [(line, str(line.pop("seal", ""))) for line in lines if isinstance(line, dict)]
        return [line for line, seal in found if hmac.compare_digest(seal.encode(), self._seal(line).encode())] or None


def _text_of(*lines: Done) -> str:
    return "".join(json.dumps(line) + "\n" for line in lines)


def users_secret() -> bytes:
    """32 secret bytes of this user, who alone can read them beside the compiled code; without such a folder new ones
    each time.

    InputError if they are there and cannot be read: other ones would discard the tasks done.
    """
    from ..kernels.jit import CACHE  # numba takes a second to import

    fresh = os.urandom(32)
    if CACHE is None:
        return fresh
    path = CACHE / "secret"
    with suppress(OSError):
        path.touch(0o600, exist_ok=False)
        path.write_bytes(fresh)
    try:
        kept = path.read_bytes()
    except FileNotFoundError:
        return fresh
    except OSError as error:
        why = f"{path} cannot be read: {error.strerror or error}"
        raise InputError(f"{why}. An analysis under way needs it to go on; delete it to begin anew.") from None
    return kept if len(kept) == len(fresh) else fresh


def lines_of(path: Path, key: str) -> list[Done] | None:
    """Lines of a journal that belongs to `key`, see `Journal`; None if there is no such journal.

    InputError for one that is there and cannot be read: its tasks may be done.
    """
    try:
        with open_regular(path) as stream:
            text = stream.read(_LARGEST_JOURNAL).decode("utf-8", "replace")
    except (FileNotFoundError, InputError):  # nothing is there, or no file
        return None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from None
    with suppress(ValueError, AttributeError, RecursionError):
        first, *lines = text.splitlines()
        if json.loads(first).get("key") != key:
            return None
        found = []
        for line in lines:
            with suppress(ValueError, RecursionError):  # the last one may be cut off
                found.append(json.loads(line))
        return found
    return None
