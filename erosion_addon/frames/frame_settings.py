# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of a frame sequence, which the scene sends to the worker."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .sequence import Frames


@dataclass(frozen=True)
class FrameSettings:
    """Frames to keep: folder, number, and fields besides the elevation."""

    folder: Path
    count: int
    fields: tuple[str, ...]

    def begin(self) -> "Frames":
        """Frames of a new run; InputError as for `Frames`."""
        from .sequence import Frames  # only the worker writes frames

        return Frames(self.folder, self.count, self.fields)

    def to_json(self) -> dict[str, Any]:
        """Values of a message to the worker."""
        return {"folder": str(self.folder), "count": self.count, "fields": list(self.fields)}

    @classmethod
    def from_json(cls, values: Mapping[str, Any] | None) -> "FrameSettings | None":
        """Settings from the values of a message."""
        if values is None:
            return None
        return cls(Path(values["folder"]), values["count"], tuple(values["fields"]))
