# SPDX-License-Identifier: GPL-3.0-or-later
"""Work on Blender's main thread."""
