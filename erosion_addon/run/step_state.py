# SPDX-License-Identifier: GPL-3.0-or-later
"""What a step under way has changed of itself: taken out of it, and put into one that was newly made."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..base.arrays import Array
from ..base.errors import InputError
from ..processes.shared.state import ANYTHING, Step, within


def step_arrays(running: Step) -> dict[str, Array]:
    """All that a step under way has changed of itself, by the names that it lists as `evolving`."""
    return {name: np.array(value) for name, _, _, value in _places(running)}


def set_step_arrays(running: Step, arrays: dict[str, Array]) -> None:
    """The reverse of `step_arrays`, on a step newly made from the same state.

    Raises InputError where they do not fit: another shape or kind of number, or a value beyond the step's `limits`.
    """
    places = {name: place for name, *place in _places(running)}
    needed = {name for name in places if name.partition("/")[0] not in running.later}
    if not needed <= arrays.keys() <= places.keys():
        raise InputError("The checkpoint does not fit its recipe; run it again from the start.")
    for name, array in arrays.items():
        owner, attribute, value = places[name]
        whole = isinstance(getattr(type(owner), attribute, None), property)  # sets itself, and looks at it itself
        if not (_is_alike(array, value, whole) and (whole or within(array, owner.limits.get(attribute, ANYTHING)))):
            raise InputError(f"The checkpoint is damaged in {name}; run it again from the start.")
        try:
            if isinstance(value, np.ndarray) and not whole:
                value[...] = array
            else:
                setattr(owner, attribute, array if whole else type(value)(array))
        except ValueError:
            raise InputError(f"The checkpoint is damaged in {name}; run it again from the start.") from None


def _places(running: Any) -> Iterator[tuple[str, Any, str, Any]]:
    """What evolves: its name, the step or the part of one that holds it, the attribute there, and its value."""
    for attribute in running.evolving:
        value = getattr(running, attribute)
        if isinstance(value, tuple):
            yield from ((f"{attribute}/{place}", running, attribute, item) for place, item in enumerate(value))
        elif hasattr(value, "evolving"):
            yield from ((f"{attribute}/{name}", *place) for name, *place in _places(value))
        elif value is not None:
            yield attribute, running, attribute, value


def _is_alike(array: Array, value: Any, of_any_length: bool) -> bool:
    """Whether an array has the shape and the kind of numbers of a value."""
    like = np.asarray(value)
    kind = array.dtype == like.dtype if like.ndim else array.dtype.kind == like.dtype.kind
    return kind and array.shape[of_any_length:] == like.shape[of_any_length:] and array.ndim == like.ndim
