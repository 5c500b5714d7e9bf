# SPDX-License-Identifier: GPL-3.0-or-later
"""State of a step in progress: extracted for a checkpoint, and restored to a new step."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..base.arrays import Array
from ..base.errors import InputError
from ..processes.shared.state import ANYTHING, Step, within


def step_arrays(running: Step) -> dict[str, Array]:
    """Arrays that a step has changed, by the names in its `evolving`."""
    return {name: np.array(value) for name, _, _, value in _places(running)}


def set_step_arrays(running: Step, arrays: dict[str, Array]) -> None:
    """Restore `step_arrays` to a step newly made from the same state.

    Raises InputError for another shape or dtype, or a value beyond the step's `limits`.
    """
    places = {name: place for name, *place in _places(running)}
    required = {name for name in places if name.partition("/")[0] not in running.later}
    if not required <= arrays.keys() <= places.keys():
        raise InputError("The checkpoint does not fit its recipe; run it again from the start.")
    for name, array in arrays.items():
        owner, attribute, value = places[name]
        # sets itself, and looks at it itself
        is_property = isinstance(getattr(type(owner), attribute, None), property)
        if not (
            _is_alike(array, value, is_property)
            and (is_property or within(array, owner.limits.get(attribute, ANYTHING)))
        ):
            raise InputError(
                "The checkpoint is damaged in {name}; run it again from the start."
            ).format(name=name)
        try:
            if isinstance(value, np.ndarray) and not is_property:
                value[...] = array
            else:
                setattr(owner, attribute, array if is_property else type(value)(array))
        except ValueError:
            raise InputError(
                "The checkpoint is damaged in {name}; run it again from the start."
            ).format(name=name) from None


def is_finite(running: Step) -> bool:
    """Whether all numbers that a step has changed are finite: one sum for each array."""
    with np.errstate(all="ignore"):
        return all(np.isfinite(array.sum()) for array in _float_arrays(running))


def _float_arrays(running: Any) -> Iterator[Array]:
    """Evolving float arrays with finite limits, except computed properties."""
    for attribute in running.evolving:
        made_anew = isinstance(getattr(type(running), attribute, None), property)
        if made_anew or not np.isfinite(running.limits.get(attribute, ANYTHING)).all():
            continue
        value = getattr(running, attribute)
        for part in value if isinstance(value, tuple) else (value,):
            if hasattr(part, "evolving"):
                yield from _float_arrays(part)
            elif isinstance(part, np.ndarray) and part.dtype.kind == "f":
                yield part


def _places(running: Any) -> Iterator[tuple[str, Any, str, Any]]:
    """Evolving values: name, owner (the step or a part of it), attribute, value."""
    for attribute in running.evolving:
        value = getattr(running, attribute)
        if isinstance(value, tuple):
            yield from (
                (f"{attribute}/{place}", running, attribute, item)
                for place, item in enumerate(value)
            )
        elif hasattr(value, "evolving"):
            yield from ((f"{attribute}/{name}", *place) for name, *place in _places(value))
        elif value is not None:
            yield attribute, running, attribute, value


def _is_alike(array: Array, value: Any, of_any_length: bool) -> bool:
    """Whether an array has the shape and dtype of a value."""
    like = np.asarray(value)
    kind = array.dtype == like.dtype if like.ndim else array.dtype.kind == like.dtype.kind
    return (
        kind
        and array.shape[of_any_length:] == like.shape[of_any_length:]
        and array.ndim == like.ndim
    )
