# SPDX-License-Identifier: GPL-3.0-or-later
"""Node group "Terrain", a table for each of its parts."""
