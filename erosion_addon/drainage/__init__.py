# SPDX-License-Identifier: GPL-3.0-or-later
"""Drainage: flow routing without pits, and quantities derived from it."""
