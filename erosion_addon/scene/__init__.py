# SPDX-License-Identifier: GPL-3.0-or-later
"""Scene: exchange of Blender data and terrains, and tasks in progress."""
