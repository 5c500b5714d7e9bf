# SPDX-License-Identifier: GPL-3.0-or-later
"""Recipes: ordered steps with their parameters, as TOML."""
