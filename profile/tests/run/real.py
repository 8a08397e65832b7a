#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""weft run with unmodified MPI programs from Debian. A program that is not installed is skipped.

    real.py WEFT_RUN

Debian: lammps, quantum-espresso, hpcc, netpipe-openmpi, python3-mpi4py.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

WEFT_RUN = sys.argv[1]
LENNARD_JONES = """units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 8 0 8 0 8
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify delay 0 every 20 check no
fix 1 all nve
thermo 20
run 100
"""
SILICON_POTENTIAL = "/usr/share/espresso/pseudo/Si.pz-vbc.UPF"
SILICON = """&control
 calculation='scf', prefix='si', pseudo_dir='/usr/share/espresso/pseudo', outdir='.'
/
&system
 ibrav=2, celldm(1)=10.2, nat=2, ntyp=1, ecutwfc=12.0
/
&electrons
/
ATOMIC_SPECIES
 Si 28.086 Si.pz-vbc.UPF
ATOMIC_POSITIONS alat
 Si 0 0 0
 Si 0.25 0.25 0.25
K_POINTS automatic
 2 2 2 1 1 1
"""
PYTHON = """from mpi4py import MPI
import array
comm = MPI.COMM_WORLD
there = comm.size - 1 - comm.rank
out, into = array.array("d", [comm.rank] * 1000), array.array("d", [0] * 1000)
for step in range(100):
    requests = [comm.Irecv(into, there), comm.Isend(out, there)]
    total = sum(out)
    MPI.Request.Waitall(requests)
    total = comm.allreduce(total)
if comm.rank == 0:
    print("total", total)
"""


class Programs(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.launcher = shutil.which("mpirun.openmpi") or self.skipTest("Open MPI's mpirun is not installed")

    def need(self, program):
        return shutil.which(program) or self.skipTest(f"{program} is not installed")

    def run_both(self, *words, ranks=2, same=r".*"):
        """Runs the program plainly and with weft run. The lines that match `same` must be identical. Returns the report."""
        env = dict(os.environ, OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_mpi_yield_when_idle="1")
        command = [self.launcher, "-n", str(ranks), *map(str, words)]
        runs = [subprocess.run(c, cwd=self.folder, env=env, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
                for c in (command, [WEFT_RUN, "--", *command])]
        for run in runs:
            self.assertEqual(run.returncode, 0, run.stderr + run.stdout)
        plain, watched = ([line for line in run.stdout.splitlines() if re.search(same, line)] for run in runs)
        self.assertEqual(plain, watched)
        self.assertTrue(plain)
        self.assertTrue((self.folder / "weft_run.html").exists())
        report = json.loads((self.folder / "weft_run.json").read_text())
        self.assertEqual((report["ranks"], report["ended"]), (ranks, "finalize"))
        self.assertGreater(sum(site["calls"] for site in report["sites"]), 100)
        return report

    def calls(self, report):
        return {site["call"] for site in report["sites"]}

    def test_lammps(self):
        program = self.need("lmp")
        (self.folder / "in.lj").write_text(LENNARD_JONES)
        report = self.run_both(program, "-in", "in.lj", "-log", "none", same=r"^ +\d+ +[\d.]+ +-")
        self.assertGreater(report["mean"]["steps"], 50)
        self.assertLessEqual({"MPI_Send", "MPI_Irecv", "MPI_Wait"}, self.calls(report))

    def test_quantum_espresso(self):
        program = self.need("pw.x")
        if not pathlib.Path(SILICON_POTENTIAL).exists():
            self.skipTest(f"{SILICON_POTENTIAL} is not installed (package quantum-espresso-data)")
        (self.folder / "si.in").write_text(SILICON)
        report = self.run_both(program, "-in", "si.in", same=r"energy|estimated scf")
        self.assertLessEqual({"MPI_Alltoall", "MPI_Barrier"}, self.calls(report))

    def test_hpcc(self):
        program = self.need("hpcc")
        sample = pathlib.Path("/usr/share/doc/hpcc/examples/_hpccinf.txt")
        if not sample.exists():
            self.skipTest("hpcc has no sample input file")
        text = re.sub(r"^1000 .*", "400 Ns", sample.read_text(), flags=re.M)
        (self.folder / "hpccinf.txt").write_text(text)
        env = dict(os.environ, OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_mpi_yield_when_idle="1")
        run = subprocess.run([WEFT_RUN, "--no-trace", "--", self.launcher, "-n", "4", program], cwd=self.folder, env=env,
                             capture_output=True, text=True, timeout=200, stdin=subprocess.DEVNULL)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("Success=1", (self.folder / "hpccoutf.txt").read_text())
        self.assertIn("Most time in MPI calls", run.stderr)

    def test_netpipe(self):
        program = self.need("NPopenmpi")
        env = dict(os.environ)
        run = subprocess.run([WEFT_RUN, "--no-trace", "--", self.launcher, "-n", "2", program, "-u", "4096"], cwd=self.folder, env=env,
                             capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("Most time in MPI calls", run.stderr)

    def test_mpi4py(self):
        python = next((p for p in ("/usr/bin/python3", sys.executable)
                       if subprocess.run([p, "-c", "import mpi4py"], capture_output=True).returncode == 0), None)
        if python is None:
            self.skipTest("mpi4py is not installed")
        (self.folder / "t.py").write_text(PYTHON)
        report = self.run_both(python, "t.py", same="total")
        self.assertGreater(report["mean"]["messages"], 0)
        self.assertIn("t.py:9 <module>", {site["place"] for site in report["sites"] if site["call"] == "MPI_Waitall"})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
