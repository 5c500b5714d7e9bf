# SPDX-License-Identifier: GPL-3.0-or-later
"""Constants of the wind's boundary layer, converted from meters; see `kernels.boundary_layer`."""

import math
from typing import Any

from ...base.arrays import EDGES, cell_diagonal, longer_side
from ...base.kernels.elementary import power, tan
from ..shared.state import State
from .parameters import MOISTURE_THRESHOLD, WindParameters

PULL, FOLLOW = 0.05, 0.9
"""Shares in which a particle takes on the wind, and the way along the ground, on a feature size; as
in the source.
"""

SLOWEST = 32.0
"""Steps on a feature size in which a particle ends at the latest, as a multiple of the steps of the
free wind.
"""

LEE_EXCHANGE = 0.5
"""Share of its load that a particle loses on a feature size where the wind's shadow is complete."""

WET_LOADS = 100.0
"""Loads of level ground by which the air must be able to hold more to lift wet sand, at a moisture
threshold of 1.
"""


def layer_constants(parameters: WindParameters, state: State, kernel: Any) -> Any:
    """`kernel.Constants`, such that the same land on finer cells is eroded alike."""
    # With cells of r feature sizes a particle goes r of them in a step. So a share p on a feature
    # size is 1 - (1 - p)^r in a step. Visits of a cell grow with 1 / r; slides need 1 / r² of them.
    row_spacing, col_spacing = state.spacing
    size = parameters.feature_size
    step = state.cell_size / size

    def share(on_a_feature_size: float) -> float:
        return float(1.0 - power(1.0 - on_a_feature_size, step)) if on_a_feature_size < 1.0 else 1.0

    # The air along the ground damps sinking and turbulence: less in a shorter step.
    follow = share(FOLLOW)
    sinking = follow / (1.0 - follow) * (1.0 - FOLLOW) / FOLLOW if follow < FOLLOW else 1.0
    # Swirls add up as their squares do, over ways of the air's memory; and the shorter a step, the
    # less it turns.
    swirls = follow / FOLLOW / math.sqrt(step) * (follow / FOLLOW / step)
    hold = tan(math.radians(parameters.repose_angle)) / size
    longer = longer_side(state.elevation.shape, state.spacing)
    way = max(parameters.maximum_path * longer / state.cell_size, 1.0)
    return kernel.Constants(
        layer=parameters.boundary_layer,
        full=parameters.capacity * parameters.wind_speed / WindParameters.wind_speed,
        press=parameters.windward_lift,
        exchange=share(parameters.exchange),
        lee_exchange=share(
            parameters.exchange + parameters.shelter * max(LEE_EXCHANGE - parameters.exchange, 0.0)
        ),
        abrasion=min(parameters.abrasion * parameters.pace * step, 1.0),
        weight=parameters.load_weight * sinking,
        drag=parameters.load_drag,
        yielding=follow / FOLLOW,
        pull=share(PULL),
        follow=follow,
        turbulence=parameters.turbulence * swirls,
        share=min(parameters.settling * parameters.pace / step, 0.5),
        time_step=step,
        row_step=state.cell_size / row_spacing,
        col_step=state.cell_size / col_spacing,
        row_slope=size / (2 * row_spacing),
        col_slope=size / (2 * col_spacing),
        row_hold=hold * row_spacing,
        col_hold=hold * col_spacing,
        diagonal_hold=hold * cell_diagonal(state.spacing),
        shelter=parameters.shelter,
        maximum_way=way,
        maximum_steps=max(1, min(round(SLOWEST * way), 10**9)),
        edges=EDGES.index(state.edges),
    )


def wet_hold(constants: Any) -> float:
    """Force that wet sand withstands, in heights of the kernel: its share of the greatest lift per
    step.
    """
    return float(MOISTURE_THRESHOLD * WET_LOADS * constants.full * constants.exchange)
