# SPDX-License-Identifier: BSD-3-Clause
"""Waves in a box with adaptive mesh refinement: the program `weft wave` from Python (docs/python/wave.md)."""
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft import _case
from weft._shown import in_html

if TYPE_CHECKING:
    import numpy
    import pyvista

__all__ = ["Block", "Case", "Run"]


@dataclass(frozen=True, repr=False)
class Block:
    """A block of this rank.

    Attributes
    ----------
    level : int
        0: the coarsest.
    index : tuple of int
        Its position among the blocks of its level, along x, y, z.
    origin : tuple of float
        Its low corner.
    spacing : float
        The edge of its cells.
    refined : bool
        Whether finer blocks cover it, whose values are the better ones.
    u, v : numpy.ndarray
        The wave and its rate of change in the cells, shape (cells, cells, cells), float64, indexed [z, y, x]. Read-only
        views of the run's memory without a copy, which they keep alive: inside `on_step` they hold the present values,
        and later steps overwrite them (and another mesh may use the memory for another block). After the run they hold
        those of the last step.
    """

    level: int
    index: tuple[int, int, int]
    origin: tuple[float, float, float]
    spacing: float
    refined: bool
    u: numpy.ndarray
    v: numpy.ndarray

    def __repr__(self) -> str:
        return f"<weft.wave.Block {self.index} of level {self.level}{', refined' if self.refined else ''}>"

    _repr_html_ = in_html


class Run(_case.Run):
    """A run of weft wave, without units. Its fields are in `blocks`."""

    _session_class = "WaveSession"

    @property
    def blocks(self) -> list[Block]:
        """list of Block : The blocks of this rank, coarse levels first, as in ``fields_STEP.vtkhdf``."""
        return [Block(**block) for block in self._session.blocks()]

    @property
    def time_step(self) -> float:
        """float : Duration of a step."""
        return self._session.time_step

    @property
    def time(self) -> float:
        """float : Simulated time of `step`."""
        return self._session.time

    @property
    def positions(self) -> list[numpy.ndarray]:
        """list of numpy.ndarray : For each of `blocks` the centres of its cells, shape (cells, cells, cells, 3), indexed
        [z, y, x], float64."""
        import numpy
        centres = []
        for block in self.blocks:
            x, y, z = (low + block.spacing * (numpy.arange(self._session.cells) + 0.5) for low in block.origin)
            grid = numpy.meshgrid(z, y, x, indexing="ij")
            centres.append(numpy.stack(grid[::-1], axis=-1))
        return centres

    def mesh(self) -> pyvista.MultiBlock:
        """This rank's blocks as images of VTK, without a file in between.

        Returns
        -------
        pyvista.MultiBlock
            An ImageData per block, with u and v as cell data (copies), and `vtkGhostType`, which is 8 where finer blocks
            cover it.

        Raises
        ------
        ImportError
            pyvista is not installed.
        """
        import numpy
        vtk = _case.pyvista()
        meshes = vtk.MultiBlock()
        for block in self.blocks:
            cells = self._session.cells
            image = vtk.ImageData(dimensions=(cells + 1,) * 3, spacing=(block.spacing,) * 3, origin=block.origin)
            image.cell_data["u"], image.cell_data["v"] = block.u.ravel(), block.v.ravel()
            image.cell_data["vtkGhostType"] = numpy.full(cells**3, 8 if block.refined else 0, dtype="uint8")
            meshes.append(image, f"level {block.level}, block {block.index}")
        return meshes


class Case(_case.Case[Run]):
    """A case of weft wave.

    Sections and keys are those of the case file (docs/keys.md), as attributes: ``case.wave.cfl``,
    ``case.pulse[0].width``. The program's own reader checks each change at once. Parameters and errors as those of
    weft.flow.Case.
    """

    _program = "wave"
    _run_class = Run
    _lists = ("pulse", "region")
