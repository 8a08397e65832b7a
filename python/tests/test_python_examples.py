# SPDX-License-Identifier: BSD-3-Clause
"""The programs of examples/python with a twin in plain mpi4py: both compute the same, and what is known exactly."""
import re
import subprocess
import sys
import textwrap
import unittest

from binding import ROOT, Case, environment, needs_module, run

EXAMPLES = ROOT / "examples/python"
PAIRS = ("heat", "particles", "navier_stokes", "poisson")
PREFACE = f"""
import sys
import numpy as np
from mpi4py import MPI
import weft
sys.path.insert(0, {str(EXAMPLES)!r})
comm = MPI.COMM_WORLD


def whole(shape, block, values):
    all_values = np.zeros(shape)
    all_values[(..., *block)] = values
    return comm.allreduce(all_values)


def check(is_right, *told):
    '''On all ranks: none waits for one that has failed.'''
    assert comm.allreduce(bool(is_right), MPI.LAND), told
"""


@needs_module
class Pairs(Case):
    def test_each_program_has_a_twin(self):
        twins = {file.stem.removesuffix("_mpi4py") for file in EXAMPLES.glob("*_mpi4py.py")}
        self.assertEqual(twins, set(PAIRS))

    def on_1_2_4(self, code):
        for ranks in (1, 2, 4):
            with self.subTest(ranks=ranks):
                self.ok(code, ranks, preface=PREFACE)

    def test_heat_is_that_of_the_twin_bit_by_bit_and_decays_as_the_scheme_does(self):
        self.on_1_2_4("""
            import heat, heat_mpi4py
            block, mine, times, report = heat.solve(50, 30)
            twins_block, theirs, twins_seconds = heat_mpi4py.solve(50, 30)
            u, v = whole((50, 50), block, mine), whole((50, 50), twins_block, theirs)
            check(np.array_equal(u, v), abs(u - v).max())
            exact = heat.decay(50, 30) * heat.wave(50, (slice(0, 50), slice(0, 50)))
            check(abs(u - exact).max() < 1e-14 and 0 < report.step_seconds <= times[2] * 1.01 + 1e-3)
            """)

    def test_heat_does_not_depend_on_the_progress_mode(self):
        self.on_1_2_4("""
            import heat
            a, b = heat.solve(40, 10, progress="passive"), heat.solve(40, 10, progress="thread")
            check(np.array_equal(a[1], b[1]))
            """)

    def test_poisson_is_that_of_the_twin_and_converges_to_the_solution(self):
        self.on_1_2_4("""
            import poisson, poisson_mpi4py
            errors = []
            for cells in (12, 24):
                (mesh, u, steps, *_), (_, twins, twins_steps, _) = poisson.solve(cells), poisson_mpi4py.solve(cells)
                check(abs(steps - twins_steps) <= 1 and np.allclose(u, twins, rtol=0, atol=1e-8), steps, twins_steps)
                exact = poisson.solution(mesh.x, mesh.y)[:len(u)]
                errors.append(comm.allreduce(abs(u - exact).max(initial=0), MPI.MAX))
            check(errors[1] < 3e-3 and 3 < errors[0] / errors[1] < 6, errors)  # of second order
            """)

    def test_particles_are_those_of_the_twin_and_keep_number_and_momentum(self):
        self.on_1_2_4("""
            import particles, particles_mpi4py
            mine, theirs = particles.solve(5000, 40)[0], particles_mpi4py.solve(5000, 40)[0]
            check(len(mine) == len(theirs) and np.allclose(mine, theirs, rtol=0, atol=1e-12))  # sums have another order
            first = particles.create(5000, 0, particles.CELLS)
            check(comm.allreduce(len(mine)) == 5000)
            check(np.allclose(comm.allreduce(mine[:, 2:].sum(axis=0)), first[:, 2:].sum(axis=0), rtol=0, atol=1e-9))
            strip = (mine[:, 0] * particles.CELLS).astype(int)
            check((strip >= comm.rank * particles.CELLS // comm.size).all())
            """)

    def test_particles_do_not_depend_on_the_number_of_ranks(self):
        code = """
            import particles
            rows = particles.solve(2000, 20)[0]
            energy = comm.allreduce((rows[:, 2:] ** 2).sum())
            if comm.rank == 0:
                print(f"energy {float(energy)!r}\\n", end="", flush=True)  # at once: ranks share the terminal
            """
        found = [float(re.search(r"energy ([\d.]+)", self.ok(code, n, preface=PREFACE))[1]) for n in (1, 2, 4)]
        self.assertAlmostEqual(found[0], found[1], delta=1e-9 * found[0])
        self.assertAlmostEqual(found[0], found[2], delta=1e-9 * found[0])

    def test_navier_stokes_is_that_of_the_twin_and_decays_exactly(self):
        self.on_1_2_4("""
            if not hasattr(weft, "Fft"):
                print("ok")
                raise SystemExit
            import navier_stokes, navier_stokes_mpi4py
            n = 16
            for waves in (0, 1):
                block, mine = navier_stokes.solve(n, 5, waves)[:2]
                twins_block, theirs = navier_stokes_mpi4py.solve(n, 5, waves)[:2]
                u, v = whole((3, n, n, n), block, mine), whole((3, n, n, n), twins_block, theirs)
                check(abs(u - v).max() < 1e-13, abs(u - v).max())
                exact = navier_stokes.decay(5) * navier_stokes.vortex(n, (slice(0, n),) * 3)
                check((abs(u - exact).max() < 1e-13) == (waves == 0), (waves, abs(u - exact).max()))
            """)


