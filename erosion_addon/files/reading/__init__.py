# SPDX-License-Identifier: GPL-3.0-or-later
"""Meaning of the numbers in a file: options, record, doubts."""
