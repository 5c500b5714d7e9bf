# SPDX-License-Identifier: GPL-3.0-or-later
"""Sizes of files and memory in words."""


def size_in_words(size: float) -> str:
    """Bytes in megabytes or gigabytes, to a tenth, at least 0.1 MB."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{max(size / 1e6, 0.1):.1f} MB"
