# SPDX-License-Identifier: GPL-3.0-or-later
"""Droplets: rain that digs where it runs fast and lays down where it slows."""
