# SPDX-License-Identifier: GPL-3.0-or-later
"""Export of heightmaps, maps and renders."""
