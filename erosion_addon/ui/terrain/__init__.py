# SPDX-License-Identifier: GPL-3.0-or-later
"""Interface of terrains: add, import, repair."""
