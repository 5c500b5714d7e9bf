# SPDX-License-Identifier: GPL-3.0-or-later
"""Interface of materials, companions, light and levels of detail."""
