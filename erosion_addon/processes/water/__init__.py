# SPDX-License-Identifier: GPL-3.0-or-later
"""Water: shallow flow that wears rock, carries soil and lays it down."""
