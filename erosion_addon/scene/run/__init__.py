# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs in Blender: job, queue, preview, commit."""
