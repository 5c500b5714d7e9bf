# SPDX-License-Identifier: GPL-3.0-or-later
"""Interface of runs: start, progress, live preview, report."""
