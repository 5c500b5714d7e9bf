# SPDX-License-Identifier: GPL-3.0-or-later
"""Light, maps, levels of detail and surrounding land of a finished terrain, and their update."""
