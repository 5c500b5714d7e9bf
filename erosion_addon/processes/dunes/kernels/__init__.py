# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled loops of dunes: saltation along wind lines, creep and running means."""
