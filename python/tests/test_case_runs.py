# SPDX-License-Identifier: BSD-3-Clause
"""Runs of weft.flow, weft.box and weft.wave in the process of Python, on one and two ranks."""
import shutil
import unittest

import small_cases
from command import Folder
from small_cases import launch, launch_script, start_of_script

PROGRAMS = ("flow", "box", "wave")


class Runs(Folder):
    def run_script(self, program, text, ranks=1, status=0):
        small_cases.write_case(self.folder, program)
        return launch_script(ranks, start_of_script(program) + text, self.folder, status)


def datasets(file):
    """All datasets of an HDF5 file by name, as bytes."""
    import h5py
    found = {}
    with h5py.File(file) as content:
        def take(name, one):
            if isinstance(one, h5py.Dataset):
                found[name] = one[()].tobytes()
        content.visititems(take)
    return found


SAME_BITS = """
seen = []
run = case.run(comm, output="python")
for name, column in run.monitors.items():
    assert column.dtype == ("int64" if name == "step" else "float64") and len(column) > 3, name
if comm.rank == 0:
    table = np.genfromtxt("python/monitors.csv", delimiter=",", names=True)
    assert list(table.dtype.names) == list(run.monitors)
    for name, column in run.monitors.items():
        assert np.array_equal(table[name], column, equal_nan=True), name
assert run.values["step"] == run.monitors["step"][-1]
assert run.step == run.steps == case.run.steps and run.first_step == 0 and run.seconds > 0 and not run.is_running
assert [name for name in run.files if name.endswith("monitors.csv")] == ["python/monitors.csv"]
"""

FIELDS_OF_FILES = {
    "flow": """
import h5py
with h5py.File("python/fields_00000059.vtkhdf") as file:
    cells = file["VTKHDF/NumberOfCells"][()]
    first = int(cells[:comm.rank].sum())
    for name in ("pressure", "velocity", "wall_shear_stress"):
        mine = file["VTKHDF/CellData/" + name][first:first + int(cells[comm.rank])]
        assert mine.tobytes() == run.field(name).tobytes(), name
    points = file["VTKHDF/Points"][()]
assert run.positions.shape == run.velocity.shape and run.pressure.shape == run.positions.shape[:1]
low, high = points.min(axis=0), points.max(axis=0)
assert (run.positions > low - 1e-6).all() and (run.positions < high + 1e-6).all()
""",
    "box": """
import h5py
with h5py.File("python/fields_00000020.vtkhdf") as file:
    x, y, z = (slice(a, a + n) for a, n in zip(run.first, run.density.shape))
    for name in ("density", "velocity", "solid"):
        whole = file["VTKHDF/PointData/" + name][()]
        assert np.array_equal(np.swapaxes(whole, 0, 2)[x, y, z], getattr(run, name)), name
assert run.size == (12, 10, 8) and run.positions.shape == run.velocity.shape
assert tuple(run.positions[0, 0, 0]) == run.first
assert run.solid.sum() > 0 or comm.size > 1
assert run.particles["position"].shape == (1, 3) and run.table("particles")["x"][0] == 4.2 or comm.rank
""",
    "wave": """
import h5py
with h5py.File("python/fields_00000012.vtkhdf") as file:
    for level in range(2):
        boxes = file[f"VTKHDF/Level{level}/AMRBox"][()]
        for name in ("u", "v"):
            all = file[f"VTKHDF/Level{level}/CellData/{name}"][()].reshape(-1, 8, 8, 8)
            for block in run.blocks:
                if block.level == level:
                    at = [k for k, box in enumerate(boxes) if tuple(box[::2] // 8) == block.index]
                    assert len(at) == 1 and np.array_equal(all[at[0]], getattr(block, name)), (level, name)
blocks = run.blocks
assert len(run.positions) == len(blocks) > 0
assert np.allclose(run.positions[0][0, 0, 1] - run.positions[0][0, 0, 0], [blocks[0].spacing, 0, 0])
assert not blocks[0].u.flags.writeable and blocks[0].u.base is not None
""",
}


