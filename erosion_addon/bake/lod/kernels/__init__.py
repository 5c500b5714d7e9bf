# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled loops of levels of detail."""
