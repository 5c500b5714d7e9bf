# SPDX-License-Identifier: GPL-3.0-or-later
"""Orders of the commands that do not erode: make, convert, analyze, rivers."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...base.errors import InputError
from ...base.parameters import specifications
from ...drainage.parameters import AnalysisParameters, CutParameters, RiverParameters
from ...files.export import Layout
from ...files.reading.record import Range
from .orders import LandOrder, MapsOrder, Mask


@dataclass(frozen=True)
class MakeOrder:
    """Arguments of `make`. size: (rows, cols). cell_size: m, None for the kind's."""

    kind: str
    output: Path
    size: tuple[int, int]
    cell_size: float | None
    seed: int
    values: Mapping[str, Any]
    maps: MapsOrder
    quiet: bool

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> "MakeOrder":
        """From the parsed arguments."""
        return cls(
            kind=arguments.kind,
            output=arguments.output,
            size=arguments.size,
            cell_size=arguments.cell_size,
            seed=arguments.seed,
            values=dict(arguments.set),
            maps=MapsOrder.of(arguments),
            quiet=arguments.quiet,
        )

    @property
    def files(self) -> list[str]:
        """Files that the values may name, which no output may replace."""
        return [value for value in self.values.values() if isinstance(value, str)]


@dataclass(frozen=True)
class ConvertOrder:
    """Arguments of `convert`."""

    land: LandOrder
    output: Path
    layout: Layout
    quiet: bool

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> "ConvertOrder":
        """From the parsed arguments."""
        layout = Layout(
            arguments.engine or "",
            arguments.size,
            arguments.tiles,
            arguments.height_range,
            arguments.flip,
        )
        return cls(
            land=LandOrder.of(arguments),
            output=arguments.output,
            layout=layout,
            quiet=arguments.quiet,
        )


@dataclass(frozen=True)
class AnalyzeOrder:
    """Arguments of `analyze`."""

    land: LandOrder
    outlets: Path | None
    edges: str
    parameters: AnalysisParameters
    report: Path | None
    plot: Path | None
    maps: Path | None
    tif_maps: bool
    threads: int
    quiet: bool

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> "AnalyzeOrder":
        """From the parsed arguments; InputError for values out of range."""
        values = {"channel_area": arguments.channel_area}
        if arguments.sea_level is not None:
            values |= {"sea": True, "sea_level": arguments.sea_level}
        return cls(
            land=LandOrder.of(arguments),
            outlets=arguments.outlets,
            edges=arguments.edges,
            parameters=AnalysisParameters.from_dict(values),
            report=arguments.report,
            plot=arguments.plot,
            maps=arguments.maps,
            tif_maps=arguments.tif_maps,
            threads=arguments.threads or 0,
            quiet=arguments.quiet,
        )

    @property
    def inputs(self) -> list[Path]:
        """Files that no output may replace."""
        return [*self.land.files, *([self.outlets] if self.outlets else [])]


@dataclass(frozen=True)
class RiversOrder:
    """Arguments of `rivers`. carve: heightmap to write with carved beds, height_range: m of its
    black and white.
    """

    land: LandOrder
    outputs: Sequence[Path]
    masks: Sequence[Mask]
    carve: Path | None
    height_range: Range | None
    edges: str
    headwaters: Path | None
    outlets: Path | None
    parameters: RiverParameters
    beds: CutParameters
    threads: int
    quiet: bool

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> "RiversOrder":
        """From the parsed arguments; InputError for settings of beds without `--carve`."""
        names = specifications(CutParameters)
        of_beds = {name: value for name, value in arguments.set if name in names}
        if of_beds and not arguments.carve:
            raise InputError(
                f"--set {' '.join(of_beds)} is for carved beds; name a heightmap for them with "
                "--carve."
            )
        of_rivers = {name: value for name, value in arguments.set if name not in names}
        return cls(
            land=LandOrder.of(arguments),
            outputs=[arguments.output, *arguments.also],
            masks=arguments.mask,
            carve=arguments.carve,
            height_range=arguments.height_range,
            edges=arguments.edges,
            headwaters=arguments.headwaters,
            outlets=arguments.outlets,
            parameters=RiverParameters.from_dict(of_rivers),
            beds=CutParameters.from_dict(of_beds),
            threads=arguments.threads or 0,
            quiet=arguments.quiet,
        )

    @property
    def inputs(self) -> list[Path]:
        """Files that no output may replace."""
        return [*self.land.files, *(path for path in (self.headwaters, self.outlets) if path)]
