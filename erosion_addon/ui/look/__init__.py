# SPDX-License-Identifier: GPL-3.0-or-later
"""Materials, companions, light, levels of detail."""
