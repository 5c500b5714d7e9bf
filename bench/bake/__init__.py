# SPDX-License-Identifier: GPL-3.0-or-later
"""Baked light by size and threads."""