@needs_module
class Programs(unittest.TestCase):
    def test_print_the_time_per_step_and_the_overlap_fraction(self):
        for name in PAIRS:
            for program in (name, f"{name}_mpi4py"):
                with self.subTest(program):
                    if name == "navier_stokes" and run('import weft\nprint(hasattr(weft, "Fft"))\n', 0).stdout.startswith("False"):
                        continue
                    done = run(str(EXAMPLES / f"{program}.py"), 2, arguments=("--points", "64" if name == "heat" else "32", "--steps", "3"))
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    self.assertRegex(done.stdout, r"\d ms per step")
                    self.assertEqual("overlap fraction" in done.stdout, program == name, done.stdout)


@needs_module
class Bench(unittest.TestCase):
    def bench(self, *words, ranks=2):
        return run("-m", ranks, arguments=("weft.bench", *words))

    def test_reports_what_python_adds_to_a_halo(self):
        done = self.bench("halo", "--halo-repeats", "20")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for word in ("python_halo_extra_us", "halo from C++", "weft.bench: 2 ranks on 1 node"):
            self.assertIn(word, done.stdout)

    def test_says_that_one_node_is_no_network(self):
        done = self.bench("heat", "--points", "64", "--heat-repeats", "3", "--steps", "3")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("python_overlap_ratio was not measured: all ranks are on one node", done.stdout)
        self.assertNotRegex(done.stdout, r"python_overlap_ratio +\d")

    def test_heat_of_cpp_is_that_of_python(self):
        code = """
            from weft import bench
            heat = bench.Heat(64, "polling")
            inside = bench.counterpart(64, progress="polling")
            heat.arrays[0][heat.halo.block()] = 1
            heat.run(3, True, True)
            assert abs(heat.arrays[1][heat.halo.block()] - 1).max() < 1e-15
            assert inside.steps(3, 1, bench.DIFFUSION) > 0
            heat.halo.close()
            inside.close()
            print("ok")
            """
        done = run(textwrap.dedent(code), 2)
        self.assertEqual((done.returncode, done.stdout.count("ok")), (0, 2), done.stdout + done.stderr)

    def test_wrong_options_are_one_line(self):
        for words, text in ((("flow",), "Unknown measurement 'flow'. Use halo or heat."), (("--halo-repeats", "1"), "--halo-repeats is 1 (too small)."),
                            (("--progress", "x"), "Unknown progress mode 'x'."), (("--wrong",), "Unrecognized arguments: --wrong."),
                            (("--json", "/nothing/x.json"), "There is no directory for this file.")):
            with self.subTest(words):
                done = subprocess.run([sys.executable, "-m", "weft.bench", *words], env=environment(), text=True, capture_output=True,
                                      timeout=60)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                self.assertIn(text, done.stderr)


if __name__ == "__main__":
    unittest.main()
