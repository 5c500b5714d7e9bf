# SPDX-License-Identifier: GPL-3.0-or-later
"""Recognition of a run that is finished already, by its report: a farm may start the same command
twice.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from .. import VERSION
from ..base.atomic_files import sha256
from ..base.errors import unreadable
from ..recipe.recipe import Recipe

_NO_MATTER = {
    "command",
    "threads",
    "quiet",
    "progress",
    "checkpoint",
    "checkpoint_every",
    "time_limit",
    "go_on",
}
"""Arguments that leave the results as they are."""

_LARGEST = 16 << 20
"""Bytes of a report that is read."""


def digest_of(words: Mapping[str, Any], recipe: Recipe | None, inputs: Iterable[str | Path]) -> str:
    """SHA-256 of everything that determines the results of a command: version, arguments by name,
    recipe, bytes of the inputs.

    InputError if an input cannot be read.
    """
    values = {name: value for name, value in words.items() if name not in _NO_MATTER}
    try:
        files = {str(path): sha256(Path(path)) for path in inputs if Path(path).is_file()}
    except OSError as error:
        raise unreadable(error.filename or "An input", error) from None
    text = json.dumps(
        [VERSION, values, recipe and recipe.to_dict(), files], sort_keys=True, default=str
    )
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def is_finished(report: Path, digest: str) -> bool:
    """Whether a report has this digest and all its files exist with their recorded hashes."""
    with suppress(OSError, ValueError, RecursionError):
        if not report.is_file() or report.stat().st_size > _LARGEST:
            return False
        content: Any = json.loads(report.read_text(encoding="utf-8"))
        if isinstance(content, dict) and content.get("order") == digest:
            files = content.get("files")
        else:
            files = None
        if not isinstance(files, dict) or not files:
            return False
        return all(
            isinstance(name, str) and Path(name).is_file() and sha256(Path(name)) == files[name]
            for name in files
        )
    return False
