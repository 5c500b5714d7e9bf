# SPDX-License-Identifier: GPL-3.0-or-later
"""Erosion processes, one folder each with parameters, step and kernels."""
