# SPDX-License-Identifier: GPL-3.0-or-later
"""Run, progress, live preview."""
