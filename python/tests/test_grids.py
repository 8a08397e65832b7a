# SPDX-License-Identifier: BSD-3-Clause
"""python -m unittest discover -s python/tests (with ./python installed, or on PYTHONPATH)."""
import struct
import unittest
from pathlib import Path

import h5py
import numpy as np

import ring_wave
from command import Command
from weft import pictures
from weft.grids_figure import edges_of
from weft.hierarchy import read_slice


class Grids(Command):
    module = pictures

    def setUp(self) -> None:
        super().setUp()
        self.folder /= "wave"
        self.blocks = ring_wave.write_output(self.folder)
        self.file = self.folder / "fields_00000024.vtkhdf"

    def run_main(self) -> tuple:
        return super().run_main(self.folder, "--title", "Wave")

    def test_every_pixel_is_of_the_finest_cell_there(self) -> None:
        plane = read_slice(self.file)
        n = 6 * ring_wave.CELLS * 4
        self.assertEqual((plane.values.shape, plane.step, plane.time), ((n, n), 24, 0.3))
        np.testing.assert_allclose(plane.extent, (0, 1, 0, 1))
        self.assertEqual(set(np.unique(plane.level)), {0, 1, 2})
        rows, columns = np.indices((n, n))
        h = 2.0**(2 - plane.level) / n
        x, y = ((np.floor((at + 0.5) / n / h) + 0.5) * h for at in (columns, rows))
        np.testing.assert_allclose(plane.values, ring_wave.exact(x, y, 0.5 + 0.5 * h), atol=1e-12)
        for level, blocks in enumerate(plane.blocks):
            above = ring_wave.CELLS * (1 / (48 << level)) * self.blocks[level][:, 2]
            self.assertEqual(len(blocks), np.sum((above <= 0.5) & (0.5 < above + ring_wave.CELLS / (48 << level))))

    def test_shared_sides_are_drawn_once(self) -> None:
        self.assertEqual(len(edges_of(np.array([[0, 1, 0, 1], [1, 2, 0, 1]]))), 7)
        self.assertEqual(len(edges_of(np.empty((0, 4)))), 0)

    def test_a_picture_and_nothing_else(self) -> None:
        before = {path.name for path in self.folder.iterdir()}
        status, out, err = self.run_main()
        self.assertEqual((status, out, err), (0, [str(self.folder / "grids.png")], []))
        self.assertEqual({path.name for path in self.folder.iterdir()} - before, {"grids.png"})
        head = (self.folder / "grids.png").read_bytes()[:24]
        self.assertGreater(min(struct.unpack(">II", head[16:24])), 800)

    def test_one_level_at_rest(self) -> None:
        ring_wave.write_fields(self.file, levels=1, base=(4, 2, 1))
        with h5py.File(self.file, "a") as file:
            file["VTKHDF/Level0/CellData/u"][:] = 0
        self.assertEqual(self.run_main()[0], 0)

    def test_a_wave_that_diverged(self) -> None:
        with h5py.File(self.file, "a") as file:
            file["VTKHDF/Level2/CellData/u"][:] = np.inf
        self.check_refused("diverged")

    def test_no_u(self) -> None:
        with h5py.File(self.file, "a") as file:
            del file["VTKHDF/Level1/CellData/u"]
        self.check_refused("fields_00000024.vtkhdf", "'u'")

    def test_a_short_array(self) -> None:
        with h5py.File(self.file, "a") as file:
            del file["VTKHDF/Level1/CellData/u"]
            file["VTKHDF/Level1/CellData/u"] = np.zeros(5)
        self.check_refused("u of level 1 has shape (5,)")

    def test_no_boxes(self) -> None:
        with h5py.File(self.file, "a") as file:
            del file["VTKHDF/Level0/AMRBox"]
            file["VTKHDF/Level0/AMRBox"] = np.zeros((3, 5))
        self.check_refused("AMRBox of Level0")


if __name__ == "__main__":
    unittest.main()
