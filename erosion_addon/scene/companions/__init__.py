# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects and material inputs that follow a terrain."""
