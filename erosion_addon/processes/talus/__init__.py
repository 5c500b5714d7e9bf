# SPDX-License-Identifier: GPL-3.0-or-later
"""Talus: loose ground slides until it stands at its angle of repose."""
