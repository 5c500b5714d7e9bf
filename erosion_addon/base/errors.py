# SPDX-License-Identifier: GPL-3.0-or-later
"""The exception for errors in the user's input."""


class InputError(ValueError):
    """Invalid input. The message is one sentence for the user."""
