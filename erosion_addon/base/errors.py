# SPDX-License-Identifier: GPL-3.0-or-later
"""The exception for errors in the user's input, and the reason in those of Blender's operators."""


class InputError(ValueError):
    """Invalid input. The message is one sentence for the user."""


def reason_of(error: RuntimeError) -> str:
    """Reason that an operator of Blender gives, without the word in front."""
    return str(error).removeprefix("Error: ").strip()
