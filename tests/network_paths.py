# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths that make Windows call another machine, which somebody's file may name."""

IN_NETWORK = (
    "//machine/share/land",
    r"\\machine\share\land",
    r"/\machine\share\land",
    r"\/machine/share/land",
    r"\\?\UNC\machine\share\land",
    r"\??\UNC\machine\share\land",
    "//?/UNC/machine/share/land",
)
