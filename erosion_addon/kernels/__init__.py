# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled loops: arrays in, arrays out, one process a module.

Importing one imports numba, but for the plain arithmetic of `elementary` and `splitmix`; nothing above may be imported.
"""
