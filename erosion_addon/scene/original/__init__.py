# SPDX-License-Identifier: GPL-3.0-or-later
"""The terrain as it was before erosion, kept with its mesh."""
