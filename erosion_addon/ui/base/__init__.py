# SPDX-License-Identifier: GPL-3.0-or-later
"""Base classes and helpers of panels and operators."""
