# SPDX-License-Identifier: GPL-3.0-or-later
"""Drainage: where water runs on a terrain, past all pits, and what follows from it."""
