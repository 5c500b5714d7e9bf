# SPDX-License-Identifier: GPL-3.0-or-later
"""Masks, springs and surface colors of the scene."""
