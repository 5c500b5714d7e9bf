# SPDX-License-Identifier: GPL-3.0-or-later
"""What holds for all tests."""
