# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels of the processes against C++ that computes the same."""
