# SPDX-License-Identifier: GPL-3.0-or-later
"""Materials as node trees."""