@unittest.skipIf(small_cases.BUILT is None, small_cases.NOT_BUILT)
class SameBits(Runs):
    def check(self, program, ranks):
        self.run_script(program, SAME_BITS + FIELDS_OF_FILES[program], ranks)
        launch(ranks, [small_cases.BUILT / f"weft-{program}", "case.toml", "--out", "program"], self.folder)
        tables = [(self.folder / of / "monitors.csv").read_bytes() for of in ("python", "program")]
        self.assertEqual(*tables)
        fields = sorted(file.name for file in (self.folder / "program").glob("fields_*.vtkhdf"))
        self.assertEqual(fields, sorted(file.name for file in (self.folder / "python").glob("fields_*.vtkhdf")))
        self.assertEqual(len(fields), 2)
        for name in fields:
            self.assertEqual(datasets(self.folder / "python" / name), datasets(self.folder / "program" / name))

    def test_as_the_program_on_one_rank(self):
        for program in PROGRAMS:
            with self.subTest(program):
                shutil.rmtree(self.folder / "python", ignore_errors=True)
                shutil.rmtree(self.folder / "program", ignore_errors=True)
                self.check(program, 1)

    def test_as_the_program_on_two_ranks(self):
        for program in PROGRAMS:
            with self.subTest(program):
                shutil.rmtree(self.folder / "python", ignore_errors=True)
                shutil.rmtree(self.folder / "program", ignore_errors=True)
                self.check(program, 2)

    def test_without_files(self):
        for program in PROGRAMS:
            with self.subTest(program):
                self.run_script(program, """
import os
before = sorted(os.listdir())
run = case.run(comm, output=False)
comm.barrier()
assert sorted(os.listdir()) == before and run.files == []
assert len(run.monitors["step"]) > 3
""", 2)

    def test_restart(self):
        for program in PROGRAMS:
            with self.subTest(program):
                self.run_script(program, f"""
case.checkpoint.every = 6
case.output.directory = "{program}"
case.run(comm, steps=6)
run = case.run(comm, steps=12, restart=True)
assert run.first_step == 6 and run.step == 12, run
whole = case.run(comm, steps=12, output=False)
from_path = case.run(comm, steps=14, output=False, restart=case.output.directory)
assert (from_path.first_step, from_path.step, from_path.files) == (12, 14, [])
for name, column in run.monitors.items():
    assert np.array_equal(column, whole.monitors[name][-len(column):], equal_nan=True) or name == "relative_change", name
try:
    case.run(comm, restart="nowhere")
    raise SystemExit("not refused")
except InputError as error:
    assert "nowhere" in str(error), error
""", 2)

    def test_prints_nothing_unless_told_to(self):
        for program in PROGRAMS:
            with self.subTest(program):
                self.assertEqual(self.run_script(program, "case.run(comm)"), "")
                self.assertIn("100 %  step ", self.run_script(program, "case.run(comm, progress=True)"))


