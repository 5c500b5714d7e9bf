# SPDX-License-Identifier: GPL-3.0-or-later
"""Flow over the tiles of a land, equal to the flow over the land in one piece."""
