# SPDX-License-Identifier: GPL-3.0-or-later
"""Record of a process: everything that the rest of the program knows about it."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ...base.arrays import Array, longer_side
from ...base.errors import Sentence
from ...base.parameters import Parameters, Specification, specifications
from ...terrain.limits import Limits
from ...terrain.masks import FACTORS

if TYPE_CHECKING:
    from .state import State, Step

MASKS = ("strength", "hardness", "sediment", "protect", "plot")
"""Masks that every process reads."""

LEAST_VOLUME = 1e-9
"""Volumes in m³ below this are rounding error, shown as 0."""

Spacing = tuple[float, float]
Cost = Callable[[Any, tuple[int, int], Spacing, str], float]
PreviewScale = Callable[[Any, float, float, float], Any]


class Part(NamedTuple):
    """Window of a terrain. terrain: (rows, cols) of the terrain; spacing: (row, col) m; row, col:
    first of the window's rows × cols cells.
    """

    terrain: tuple[int, int]
    spacing: Spacing
    row: int
    col: int
    rows: int
    cols: int

    @property
    def sides(self) -> float:
        """The terrain's longer side as a multiple of the window's."""
        return longer_side(self.terrain, self.spacing) / longer_side(
            (self.rows, self.cols), self.spacing
        )

    @property
    def cells(self) -> float:
        """The terrain's cells as a multiple of the window's."""
        return self.terrain[0] * self.terrain[1] / (self.rows * self.cols)

    @property
    def middle(self) -> tuple[float, float]:
        """(row, col) m from the middle of the terrain to the window's."""
        rows, cols = self.terrain
        down, right = self.spacing
        return (self.row + 0.5 * (self.rows - rows)) * down, (
            self.col + 0.5 * (self.cols - cols)
        ) * right

    def springs(self, springs: tuple[tuple[float, ...], ...]) -> tuple[tuple[float, ...], ...]:
        """Springs inside the window. springs: rows of x, y (0-1 from the left and bottom edge) and
        rate.
        """
        relative = (
            (
                (x * self.terrain[1] - self.col) / self.cols,
                (y * self.terrain[0] - self.row) / self.rows,
                rate,
            )
            for x, y, rate in springs
        )
        return tuple(spring for spring in relative if 0 <= spring[0] <= 1 and 0 <= spring[1] <= 1)


def _plain(values: Array, share: float) -> Array:
    return values


class Proportion(NamedTuple):
    """Conversion of a field to numbers in proportion to the drops, and back.

    numbers: (values, share of the drops in the run) → numbers; values: numbers of all drops →
    values.
    """

    numbers: Callable[[Array, float], Array] = _plain
    values: Callable[[Array], Array] = lambda numbers: numbers


class StepFactory(Protocol):
    """Maker of a process's steps: their class, or a wrapper."""

    @property
    def bytes_per_cell(self) -> int:
        """Working memory beyond terrain and result."""

    @property
    def lone(self) -> float:
        """Share of the work that one thread does alone."""

    def __call__(self, state: "State", parameters: Any, key: int, /) -> "Step":
        """Running step on `state`; key: uint64 of its random numbers."""


def _as_it_is(parameters: Any, longer: float, cell_size: float, larger: float) -> Any:
    return parameters


def _anywhere(parameters: Any, part: Part) -> Any:
    return parameters


def _every_step(parameters: Any, spacing: Spacing) -> int:
    return 1


def _a_cell(parameters: Any, shape: tuple[int, int], spacing: Spacing) -> float:
    return 0.0


class Tiling(NamedTuple):
    """Record of a process on tiles of a landscape and on windows of a terrain."""

    scope: str = "tile"
    """Part of a landscape that it runs on: each `tile`, the `whole` on coarse cells, or `both`."""

    measuring: Callable[[Any, int], Any] | None = None
    """(parameters, width of a coarse cell in cells of tiles) → parameters with which coarse cells
    measure the streams that enter tiles, see `State.streams`; None without such streams.
    """

    on_tile: Callable[[Any], Any] = lambda parameters: parameters
    """Parameters → parameters on a tile, after the run of the whole on coarse cells."""

    on_land: Callable[[Any, Array], Any] = lambda parameters, elevation: parameters
    """(parameters, heights of the land on coarse cells) → parameters on a tile, for shares of the
    land such as a snow line.
    """

    finest: Callable[[Any, tuple[int, int], Spacing], float] = _a_cell
    """(parameters, (rows, cols), spacing) → width of the finest form in meters; 0: that of a
    cell.
    """

    proportions: Mapping[str, Proportion] = MappingProxyType({})
    """Fields in proportion to the number of drops, of which each tile has a share."""

    on_part: Callable[[Any, Part], Any] = _anywhere
    """(parameters, window) → parameters with the same effect on a window, for lengths in sides of
    the terrain and for places on it.
    """


