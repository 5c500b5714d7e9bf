# SPDX-License-Identifier: GPL-3.0-or-later
"""What is made from a terrain's fields follows them: its water, foliage, levels of detail, images and baked light."""

import traceback
from collections.abc import Callable

import bpy

from ..model.errors import InputError


def update(terrain: bpy.types.Object) -> list[str]:
    """Bring all of it up to date in place; returns sentences about what could not be.

    The terrain itself is done when this is called, so nothing here may put it in doubt.
    """
    from . import companions, light, maps  # a terrain that has none of these needs none of them

    sentences: list[str] = []
    parts: dict[str, Callable[[bpy.types.Object], list[str] | None]] = {
        "light": light.update, "surfaces": companions.update, "images": maps.update
    }  # fmt: skip
    for what, bring_up_to_date in parts.items():
        try:
            sentences += bring_up_to_date(terrain) or []
        except InputError as error:
            sentences.append(f"Its {what} could not be brought up to date: {error}")
        except Exception:  # noqa: BLE001 - a fault of ours in one of them
            traceback.print_exc()
            sentences.append(f"Its {what} could not be brought up to date; the console says why.")
    return sentences
