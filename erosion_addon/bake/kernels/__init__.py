# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled loops of light and of levels of detail."""
