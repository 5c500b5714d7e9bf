# SPDX-License-Identifier: GPL-3.0-or-later
"""The flow graph against C++ and against fastscapelib."""
