# SPDX-License-Identifier: GPL-3.0-or-later
"""The worker process as Blender sees it."""
