# SPDX-License-Identifier: GPL-3.0-or-later
"""The one exception that is meant for the user's eyes."""


class InputError(ValueError):
    """Something the user gave is wrong; the message is one sentence for the user."""
