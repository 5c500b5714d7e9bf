# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes that do the tasks of a landscape together: those of this machine, and their
versions.
"""
