# SPDX-License-Identifier: GPL-3.0-or-later
"""Light, shade and levels of detail, baked from finished land."""
