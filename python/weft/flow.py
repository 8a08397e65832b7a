# SPDX-License-Identifier: BSD-3-Clause
"""Blood flow in a vessel: the program `weft flow` from Python (docs/python/flow.md)."""
from __future__ import annotations

import json
import math
import numbers
from typing import TYPE_CHECKING, Any

from weft import _case
from weft.errors import InputError

if TYPE_CHECKING:
    import numpy
    import pyvista

__all__ = ["Case", "Run"]


class Run(_case.Run):
    """A run of weft flow.

    Fields are NumPy arrays of this rank's sites, in SI units, in the order of the cells of this rank in the file
    ``fields_STEP.vtkhdf``, with the same bits. They are copies: the lattice stores lattice units, direction by
    direction. The run itself keeps pressure, velocity and positions of the last step (44 bytes per site), and the
    quantities of the case's ``output.quantities``.

    Inside `on_step` the fields are those that an output after the same step would have.
    """

    _session_class = "FlowSession"

    def _start(self, handle, on_step, every, output, restart, progress, quantities=("pressure", "velocity")):
        if isinstance(quantities, str):
            quantities = (quantities,)
        self._session.quantities = list(quantities)
        super()._start(handle, on_step, every, output, restart, progress)

    @property
    def pressure(self) -> numpy.ndarray:
        """numpy.ndarray : Pressure in Pa, shape (sites,), float64."""
        return self.field("pressure")

    @property
    def velocity(self) -> numpy.ndarray:
        """numpy.ndarray : Velocity in m/s, shape (sites, 3), float64."""
        return self.field("velocity")

    def field(self, name: str) -> numpy.ndarray:
        """A quantity at all sites of this rank.

        Parameters
        ----------
        name : str
            One of ``output.quantities`` of docs/keys.md. Inside `on_step`: one of the `quantities` of ``case.run()``;
            afterwards: ``pressure``, ``velocity``, or one of the case's ``output.quantities``.

        Returns
        -------
        numpy.ndarray
            float64, shape (sites,), (sites, 3) for a vector, (sites, 6) for the stress (XX YY ZZ XY YZ XZ), SI units. Not
            a number where a site has no value. A new copy.

        Raises
        ------
        InputError
            There is no such quantity, or the run does not keep it.
        """
        return self._session.field(name)

    @property
    def sites(self) -> numpy.ndarray:
        """numpy.ndarray : Integer coordinates of the sites in the lattice, shape (sites, 3), int32."""
        return self._session.sites()

    @property
    def positions(self) -> numpy.ndarray:
        """numpy.ndarray : Positions of the sites in m, shape (sites, 3), float64."""
        import numpy
        return numpy.asarray(self._session.origin) + self._session.voxel * self.sites

    @property
    def voxel(self) -> float:
        """float : Distance of the sites, m."""
        return self._session.voxel

    @property
    def time_step(self) -> float:
        """float : Duration of a step, s."""
        return self._session.time_step

    @property
    def time(self) -> float:
        """float : Simulated time of `step`, s."""
        return self._session.time

    def set_opening(self, name: str, value: float, ramp: float | None = None) -> None:
        """Changes the value that an opening prescribes, from the next step on; inside `on_step`.

        All ranks must make the same changes, otherwise the run ends with an InputError on all of them.

        Parameters
        ----------
        name : str
            The opening's name.
        value : float
            Mean velocity into the vessel in m/s for an opening with a velocity or flow, pressure in Pa for one with a
            pressure or windkessel, a share of the inflow for one with a share.
        ramp : float, optional
            Duration of the change in s. 0: in one step, for a model that changes the value a little in every call. None:
            a duration that hardly rings. See docs/view.md.

        Raises
        ------
        InputError
            There is no such opening, or the value is beyond the `limits`.
        """
        self._command({"do": "opening", "name": name, "value": value}, ramp)

    def set_viscosity(self, value: float, ramp: float | None = None) -> None:
        """Changes the dynamic viscosity, Pa s, as `set_opening`."""
        self._command({"do": "viscosity", "value": value}, ramp)

    def _command(self, command, ramp):
        if ramp is not None:
            command["ramp"] = ramp
        for key in ("value", "ramp"):
            if isinstance(number := command.get(key), numbers.Real) and not math.isfinite(number):
                raise InputError(f"The {key} of the command is {number:g} (a model may have diverged). Give a finite number.")
        self._session.command(json.dumps(command, default=float))

    @property
    def limits(self) -> dict[str, Any]:
        """dict : The values that `set_opening` and `set_viscosity` allow, inside `on_step`."""
        return json.loads(self._session.limits())

    def mesh(self) -> pyvista.UnstructuredGrid:
        """This rank's sites as a mesh of VTK, without a file in between.

        Returns
        -------
        pyvista.UnstructuredGrid
            A voxel around each site, in m, with the fields as cell data. Its arrays are copies.

        Raises
        ------
        ImportError
            pyvista is not installed.
        """
        vtk = _case.pyvista()
        mesh = self._session.mesh()
        grid = vtk.UnstructuredGrid({mesh["cell_type"]: mesh["cells"].astype("int64")}, mesh["points"])
        for name in self._kept():
            grid.cell_data[name] = self.field(name)
        return grid

    def _kept(self):
        if self.is_running:
            return self._session.quantities
        wanted = self.case.output.to_dict().get("quantities", [])
        return list(dict.fromkeys(["pressure", "velocity", *wanted]))


class Case(_case.Case[Run]):
    """A case of weft flow.

    Sections and keys are those of the case file (docs/keys.md), as attributes: ``case.fluid.viscosity``,
    ``case.inlet[0].velocity``, ``case.outlet["left"].pressure``. Values are those of the file: numbers, texts with a
    unit (``"4 mPa s"``), lists, dicts. The program's own reader checks each change at once.

    Parameters
    ----------
    source : path or dict
        A case file, or its content.
    name : str
        For a dict: stands for the file's name, in messages, title and output folder ``out/NAME``.
    folder : path, optional
        For a dict: where relative paths of the case start. None: the working directory.

    Raises
    ------
    InputError
        The program's own sentence, with file, line and key.
    """

    _program = "flow"
    _run_class = Run
    _lists = ("inlet", "outlet", "extract", "section", "compartment", "connection")
