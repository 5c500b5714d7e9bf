# SPDX-License-Identifier: GPL-3.0-or-later
"""Rills: water that follows the slope between cells."""