class Process(NamedTuple):
    """One kind of step."""

    kind: str
    """Name in recipes."""

    label: str
    parameters: type[Parameters]

    maker: Callable[[], StepFactory]
    """Imports and returns the maker of its steps: `doors.door(__name__, "step.…")`."""

    icon: str
    """Name of a Blender icon."""

    seconds: Cost
    """(parameters, (rows, cols), spacing, edges) → rough seconds on one processor of about 2023,
    from runs of all shipped recipes on 256² cells of 20 m.
    """

    seconds_to_compile: float

    work: tuple[str, str]
    """Count that measures the work, and its unit in words. (Cells per second count as cells.)"""

    summarized: tuple[str, ...]
    """Counts that `summary` needs."""

    summary: Callable[[Mapping[str, Any]], list[str]]
    """Counts → one or two lines for the report."""

    masks: tuple[str, ...] = MASKS
    """Masks that it reads."""

    scalable: Mapping[str, str] = MappingProxyType({})
    """Parameters that a mask may scale per cell → kind of the equivalent mask: one of
    `masks.MASK_KINDS`, `held` (erodes neither rock nor loose material), or one that the step itself
    reads.
    """

    reads: tuple[str, ...] = ()
    """Fields beyond elevation, sediment and soil that it continues from, if present."""

    writes: tuple[str, ...] = ()
    """Fields beyond elevation, sediment and soil that it produces or changes: `fields.RISE` if it
    raises the land.
    """

    makes_soil: bool = False
    """Whether it loosens rock to soil, and not to sediment."""

    carries_color: bool = False
    """Whether deposits keep the color of their origin."""

    moves_ground: bool = True
    """Whether it moves rock, sediment or soil."""

    why_still: Callable[[Any, Array, Spacing], Sentence | None] = (
        lambda parameters, elevation, spacing: None
    )
    """(parameters, heights, (row, col) m) → reason why the process leaves such land unchanged; None
    without one.
    """

    works_on_flat_land: Callable[[Any], bool] = lambda parameters: False
    """Whether it has an effect without a slope."""

    bytes_of_options: Callable[[Any], int] = lambda parameters: 0
    """Additional memory per cell due to parameters."""

    works_in_cells: bool = False
    """Whether its lengths are in cells instead of meters, so that it suits terrain of any size."""

    tiling: Tiling = Tiling()
    """For landscapes and regions."""

    small_steps: Callable[[Any, Spacing], int] = _every_step
    """(parameters, spacing) → steps between updates of the ground, for a process with a
    `time_step`.
    """

    rehearsed: Callable[[Any, tuple[int, int], Spacing], Any] = lambda parameters, shape, spacing: (
        parameters
    )
    """(parameters, (rows, cols), spacing) → parameters that call the same kernels on a small
    terrain.
    """

    scaled_for_preview: PreviewScale = _as_it_is
    """(parameters, longer side of the terrain, its cell size, the preview's cell size: m) →
    parameters with the same effect in a preview.
    """

    def at_start(self, state: "State", limits: Limits, masks: Mapping[str, str]) -> "State":
        """State in which a step begins. masks: parameter → scale factor; InputError if that is
        missing.
        """
        from .shares import factor, scaled

        limited = state.limited(limits)
        return scaled(
            limited,
            [(self.scalable[name], factor(limited, name, mask)) for name, mask in masks.items()],
        )

    @property
    def step(self) -> StepFactory:
        """Maker of its steps."""
        return self.maker()

    @property
    def follows_width(self) -> bool:
        """Whether a recipe's `width` scales its lengths, so that it suits small land too."""
        return any(
            specification.width_power for specification in specifications(self.parameters).values()
        )

    @property
    def scales(self) -> dict[str, Specification]:
        """Declarations of the scale factors, by parameter."""
        sentence = "Mask or map that this parameter is multiplied by, from 0 to 1."
        return {
            name: Specification(name, "none", sentence, choices=FACTORS) for name in self.scalable
        }

    @property
    def about(self) -> str:
        """Description in a sentence or two."""
        return " ".join((self.parameters.__doc__ or "").split())


def volume(cubic_meters: float) -> str:
    """A volume in words, in a unit that keeps it short."""
    for unit, size in (("km³", 1e9), ("million m³", 1e6)):
        if abs(cubic_meters) >= size / 10:
            return f"{cubic_meters / size:,.2f} {unit}"
    if abs(cubic_meters) < LEAST_VOLUME:
        return "0 m³"
    return f"{cubic_meters:,.0f} m³" if abs(cubic_meters) >= 10 else f"{cubic_meters:.3g} m³"
