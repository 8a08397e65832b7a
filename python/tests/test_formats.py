# SPDX-License-Identifier: BSD-3-Clause
"""docs/formats.md documents the files that programs write: names, columns, keys, datasets, and checkpoints to the byte."""
import csv
import json
import os
import re
import struct
import subprocess
import tempfile
import unittest
import zlib
from pathlib import Path

import h5py
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = [ROOT / f"build/{preset}/weft" for preset in ("mpich", "release")]
# Each word marked as code, with its folder and without.
MARKED = re.findall(r"`([^`\n]+)`", (ROOT / "docs/formats.md").read_text())
TOLD = {word for mark in MARKED for word in (mark, *mark.split("/"), mark.split(".")[0])}
RUNS = {
    "flow": ["examples/aneurysm/case.toml", "--steps", "4", "--trace", "--set", "surface.voxel=0.0004",
             "--set", "lattice.time_step=0.0001", "--set", "checkpoint.every=2", "--set", "pictures.every=4",
             "--set", "output.pictures=false"],
    "box": ["examples/box/suspension.toml", "--steps", "2", "--trace", "--set", "output.pictures=false",
            "--set", "box.size=[32, 24, 24]", "--set", "particles.count=5", "--set", "checkpoint.every=2",
            "--set", "monitor.convergence=true"],
    "wave": ["examples/wave/pulse.toml", "--steps", "2", "--set", "checkpoint.every=2", "--set", "domain.cells=[32, 32, 32]",
             "--set", "output.pictures=false"],
}


TRIANGLES = ["examples/aneurysm/case.toml", "--steps", "40", "--set", "surface.voxel=0.0004", "--set", "lattice.time_step=0.0001",
             "--set", "pictures.every=0", "--set", "output.pictures=false", "--set", "average.every=2", "--set",
             'extract=[{name="wss", shape="triangles", unit="surface", every=20, quantities=["pressure", "wall_shear_stress", '
             '"wall_shear_stress_magnitude", "mean_wall_shear_stress", "oscillatory_shear_index", "relative_residence_time"]}]']


def run(program, directory, options=None):
    weft = max((weft for weft in PROGRAMS if weft.exists()), key=lambda weft: weft.stat().st_mtime)  # the newest build
    command = [weft, program, *(options or RUNS[program]), "--out", directory, "--json", directory / "result.json"]
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, timeout=120, check=True)


def names_in(value):
    """All keys of a JSON document, except names from a case, and keys of a trace, whose format is not weft's."""
    if isinstance(value, list):
        return set().union(*map(names_in, value), set())
    if not isinstance(value, dict):
        return set()
    return set(value).union(*(names_in(v) for k, v in value.items() if k not in ("flow_m3_per_s", "pressure_pa")))


def header_of(test, bytes_, magic):
    """Checks a checkpoint's header and returns its length."""
    order, crc, length = struct.unpack_from("=IIQ", bytes_, 8)
    test.assertEqual((bytes_[:8], order, length % 4096), (magic, 0x01020304, 0))
    test.assertEqual(crc, zlib.crc32(bytes_[16:length]))
    return length


class Reader:
    def __init__(self, bytes_):
        self.bytes, self.at = bytes_, 24

    def get(self, form):
        values = struct.unpack_from("=" + form, self.bytes, self.at)
        self.at += struct.calcsize("=" + form)
        return values if len(values) != 1 else values[0]

    def text(self):
        return bytes(self.get(f"{self.get('Q')}s")).decode()


