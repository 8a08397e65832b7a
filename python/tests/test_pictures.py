# SPDX-License-Identifier: BSD-3-Clause
"""python -m unittest discover -s python/tests (with ./python installed, or on PYTHONPATH)."""
import os
import struct
import subprocess
import sys
import unittest
from pathlib import Path
from unittest import mock

import h5py
import numpy as np

import bent_tube
import round_obstacle
from command import Command
from weft import pictures
from weft.errors import InputError
from weft.fields import last_fields, read_fields
from weft.plane import read_plane
from weft.view import best_view

NAMES = ("flow.png", "monitors.png", "ranks.png")


def png_size(path: Path) -> tuple[int, int]:
    head = path.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", head[16:24])


class Case(Command):
    module = pictures

    def setUp(self) -> None:
        super().setUp()
        self.folder /= "case"
        self.fields_file = self.folder / "fields_00000400.vtkhdf"
        self.write_output()

    def write_output(self) -> None:
        self.cells = bent_tube.write_output(self.folder)

    def run_main(self, *arguments: object) -> tuple[int, list[str], list[str]]:
        return super().run_main(self.folder, *arguments)


class Fields(Case):
    def test_lattice_is_recovered_from_two_pieces(self) -> None:
        fields = read_fields(self.fields_file)
        self.assertEqual(len(fields.index), self.cells)
        self.assertEqual(len(np.unique(fields.index, axis=0)), self.cells)
        self.assertTrue((fields.index.min(axis=0) == 0).all())
        self.assertAlmostEqual(fields.voxel, 2.5e-4)
        self.assertAlmostEqual(fields.time, 0.05)
        centre = fields.origin + (fields.index + 0.5) * fields.voxel
        off_axis = np.hypot(np.hypot(centre[:, 0], centre[:, 2]) - bent_tube.RING, centre[:, 1])
        expected = bent_tube.PEAK * (1 - (off_axis / bent_tube.RADIUS) ** 2)
        np.testing.assert_allclose(fields.speed, expected, atol=1e-5)

    def test_a_missing_extra_is_one_sentence(self) -> None:
        for missing in ("h5py", "matplotlib"):
            with self.subTest(missing), mock.patch.dict(sys.modules, {missing: None}):
                self.assertEqual(self.run_main(), (2, [], [f"weft.pictures: {missing} can't be imported. Install the extra: pip install "
                                                           "'weft-mpi[plots]'."]))

    def test_voxel_and_time_may_be_absent(self) -> None:
        with h5py.File(self.fields_file, "a") as file:
            del file["VTKHDF/FieldData"]
        fields = read_fields(self.fields_file)
        self.assertAlmostEqual(fields.voxel, 2.5e-4)
        self.assertTrue(np.isnan(fields.time))

    def test_last_is_the_highest_step(self) -> None:
        for step in (90, 1000):
            self.fields_file.with_name(f"fields_{step}.vtkhdf").touch()
        self.assertEqual(last_fields(self.folder).name, "fields_1000.vtkhdf")
        # An earlier run had more steps than the run that wrote the index.
        index = self.folder / "fields.vtkhdf.series"
        index.write_text('{"files": [{"name": "fields_400.vtkhdf"}, {"name": "fields_00000400.vtkhdf"}]}')
        self.assertEqual(last_fields(self.folder), self.fields_file)
        for text, wrong in (('{"files": []}', "no index"), ("{", "no index"), ('{"files": [{"name": "fields_7.vtkhdf"}]}', "fields_7")):
            index.write_text(text)
            with self.assertRaisesRegex(InputError, wrong):
                last_fields(self.folder)

    def test_view_looks_across_the_bend(self) -> None:
        view = best_view(read_fields(self.fields_file))
        np.testing.assert_allclose(np.abs(np.cross(view.right, view.up)), [0, 1, 0], atol=0.05)
        np.testing.assert_allclose(view.up, [0, 0, 1], atol=0.05)
        area = view.silhouette.sum() * view.pixel**2
        ring = np.pi / 4 * ((bent_tube.RING + bent_tube.RADIUS) ** 2 - (bent_tube.RING - bent_tube.RADIUS) ** 2)
        self.assertLess(abs(area / ring - 1), 0.1)


class Pictures(Case):
    def test_three_pictures_and_nothing_else(self) -> None:
        before = set(os.listdir(self.folder))
        status, out, err = self.run_main("--title", "Bent tube")
        self.assertEqual((status, err), (0, []))
        self.assertEqual(out, [str(self.folder / name) for name in NAMES])
        self.assertEqual(set(os.listdir(self.folder)) - before, set(NAMES))
        for name, width in zip(NAMES, (2100, 1800, 1800)):
            size = png_size(self.folder / name)
            self.assertEqual(size[0], width, name)
            self.assertGreater(size[1], 600, name)
            self.assertGreater((self.folder / name).stat().st_size, 20_000, name)

    def test_a_flow_at_rest_and_no_pressure_column(self) -> None:
        with h5py.File(self.fields_file, "a") as file:
            file["VTKHDF/CellData/velocity"][:] = 0
            file["VTKHDF/CellData/pressure"][:] = 0
        (self.folder / "monitors.csv").write_text(
            "step,time_s,density_min,density_max,mach_max,mass_kg,relative_change,in_flow_m3_per_s\n"
            "0,0,1,1,0,1e-4,0,0\n")
        self.assertEqual(self.run_main()[0], 0)

    def test_as_a_command(self) -> None:
        import weft
        environment = dict(os.environ, PYTHONPATH=str(Path(weft.__file__).parents[1]))
        result = subprocess.run([sys.executable, "-m", "weft.pictures", str(self.folder / "nowhere")],
                                capture_output=True, text=True, env=environment, check=False)
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertEqual(len(result.stderr.splitlines()), 1)
        self.assertIn("not a directory", result.stderr)


