# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled loops: arrays in, arrays out, one process a module.

Importing one imports numba, but for `elementary`, `splitmix` and `interruption`; nothing above may
be imported.
"""