@unittest.skipUnless(any(weft.exists() for weft in PROGRAMS), "weft is not built (make build)")
class Formats(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.out = {program: Path(cls.folder.name) / program for program in RUNS}
        for program, directory in cls.out.items():
            run(program, directory)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def assert_told(self, names, where):
        self.assertTrue(names, where)
        self.assertEqual(set(), names - TOLD, f"docs/formats.md does not tell of these in {where}")

    def test_every_file_is_told(self):
        for program, directory in self.out.items():
            files = {re.sub(r"(^|_)\d+\.", r"\1STEP.", path.name) for path in directory.rglob("*") if path.is_file()}
            files -= {"result.json"}
            named = {name for name in files if name.partition(".")[0] + ".csv" in files and name.endswith(".json")}
            self.assert_told(files - named, program)

    def test_columns_and_keys_are_told(self):
        for program, directory in self.out.items():
            for path in directory.glob("*.csv"):
                with open(path, newline="", encoding="utf-8") as file:
                    columns = next(csv.reader(file))
                names = {re.sub(r"^(parent|left|right)", "", name) for name in columns}
                names -= {name for name in names if re.fullmatch(r".*_[yz]|blocks_[2-9]", name)}
                self.assert_told({name.lstrip("_") for name in names}, path.name)
                table = json.loads(path.with_suffix(".json").read_text())
                self.assertEqual((set(table), table["columns"]), ({"columns", "rows"}, columns))
        for program in RUNS:
            names = names_in(json.loads((self.out[program] / "result.json").read_text()))
            self.assert_told(names - {f"blocks_{level}" for level in range(2, 9)}, f"{program}'s result")
        for program in ("flow", "box"):
            trace = json.loads((self.out[program] / "trace.json").read_text())
            self.assertEqual({"displayTimeUnit", "traceEvents"}, set(trace))

    def test_datasets_are_told(self):
        for program, directory in self.out.items():
            with h5py.File(next(directory.glob("fields_*.vtkhdf"))) as file:
                names = set(file["VTKHDF"].attrs)
                file.visit(lambda path: names.update(re.sub(r"Level\d+", "LevelL", path).split("/")))
                self.assert_told(names, program)

    # vtkHDFReader of VTK 9.3, 9.4 and 9.7 also reads such a file: all its times, arrays and triangles.
    def test_triangles_of_flow(self):
        with open(ROOT / "examples/aneurysm/aneurysm.stl", "rb") as surface:
            corners = np.frombuffer(surface.read()[84:], np.dtype([("numbers", "<f4", (4, 3)), ("attribute", "<u2")]))["numbers"][:, 1:]
        run("flow", Path(self.folder.name) / "triangles", TRIANGLES)
        with h5py.File(Path(self.folder.name) / "triangles/wss.vtkhdf") as file:
            root, names = file["VTKHDF"], set(file["VTKHDF"].attrs) | set(file["VTKHDF/Steps"].attrs)
            file.visit(lambda path: names.update(path.split("/")))
            self.assert_told(names - {"wall_shear_stress_pa"}, "triangles")
            self.assertEqual((bytes(root.attrs["Type"]), root.attrs["Version"].tolist()), (b"PolyData", [2, 0]))
            steps, count = int(root["Steps"].attrs["NSteps"][0]), int(root["Polygons/NumberOfCells"][0])
            self.assertEqual((steps, len(root["Steps/Values"])), (2, 2))
            self.assertEqual(root["FieldData/step"][:steps].tolist(), [19, 39])
            np.testing.assert_allclose(root["Steps/Values"][:], [1.9e-3, 3.9e-3])
            triangles = root["Points"][:][root["Polygons/Connectivity"][:].reshape(-1, 3)]
            self.assertEqual(triangles.shape, (count, 3, 3))
            np.testing.assert_allclose(triangles, corners, rtol=1e-6)  # those of the STL file, in its unit and order
            values = {}
            for name, array in root["CellData"].items():
                self.assertEqual(root["Steps/CellDataOffsets"][name][:steps].tolist(), [0, count])
                values[name] = array[:steps * count].reshape(steps, count, -1)
            has_none = np.isnan(values["pressure_pa"])[..., 0]
            self.assertTrue(0 < has_none.mean() < 0.1, "caps have none")
            vector, magnitude = values["wall_shear_stress_pa"], values["wall_shear_stress_magnitude_pa"][..., 0]
            self.assertTrue(np.all(np.isnan(vector).any(axis=2) == has_none))
            self.assertTrue(np.all(np.linalg.norm(vector, axis=2)[~has_none] <= magnitude[~has_none] * (1 + 1e-9)))
            mean, index, residence = (values[name][..., 0][~has_none] for name in (
                "mean_wall_shear_stress_pa", "oscillatory_shear_index", "relative_residence_time_per_pa"))
            moves = np.isfinite(residence)
            self.assertGreater(moves.mean(), 0.5)
            np.testing.assert_allclose((residence * (1 - 2 * index) * mean)[moves], 1, rtol=1e-6)

    def test_checkpoint_of_flow(self):
        path = self.out["flow"] / "checkpoint_00000004.weft"
        data = path.read_bytes()
        length, r = header_of(self, data, b"weftFLO5"), Reader(data)
        self.assertEqual(r.get("q"), 4)
        self.assertIn("surface.voxel = 0.0004 m\n", r.text())
        q, blocks, sites, openings, walls, _, _, _, _, named = r.get("9qQ")
        r.get(f"2q6d{2 * named}d")
        for _ in range(r.get("Q")):
            r.get(f"7dq{named}d{named}q")
        json.loads(r.text())
        self.assertEqual((q, named, data[r.at:length].strip(b"\0")), (19, 3, b""))
        self.assertEqual(len(data), length + 16 * blocks + 8 * (q + 4) * sites + 80 * openings + 32 * walls)
        entries = [struct.unpack_from("=qII", data, length + 16 * k) for k in range(blocks)]
        self.assertEqual((entries, sum(e[1] for e in entries)), (sorted(entries), sites))
        values = length + 16 * blocks  # of the first block, whose length follows from its checksum
        at_openings = [n for n in range(entries[0][1] + 1)
                       if zlib.crc32(data[values:values + 8 * (q + 4) * entries[0][1] + 80 * n]) == entries[0][2]]
        self.assertEqual(len(at_openings), 1)

    def test_checkpoint_of_wave(self):
        data = (self.out["wave"] / "checkpoint_00000002.weft").read_bytes()
        length, r = header_of(self, data, b"weftAMR2"), Reader(data)
        self.assertEqual(r.get("q"), 2)
        r.get("d")
        along, _, n, _, _, fields = r.get("3i"), r.get("3B"), r.get("i"), r.get("3d"), r.get("d"), r.get("i")
        self.assertEqual((along, n, fields), ((32 // n,) * 3, n, 2))
        self.assertIn("wave.cfl = 0.4\n", r.text())
        entries = [r.get("4iI") for _ in range(r.get("Q"))]
        size = 8 * fields * n**3
        self.assertEqual(len(data), length + size * len(entries))
        self.assertEqual([e[4] for e in entries],
                         [zlib.crc32(data[length + size * k:length + size * (k + 1)]) for k in range(len(entries))])

    def test_checkpoint_of_box(self):
        data = (self.out["box"] / "checkpoint_00000002.weft").read_bytes()
        length, r = header_of(self, data, b"weftBOX2"), Reader(data)
        self.assertEqual(r.get("q"), 2)
        self.assertIn("box.size = [32, 24, 24]\n", r.text())
        step, *_ = r.get("q10d")
        self.assertEqual((step, r.get("B")), (0, 1))
        numbers, sums, gained = (r.get(f"{r.get('Q')}{form}") for form in "dqq")
        self.assertEqual((len(numbers), len(sums), len(gained)), (5 * 27, 5 * 9, 5 * 9))
        sites, size, checksum = r.get("3Q")
        self.assertEqual((sites, size, len(data)), (32 * 24 * 24, 8 * (19 + 3), length + sites * size))
        parts = [zlib.crc32(data[length + size * k:length + size * (k + 1)], zlib.crc32(struct.pack("=Q", k)))
                 for k in range(sites)]
        self.assertEqual(checksum, sum(parts) % 2**64)


if __name__ == "__main__":
    unittest.main()
