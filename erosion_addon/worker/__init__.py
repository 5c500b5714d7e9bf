# SPDX-License-Identifier: GPL-3.0-or-later
"""Worker: the process that runs simulations, and its messages to and from Blender."""
