# SPDX-License-Identifier: GPL-3.0-or-later
"""Foundations: errors, declared parameters, limits, threads, memory, atomic files."""
