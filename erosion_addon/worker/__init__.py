# SPDX-License-Identifier: GPL-3.0-or-later
"""Worker: a process of its own that runs simulations, and the messages between it and Blender."""