class BadInput(Case):
    def test_no_monitors(self) -> None:
        (self.folder / "monitors.csv").unlink()
        self.check_refused("monitors.csv", "No such file")

    def test_a_short_row(self) -> None:
        with open(self.folder / "monitors.csv", "a", encoding="utf-8") as file:
            file.write("400,0.4\n")
        self.check_refused("Row 42", "2 values")

    def test_a_missing_column(self) -> None:
        (self.folder / "monitors.csv").write_text("step,time_s\n0,0\n")
        self.check_refused("density_min")

    def test_not_a_number(self) -> None:
        text = (self.folder / "monitors.csv").read_text()
        (self.folder / "monitors.csv").write_text(text.replace("0.01", "zero", 1))
        self.check_refused("monitors.csv", "zero")

    def test_no_fields(self) -> None:
        self.fields_file.unlink()
        self.check_refused("fields_*.vtkhdf")

    def test_not_hdf5(self) -> None:
        self.fields_file.write_bytes(b"not a field")
        self.check_refused("fields_00000400.vtkhdf")

    def test_no_velocity(self) -> None:
        with h5py.File(self.fields_file, "a") as file:
            del file["VTKHDF/CellData/velocity"]
        self.check_refused("velocity")

    def test_a_short_array(self) -> None:
        with h5py.File(self.fields_file, "a") as file:
            del file["VTKHDF/CellData/pressure"]
            file["VTKHDF/CellData/pressure"] = np.zeros(3)
        self.check_refused("pressure has shape (3,)")

    def test_a_point_that_is_not_there(self) -> None:
        with h5py.File(self.fields_file, "a") as file:
            file["VTKHDF/Connectivity"][-8] = 10**9
        self.check_refused("fields_00000400.vtkhdf")

    def test_a_run_that_diverged(self) -> None:
        with h5py.File(self.fields_file, "a") as file:
            file["VTKHDF/CellData/velocity"][7, 1] = np.nan
        self.check_refused("diverged")


class Boxes(Case):
    def write_output(self) -> None:
        round_obstacle.write_output(self.folder, (60, 33, 9))

    def check_pictures(self, *names: str) -> None:
        status, out, err = self.run_main("--title", "Cylinder")
        self.assertEqual((status, err), (0, []))
        self.assertEqual(out, [str(self.folder / name) for name in names])
        self.assertEqual({name for name in os.listdir(self.folder) if name.endswith(".png")}, set(names))
        for name in names:
            self.assertGreater(min(png_size(self.folder / name)), 300, name)
            self.assertGreater((self.folder / name).stat().st_size, 20_000, name)

    def test_the_middle_plane_is_read(self) -> None:
        plane = read_plane(self.fields_file)
        self.assertEqual((plane.step, plane.z, plane.depth), (400, 4, 9))
        self.assertEqual(plane.velocity.shape, (33, 60, 3))
        self.assertTrue(plane.solid[16, 20] and not plane.solid[16, 30])
        self.assertAlmostEqual(plane.speed[16, 59], round_obstacle.FAR * (1 - (6 / 39)**2) * (1 - 4 / 18))
        self.assertTrue(plane.speed.mask[16, 20])

    def test_a_slice_and_monitors(self) -> None:
        self.check_pictures("slice.png", "monitors.png")

    def test_two_dimensions_and_no_monitors(self) -> None:
        (self.folder / "monitors.csv").unlink()
        round_obstacle.write_fields(self.fields_file, (33, 120))
        self.assertEqual(read_plane(self.fields_file).depth, 1)
        self.check_pictures("slice.png")

    def test_a_box_at_rest(self) -> None:
        with h5py.File(self.fields_file, "a") as file:
            file["VTKHDF/PointData/velocity"][:] = 0
        self.check_pictures("slice.png", "monitors.png")

    def test_a_solid_site_may_hold_anything(self) -> None:
        with h5py.File(self.fields_file, "a") as file:
            file["VTKHDF/PointData/velocity"][4, 16, 20] = np.nan
        self.check_pictures("slice.png", "monitors.png")

    def test_a_run_that_diverged(self) -> None:
        with h5py.File(self.fields_file, "a") as file:
            file["VTKHDF/PointData/velocity"][4, 16, 30] = np.nan
        self.check_refused("diverged")

    def test_a_wrong_shape(self) -> None:
        with h5py.File(self.fields_file, "a") as file:
            del file["VTKHDF/PointData/density"]
            file["VTKHDF/PointData/density"] = np.zeros((33, 60))
        self.check_refused("density has shape (33, 60)")

    def test_no_velocity(self) -> None:
        with h5py.File(self.fields_file, "a") as file:
            del file["VTKHDF/PointData/velocity"]
        self.check_refused("velocity")

    def test_nothing_but_solid(self) -> None:
        with h5py.File(self.fields_file, "a") as file:
            file["VTKHDF/PointData/solid"][4] = 1
        self.check_refused("no fluid")

    def test_a_missing_column(self) -> None:
        (self.folder / "monitors.csv").write_text("step,density_min\n0,1\n")
        self.check_refused("speed_max")


if __name__ == "__main__":
    unittest.main()
