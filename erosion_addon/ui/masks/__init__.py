# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels and tools of masks."""
