# SPDX-License-Identifier: BSD-3-Clause
"""A fluid with solid particles in a box: the program `weft box` from Python (docs/python/box.md)."""
from __future__ import annotations

from typing import TYPE_CHECKING

from weft import _case

if TYPE_CHECKING:
    import numpy
    import pyvista

__all__ = ["Case", "Run"]


class Run(_case.Run):
    """A run of weft box, in lattice units.

    Fields are NumPy arrays of this rank's block, indexed [x, y, z] (two-dimensional boxes: [x, y]), with the same bits
    as in ``fields_STEP.vtkhdf`` (which is indexed the other way around). They are copies, computed from the
    populations. The run itself keeps those of the last step.
    """

    _session_class = "BoxSession"

    @property
    def density(self) -> numpy.ndarray:
        """numpy.ndarray : Density, shape (x, y, z), float64; 0 in particles."""
        return self._session.field("density")

    @property
    def pressure(self) -> numpy.ndarray:
        """numpy.ndarray : Pressure, a third of the density, shape (x, y, z), float64; 0 in particles."""
        return self.density / 3

    @property
    def velocity(self) -> numpy.ndarray:
        """numpy.ndarray : Velocity in sites per step, shape (x, y, z, 3), float64; 0 in particles."""
        return self._session.field("velocity")

    @property
    def solid(self) -> numpy.ndarray:
        """numpy.ndarray : 1 in particles, 0 in the fluid, shape (x, y, z), uint8."""
        return self._session.field("solid")

    @property
    def first(self) -> tuple[int, ...]:
        """tuple of int : The position of this rank's first site in the box."""
        return tuple(self._session.first)

    @property
    def size(self) -> tuple[int, ...]:
        """tuple of int : The sites of the whole box along each axis."""
        return tuple(self._session.extent)

    @property
    def positions(self) -> numpy.ndarray:
        """numpy.ndarray : Positions of this rank's sites in the box, shape (x, y, z, 3), float64."""
        import numpy
        axes = [first + numpy.arange(count, dtype=float) for first, count in zip(self.first, self._session.count)]
        return numpy.stack(numpy.meshgrid(*axes, indexing="ij"), axis=-1)

    @property
    def particles(self) -> dict[str, numpy.ndarray]:
        """dict of str to numpy.ndarray : Of all particles, on every rank.

        `position`, `velocity` and `spin` of shape (particles, 3), `radius` of shape (particles,).
        """
        return self._session.particles()

    def mesh(self) -> pyvista.ImageData:
        """This rank's block as an image of VTK, without a file in between.

        Returns
        -------
        pyvista.ImageData
            A point per site, with density, velocity and solid as point data. Its arrays are copies.

        Raises
        ------
        ImportError
            pyvista is not installed.
        """
        import numpy
        vtk = _case.pyvista()
        count = tuple(self._session.count)
        missing = 3 - len(count)
        image = vtk.ImageData(dimensions=count + (1,) * missing, origin=self.first + (0,) * missing)
        for name in ("density", "solid"):
            image.point_data[name] = self._session.field(name).ravel(order="F")
        velocity = self.velocity
        image.point_data["velocity"] = numpy.stack([velocity[..., d].ravel(order="F") for d in range(3)], axis=-1)
        return image


class Case(_case.Case[Run]):
    """A case of weft box.

    Sections and keys are those of the case file (docs/keys.md), as attributes: ``case.lattice.viscosity``,
    ``case.box.size``. The program's own reader checks each change at once. Parameters and errors as those of
    weft.flow.Case.
    """

    _program = "box"
    _run_class = Run
    _lists = ("particle",)