@unittest.skipIf(small_cases.BUILT is None, small_cases.NOT_BUILT)
class Callbacks(Runs):
    def test_fields_in_a_step_are_those_of_its_output(self):
        self.run_script("flow", """
kept = {}
case.run(comm, output=False, every=10, on_step=lambda run: kept.update({run.step: (run.pressure, run.velocity, run.time)}))
assert sorted(kept) == [10, 20, 30, 40, 50, 60]
run = case.run(comm, output=False)
assert np.array_equal(run.pressure, kept[60][0]) and np.array_equal(run.velocity, kept[60][1]) and run.time == kept[60][2]
short = case.run(comm, steps=30, output=False)
assert np.array_equal(short.velocity, kept[30][1])
""", 2)
        self.run_script("box", """
kept = {}
case.run(comm, output=False, every=10, on_step=lambda run: kept.update({run.step: run.velocity}))
assert np.array_equal(case.run(comm, steps=10, output=False).velocity, kept[10])
""", 2)
        self.run_script("wave", """
kept = {}
case.run(comm, output=False, every=6, on_step=lambda run: kept.update({run.step: [b.u.copy() for b in run.blocks]}))
again = case.run(comm, steps=6, output=False).blocks
assert len(again) == len(kept[6]) and all(np.array_equal(a.u, b) for a, b in zip(again, kept[6]))
""", 2)

    def test_returning_false_ends_the_run(self):
        for program in PROGRAMS:
            with self.subTest(program):
                self.run_script(program, """
calls = []
def on_step(run):
    calls.append(run.step)
    assert run.is_running and run.values.get("step", 0) <= run.step
    return False if run.step == 4 and run.rank == run.ranks - 1 else None
run = case.run(comm, on_step=on_step, output="stopped")
assert calls == [1, 2, 3, 4] and run.stopped and run.step == 5, (calls, run)
same = case.run(comm, steps=5, output=False)
assert not same.stopped
if hasattr(run, "velocity"):
    assert np.array_equal(run.velocity, same.velocity)
assert [file for file in run.files if "fields" in file], run.files
""", 2)

    def test_other_answers_mean_nothing(self):
        self.run_script("box", """
def steps_of(answer):
    return case.run(comm, output=False, steps=6, on_step=lambda run: answer).step
assert [steps_of(answer) for answer in (None, True, 0, "", [], np.zeros(3), np.float64(0), np.True_)] == [6] * 8
assert [steps_of(answer) for answer in (False, np.False_, np.array([1.0]).max() < 0.5)] == [2] * 3
""")

    def test_an_exception_ends_the_run_on_all_ranks(self):
        for program in PROGRAMS:
            with self.subTest(program):
                self.run_script(program, """
def on_step(run):
    if run.step == 4 and run.rank == 0:
        raise KeyError("oh")
try:
    case.run(comm, on_step=on_step)
    raise SystemExit("no exception")
except KeyError as error:
    assert comm.rank == 0 and error.args == ("oh",)
except Error as error:
    assert comm.rank == 1 and "on rank 0 (KeyError: 'oh')" in str(error), error
    assert error.run.step == 4 and not error.run.is_running
assert case.run(comm, steps=4).step == 4  # the folder is free again
""", 2)

    def test_monitors_in_flight_when_it_ends(self):
        for program in ("flow", "box"):
            for way in ("nonblocking", "phased"):
                with self.subTest(program, way=way):
                    self.run_script(program, f"""
case.monitor.way = "{way}"
whole = case.run(comm, output=False)
for step in range(3, 9):
    def on_step(run):
        if run.step == step and run.rank == 1:
            raise ValueError("oh")
    try:
        case.run(comm, output=False, on_step=on_step)
        raise SystemExit("no exception")
    except (ValueError, Error):
        pass
again = case.run(comm, output=False)
assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(whole.monitors.values(), again.monitors.values()))
""", 2)

    def test_a_run_inside_another(self):
        small_cases.write_tube(self.folder / "tube.stl")
        self.run_script("box", f"""
import weft.flow
flow = weft.flow.Case.from_text({small_cases.FLOW!r})
flows = []
alone = flow.run(comm, output=False).velocity
run = case.run(comm, output=False, every=10, on_step=lambda run: flows.append(flow.run(comm, output=False).velocity))
assert len(flows) == 2 and all(np.array_equal(alone, one) for one in flows)
assert np.array_equal(run.velocity, case.run(comm, output=False).velocity)
""", 2)

    def test_other_arguments_on_some_ranks(self):
        self.run_script("box", """
for arguments in ({"steps": 4 + comm.rank}, {"on_step": None if comm.rank else print}, {"output": f"out{comm.rank}"}):
    try:
        case.run(comm, **arguments)
        raise SystemExit("not refused")
    except InputError as error:
        assert "other arguments on rank 1" in str(error), error
""", 2)

    def test_wrong_types(self):
        self.run_script("box", """
for arguments in ({"comm": "world"}, {"on_step": 5}, {"comm": True}, {"output": 7}, {"output": True}, {"restart": 1.5}):
    try:
        case.run(**arguments)
        raise SystemExit("not refused")
    except TypeError:
        pass
def sentence(call):
    try: call()
    except TypeError as error: return str(error)
assert sentence(lambda: case.run(output=7)) == "output is int. Give a folder, None (as the case says) or False (no files)."
assert sentence(lambda: type(case).from_text(5)) == "The text of a case is int. Give the text of a case file."
assert sentence(lambda: case.run(output=False).table(5)) == "table() does not take these arguments (given: int). Use table(name: str)."
for arguments in ({"every": 0}, {"every": 1.5}, {"steps": 0}, {"steps": "many"}, {"comm": MPI.COMM_NULL}):
    try:
        case.run(**arguments)
        raise SystemExit("not refused")
    except InputError:
        pass
""")

    def test_openings_are_changed(self):
        self.run_script("flow", """
def faster(run):
    if run.step == 10:
        run.set_opening("in", 0.1, ramp=0)
        run.set_viscosity(0.005)
        run.set_opening("out", 5.0)
usual, other = case.run(comm, output=False), case.run(comm, output=False, on_step=faster, quantities=())
assert other.values["in_flow_m3_per_s"] > 1.5 * usual.values["in_flow_m3_per_s"]
def refused(change, word):
    try:
        case.run(comm, output=False, on_step=change, every=5)
        raise SystemExit("not refused")
    except InputError as error:
        assert word in str(error), error
refused(lambda run: run.set_opening("inn", 0.1), "There is no opening 'inn'")
refused(lambda run: run.set_opening("in", 100), "allowed")
refused(lambda run: run.set_opening("in", np.float64("nan")), "The value of the command is nan")
refused(lambda run: run.set_viscosity(0.004, ramp=float("inf")), "The ramp of the command is inf")
refused(lambda run: run.set_opening("in", 0.1 + 0.001 * run.rank), "other changes on some ranks")
refused(lambda run: run.field("stress"), "does not store stress")
try:
    other.set_opening("in", 0.1)
    raise SystemExit("not refused")
except Error:
    pass
kept = []
case.run(comm, output=False, every=30, quantities=("stress",), on_step=lambda run: kept.append(run.field("stress")))
assert kept[-1].shape == (len(other.pressure), 6) and np.isfinite(kept[-1]).all()
""", 2)

    def test_a_parameter_study(self):
        self.run_script("flow", """
drops = []
for viscosity in (0.004, 0.008):
    study = case.copy({"fluid.viscosity": viscosity})
    run = study.run(comm, output=f"study/{viscosity}")
    drops.append(comm.allreduce(run.pressure.max(), MPI.MAX) - comm.allreduce(run.pressure.min(), MPI.MIN))
assert drops[1] > drops[0]
""", 2)

    def test_ranks_of_a_communicator(self):
        self.run_script("box", """
mine = comm.Split(comm.rank)
run = case.copy({"lattice.viscosity": 0.05 + 0.01 * comm.rank}).run(mine, output=False)
assert run.ranks == 1 and run.density.shape == (12, 10, 8)
try:
    case.run(mine.Create_intercomm(0, comm, 1 - comm.rank), output=False)
    raise SystemExit("not refused")
except InputError as error:
    assert "intercommunicator" in str(error), error
both = case.run(comm.py2f(), output=False)
assert both.ranks == 2 and both.density.shape != (12, 10, 8)
""", 2)

    def test_handles_that_are_none(self):
        self.run_script("box", """
for handle in (2**32, -2**40):
    try:
        case.run(handle, output=False)
        raise SystemExit("not refused")
    except InputError as error:
        assert f"comm is {handle}" in str(error), error
""")

    def test_a_failed_run_has_no_fields(self):
        self.run_script("box", """
kept = []
def on_step(run):
    kept.append(run)
    assert run.density.shape == (12, 10, 8)
    raise KeyError("x")
try:
    case.run(comm, on_step=on_step, output=False)
    raise SystemExit("no exception")
except KeyError:
    pass
for read in (lambda: kept[0].density, lambda: kept[0].particles):
    try:
        read()
        raise SystemExit("not refused")
    except Error as error:
        assert "has kept no fields" in str(error), error
""")

    def test_exceptions_without_a_text(self):
        self.run_script("box", """
class Silent(ValueError):
    def __str__(self):
        raise RuntimeError("no text")
for exception in (Silent(), ValueError("caf\\udce9")):
    def on_step(run):
        if comm.rank == 1:
            raise exception
    try:
        case.run(comm, on_step=on_step, output=False)
        raise SystemExit("no exception")
    except ValueError as error:
        assert comm.rank == 1 and error is exception
    except Error as error:
        assert comm.rank == 0 and "on_step raised an exception on rank 1 (" in str(error), error
""", 2)

    def test_fields_are_read_between_steps(self):
        for program in ("box", "wave"):
            with self.subTest(program):
                self.run_script(program, """
import threading, time
runs, refused, ended = [], [], threading.Event()
def read(run):
    return run.blocks if hasattr(run, "blocks") else run.density
def poll():
    while not ended.is_set():
        if runs:
            runs[0].monitors, runs[0].values
            try:
                read(runs[0])
            except Error as error:
                assert "Read them in on_step" in str(error), error
                refused.append(error)
        time.sleep(1e-4)
thread = threading.Thread(target=poll)
thread.start()
def on_step(run):
    read(run)
    runs.append(run)
run = case.run(comm, steps=400, on_step=on_step, every=10, output=False)
ended.set(), thread.join()
assert refused and read(run) is not None
""")

    def test_the_gil_is_released(self):
        self.run_script("box", """
import threading
counted, ended = [0], threading.Event()
def count():
    while not ended.is_set():
        counted[0] += 1
thread = threading.Thread(target=count)
thread.start()
before = counted[0]
case.run(comm, steps=400, output=False)
after = counted[0]
ended.set(), thread.join()
assert after - before > 1000, after - before
""")

    def test_an_interrupt(self):
        self.run_script("box", """
import signal
def handler(*_):
    raise KeyboardInterrupt
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.5)
try:
    case.run(comm, steps=10**8, output=False)
    raise SystemExit("not interrupted")
except KeyboardInterrupt:
    pass
assert case.run(comm, output=False).step == 20
""")

    def test_a_dropped_run(self):
        for program in PROGRAMS:
            with self.subTest(program):
                self.run_script(program, """
import gc, weakref
kept = []
def on_step(run):
    if hasattr(run, "blocks"):
        kept.extend(block.u for block in run.blocks)
    else:
        kept.append(run.velocity)
gone = weakref.ref(case.run(comm, output=False, on_step=on_step, every=4))
gc.collect()
assert gone() is None or program.__name__ == "weft.wave"
assert np.isfinite([a.sum() for a in kept]).all() and kept
try:
    case.run(comm, output=False, on_step=lambda run: on_step(run) or 1 / 0, every=4)
except ZeroDivisionError:
    pass
gc.collect()
assert np.isfinite([a.sum() for a in kept]).all()
""")

    def test_warnings(self):
        self.run_script("flow", """
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    run = case.run(comm, output=False)
assert (len(run.warnings) == 1) == (comm.rank == 0)
assert [str(one.message) for one in caught] == run.warnings
assert all(one.filename.endswith("script.py") for one in caught)
with warnings.catch_warnings():
    warnings.simplefilter("error")
    try:
        assert case.run(comm, output=False).rank == 1
    except RuntimeWarning:
        assert comm.rank == 0
""", 2)

    def test_without_mpi4py(self):
        small_cases.write_case(self.folder, "box")
        self.assertEqual(2, launch_script(2, """
import sys
import weft.box
run = weft.box.Case("case.toml").run(output=False)
assert run.ranks == 2 and "mpi4py" not in sys.modules
print("done")
""", self.folder).count("done"))

    def test_the_first_runs_in_two_threads_and_a_fork(self):
        small_cases.write_case(self.folder, "box")
        launch_script(1, """
import os, sys, threading
import weft.box
case, steps = weft.box.Case("case.toml"), []
threads = [threading.Thread(target=lambda: steps.append(case.run(output=False).step)) for _ in range(2)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert steps == [20, 20], steps
child = os.fork()
if child == 0:
    sys.exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
""", self.folder)

    def test_an_unstable_flow(self):
        self.run_script("flow", """
case.set({"fluid.viscosity": 2.2e-4, "inlet.0.velocity": 0.215, "lattice.collision": "bgk", "lattice.velocities": "D3Q19",
          "run.ramp": 0, "run.steps": 4000})
try:
    case.run(comm, output=False)
    print("stable")
except Error as error:
    assert not isinstance(error, InputError), error
    assert error.run.step > 0 and len(error.run.monitors["step"]) > 0
    print("unstable")
""", 2)


