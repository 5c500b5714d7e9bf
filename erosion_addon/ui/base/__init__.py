# SPDX-License-Identifier: GPL-3.0-or-later
"""What panels and operators are made of."""