@unittest.skipIf(small_cases.BUILT is None, small_cases.NOT_BUILT)
class Meshes(Runs):
    def test_meshes(self):
        if not small_cases.has("pyvista"):
            self.skipTest("pyvista is not installed")
        self.run_script("flow", """
run = case.run(comm, output="out")
mesh = run.mesh()
assert mesh.n_cells == len(run.pressure) and np.array_equal(mesh["velocity"], run.velocity)
assert np.allclose(mesh.cell_centers().points, run.positions, atol=1e-8)
assert "wall_shear_stress" in mesh.cell_data
sizes = []
case.run(comm, output=False, every=30, on_step=lambda run: sizes.append(run.mesh().n_cells))
assert sizes == [mesh.n_cells] * 2
""", 2)
        self.run_script("box", """
run = case.run(comm, output=False)
mesh = run.mesh()
k = mesh.find_closest_point(run.positions[3, 2, 1])
assert mesh["density"][k] == run.density[3, 2, 1] and (mesh["velocity"][k] == run.velocity[3, 2, 1]).all()
assert tuple(mesh.points[k]) == tuple(run.positions[3, 2, 1])
""", 2)
        self.run_script("wave", """
run = case.run(comm, output=False)
mesh = run.mesh()
assert mesh.n_blocks == len(run.blocks)
assert np.array_equal(mesh[0]["u"], run.blocks[0].u.ravel())
k = next(k for k, block in enumerate(run.blocks) if not block.refined)  # VTK leaves covered cells out
assert np.allclose(mesh[k].cell_centers().points, run.positions[k].reshape(-1, 3))
""", 2)

    def test_without_pyvista(self):
        self.run_script("box", """
import sys
sys.modules["pyvista"] = None
try:
    case.run(comm, output=False).mesh()
    raise SystemExit("not refused")
except ImportError as error:
    assert "pip install pyvista" in str(error)
""")


if __name__ == "__main__":
    unittest.main()
