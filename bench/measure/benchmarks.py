# SPDX-License-Identifier: BSD-3-Clause
"""What `make measure` measures: each comparison that README.md or docs/results.md shows."""
import re
from dataclasses import dataclass, field
from typing import Callable, Optional

NETWORK = "TESTBED_PRIO=-20 tools/testbed once 2 --latency 1ms --rate 1gbit -- -n 2"
SHARED = "mpirun -n 2 --bind-to core"
WEFT = "build/release/weft"
PYTHON = ".venv/bin/python"
PEERS = "build/peers/bin/python"  # has the packages of prepare.py
Read = Callable[[dict], Optional[float]]


def result(what: str, scale: float = 1) -> Read:
    """A result of a report, by its name."""
    def read(report: dict) -> Optional[float]:
        return next((scale * r["median"] for r in report["results"] if r["what"] == what), None)
    return read


def matching(pattern: str) -> Read:
    """The first result whose whole name matches."""
    def read(report: dict) -> Optional[float]:
        return next((r["median"] for r in report["results"] if re.fullmatch(pattern, r["what"])), None)
    return read


def fastest(pattern: str, scale: float = 1) -> Read:
    """The smallest median of all results whose whole name matches."""
    def read(report: dict) -> Optional[float]:
        return min((scale * r["median"] for r in report["results"] if re.fullmatch(pattern, r["what"])), default=None)
    return read


def figure(name: str) -> Read:
    return lambda report: report["figures"].get(name)


def value(name: str, scale: float = 1) -> Read:
    """An entry of the object that a peer's script prints."""
    return lambda report: scale * report[name] if name in report else None


@dataclass(frozen=True)
class Row:
    """One comparison. The first value is weft's; a ratio to it is given for each other value."""
    what: str
    unit: str
    values: dict[str, Read]
    rate: bool = False  # larger is better


@dataclass(frozen=True)
class Benchmark:
    name: str  # an anchor of docs/results/measured.md
    about: str
    command: str  # {json}: where the report goes; without it, the last line of the output is the report
    page: str  # of docs/results: how it is measured
    rows: list[Row]
    depends: list[str]  # the code that is measured
    launches: int = 3
    needs: list[str] = field(default_factory=list)  # programs in PATH, built files, or "root"
    curves: Optional[Callable[[dict], dict]] = None  # what the plots need besides: name -> number


def ways(clients: int) -> Row:
    """Communication with so many small clients."""
    at = f"{clients} small clients, "
    return Row(f"communication of a step: lattice, monitors and {clients} small modules", "ms", {
        "weft": result(at + "coalesced: communication", 1e-3),
        "plain MPI, one wait, polling": result(at + "plain MPI, one wait: communication", 1e-3),
        "each module waits for itself": result(at + "not coalesced: communication", 1e-3)})


def halo(size: int, layout: str, name: str) -> Row:
    at = rf"{size}\^3 {layout}: "
    return Row(f"halo of {size}^3 sites, 19 numbers each, {name}, all numbers", "us", {
        "weft": fastest(at + r"(direct|by_dimension) whole (per_peer|merged|per_part|synchronous|partitioned|datatypes)"),
        "plain MPI, 26 persistent messages of MPI's datatypes": result(f"{size}^3 {layout}: baseline datatypes"),
        "plain MPI, 26 messages packed by hand": result(f"{size}^3 {layout}: baseline at once"),
        "plain MPI, 6 packed messages in 3 rounds": result(f"{size}^3 {layout}: baseline by_dimension"),
        "weft, in shared memory": fastest(at + r"(direct|by_dimension) whole shared"),
        "weft, only the numbers that are read": fastest(at + r"(direct|by_dimension) reduced (per_peer|merged|per_part|synchronous|datatypes)")})


def transform(n: int) -> Row:
    at = f"{n}x{n}x{n}: "
    return Row(f"3-D FFT of {n}^3, complex double", "ms", {
        "weft": fastest(re.escape(at) + r"pipelined, .*"), "FFTW-MPI": result(at + "FFTW-MPI"),
        "plain MPI (pack, MPI_Alltoallv, unpack)": result(at + "plain MPI"),
        "weft, fastest way without overlap": fastest(re.escape(at) + r"blocking, .*")})


def alltoall(report: dict) -> dict:
    found = {}
    for r in report["results"]:
        if at := re.fullmatch(r"overlap: alltoall nonblocking 65536 B, busy_loop, (\w+), overlap fraction", r["what"]):
            found[at[1]] = r["median"]
    return found


def overlap_curves(report: dict) -> dict:
    """Overlap fraction of the halo over computation / communication, by kind of progress."""
    found = {}
    for r in report["results"]:
        at = re.fullmatch(r"overlap 64\^3 soa: (direct reduced|baseline at once), r = ([\d.]+), (\w+), overlap fraction", r["what"])
        if at:
            found[f"{at[1]}, {at[3]}, {at[2]}"] = r["median"]
    return found


CORE = ["core/source"]  # not the headers: their comments change more often than what they do
STEP = Row("step", "ms", {
    "weft": fastest(r"128\^3, blocks of 16\^3: (passive|polling|thread|send_receive_threads), .*"),
    "plain MPI, posted first and tested between blocks": result("128^3, blocks of 16^3: plain MPI, early"),
    "plain MPI, after the computation": result("128^3, blocks of 16^3: plain MPI")})

LANGUAGES = {"C++": "cpp", "C": "c", "Fortran": "fortran"}


def languages(what: str, name: str) -> list[Row]:
    """A workload of bench languages: its times, and the medians of its ratios to C++ within a turn."""
    return [Row(what, "us", {language: result(f"{what}, {language}") for language in LANGUAGES}),
            *(Row(f"{what}: {language} / C++", "", {"ratio": figure(f"{LANGUAGES[language]}_over_cpp_{name}")}) for language in ("C", "Fortran"))]


BENCHMARKS = [
    Benchmark("modules", "The communication of all modules of a flow, per step (2 ranks, emulated network): the time of a step less that of "
              "the same step without messages.",
              f"{NETWORK} {WEFT} bench coalesce --case examples/aneurysm/case.toml --clients 0,2,4,8 --seconds 60 --json {{json}}",
              "coalescing.md#small-clients-beside-a-lattice", [ways(n) for n in (0, 2, 4, 8)], [*CORE, "bench/bench/coalesce", "flow"], needs=["root"]),
    Benchmark("modules-eager", "The same with Open MPI's eager limit over TCP raised from 64 KiB to 4 MiB, which a user of plain MPI can do, too.",
              f"OMPI_MCA_btl_tcp_eager_limit=4194304 {NETWORK} {WEFT} bench coalesce --case examples/aneurysm/case.toml --clients 4 "
              "--seconds 20 --json {json}",
              "coalescing.md#small-clients-beside-a-lattice", [ways(4)], [*CORE, "bench/bench/coalesce", "flow"], needs=["root"]),
    Benchmark("latency", "The same over the latency of the emulated network.", f"{PYTHON} bench/measure/peers/latency.py",
              "coalescing.md#small-clients-beside-a-lattice",
              [Row(us, "ms", {"weft": value(f"{us}, weft"), "plain MPI": value(f"{us}, plain MPI"), "separate": value(f"{us}, separate")})
               for us in ("50us", "200us", "500us", "1ms")], [*CORE, "bench/bench/coalesce", "flow"], launches=1, needs=["root"]),
    Benchmark("latency-simulated", "A lattice with monitors on 64 simulated nodes, one exchange for all or one each (`bench steps`): time of a step in "
              "which a rank does not compute, over the one-way latency.", f"{PYTHON} bench/measure/peers/latency_simulated.py", "scale.md",
              [Row(f"{us} us", "ms", {"weft": value(f"{us} us, weft"), "separate": value(f"{us} us, separate")}) for us in (2, 10, 50, 200, 1000)],
              [*CORE, "bench/bench/steps"], launches=1, needs=["smpi"]),
    Benchmark("timeline", "One step of the [tutorial](../tutorial.md)'s first program and of its fourth stage, 2048^2 cells (2 ranks, emulated network), "
              "from the traces of `weft run`: the step of median duration on rank 0. (Section 7 of the tutorial has whole runs, of another day.)", f"{PYTHON} bench/measure/peers/timeline.py", "coalescing.md",
              [Row("step that is drawn", "ms", {"weft": value("weft"), "plain MPI": value("plain MPI")})], [*CORE, "examples/tutorial"], needs=["root"], curves=lambda report: report["events"]),
    Benchmark("pictures", "A flow that draws 100 pictures in 2,000 steps (2 ranks, emulated network). The two modes are weft's own.",
              f"{NETWORK} {WEFT} bench coalesce --case examples/aneurysm/case.toml --images 100 --repeats 1 --json {{json}}",
              "coalescing.md#a-flow-that-draws-pictures",
              [Row("communication of the run", "s", {"weft": result("100 images, coalesced: communication"),
                                                     "each module waits for itself": result("100 images, not coalesced: communication")}),
               Row("whole run", "s", {"weft": result("100 images, coalesced: total"),
                                      "each module waits for itself": result("100 images, not coalesced: total")})],
              [*CORE, "bench/bench/coalesce", "flow"], needs=["root"]),
    Benchmark("halo", "A halo of a lattice-Boltzmann block (2 ranks on one node, periodic).",
              f"{SHARED} {WEFT} bench halo --sizes 32,64 --exchange-only --seconds 40 --json {{json}}", "halo.md",
              [halo(32, "aos", "array of structures"), halo(64, "aos", "array of structures"), halo(64, "soa", "structure of arrays")],
              [*CORE, "bench/bench/halo"]),
    Benchmark("halo-network", "The same on the emulated network.",
              f"{NETWORK} {WEFT} bench halo --sizes 32 --exchange-only --seconds 20 --json {{json}}", "halo.md",
              [halo(32, "aos", "array of structures"), halo(32, "soa", "structure of arrays")], [*CORE, "bench/bench/halo"], needs=["root"]),
    Benchmark("halo-overlap", "How much of the halo's time is overlapped with a computation that lasts 1.2 times as long (64^3 sites, structure "
              "of arrays, emulated network).",
              f"{NETWORK} {WEFT} bench halo --sizes 64 --seconds 70 --json {{json}}", "halo.md#how-the-overlap-is-measured",
              [Row("overlap fraction of the halo, numbers that are read", "", {
                  "weft": figure("overlap_fraction"),
                  "plain MPI, 26 messages at once": result("overlap 64^3 soa: baseline at once, r = 1.2, passive, overlap fraction")}, rate=True)],
              [*CORE, "bench/bench/halo"], launches=1, needs=["root"], curves=overlap_curves),
    Benchmark("alltoall", "Overlap fraction of a non-blocking MPI_Ialltoall of 64 KiB (2 ranks, emulated network), by kind of progress.",
              f"{NETWORK} {WEFT} bench collectives --operations alltoall --sizes 65536 --experiments overlap --quick --json {{json}}",
              "collectives.md#overlap-of-mpi_ialltoall",
              [Row("overlap fraction", "", {
                  "polling": result("overlap: alltoall nonblocking 65536 B, busy_loop, polling, overlap fraction"),
                  "progress thread": result("overlap: alltoall nonblocking 65536 B, busy_loop, thread, overlap fraction"),
                  "passive (plain MPI)": result("overlap: alltoall nonblocking 65536 B, busy_loop, passive, overlap fraction")}, rate=True)],
              [*CORE, "bench/bench/collectives"], needs=["root"]),
    Benchmark("engine", "A step of waves on a refined mesh, 128^3 cells in blocks of 16^3 (2 ranks, emulated network).",
              f"{NETWORK} {WEFT} bench engine --cells 128 --blocks 16 --groupings per_peer,by_size --seconds 40 --json {{json}}",
              "wave.md#progress-and-grouping-weft-bench-engine",
              [STEP],
              [*CORE, "programs/amr", "programs/wave", "bench/bench/engine"], needs=["root"]),
    Benchmark("engine-eager", "The same with Open MPI's eager limit over TCP raised to 4 MiB.",
              f"OMPI_MCA_btl_tcp_eager_limit=4194304 {NETWORK} {WEFT} bench engine --cells 128 --blocks 16 --groupings per_peer,by_size --seconds 40 "
              "--json {json}", "wave.md#progress-and-grouping-weft-bench-engine", [STEP], [*CORE, "programs/amr", "programs/wave", "bench/bench/engine"],
              launches=1, needs=["root"]),
    Benchmark("wave", "Cell updates of waves on a refined mesh (64^3 cells and one level above, blocks of 16^3, RK4, one core).",
              f"mpirun -n 1 --bind-to core {WEFT} bench wave --quick --seconds 8 --json {{json}}", "wave.md#cell-updates-weft-bench-wave",
              [Row("cell updates", "million/s", {"weft": result("cell updates, all ranks")}, rate=True)],
              ["programs/amr", "programs/wave", "bench/bench/wave"]),
    Benchmark("wave-amrex", "The same with blocks of 32^3, beside AMReX's Wave example, which you build (`bench/measure/peers/amrex.sh --help`). AMReX "
              "makes four sweeps in a step, weft two, since RK4 of a linear system is a Taylor series.",
              f"{PYTHON} bench/measure/peers/wave.py", "wave.md#cell-updates-weft-bench-wave",
              [Row("cell updates", "million/s", {"weft": value("weft"), "AMReX": value("AMReX")}, rate=True)],
              ["programs/amr", "programs/wave", "bench/bench/wave"], needs=["AMREX_WAVE"]),
    Benchmark("fft", "Transforms in natural order, plans by the same effort (2 ranks on one node).",
              f"{SHARED} {WEFT} bench fft --sizes 128,256 --seconds 40 --json {{json}}", "fft.md#transforms",
              [transform(128), transform(256)], [*CORE, "core/fft", "bench/bench/fft"]),
    Benchmark("fft-network", "The same on the emulated network, where communication takes about as long as computation.",
              f"{NETWORK} {WEFT} bench fft --sizes 131 --effort estimate --seconds 30 --json {{json}}", "fft.md#transforms", [transform(131)],
              [*CORE, "core/fft", "bench/bench/fft"], needs=["root"]),
    Benchmark("pack", "Compression of 100 MB of mixed files (2 ranks on one node; the other programs with 2 threads, started each time).",
              f"{SHARED} {WEFT} bench pack --codecs zstd,bzip2 --bytes 100MB --seconds 30 --json {{json}}", "fft.md#compression",
              [Row("zstd, level 3", "s", {"weft": result("zstd 3: pipelined"), "zstd -T2": result("zstd 3: zstd -T2")}),
               Row("bzip2, level 9", "s", {"weft": result("bzip2 9: pipelined"), "lbzip2": result("bzip2 9: lbzip2")}),
               Row("zstd, level 3, compression ratio", "", {"weft": result("zstd 3: ratio"), "zstd -T2": result("zstd 3: zstd -T2, ratio")}, rate=True)],
              ["programs/pack", "bench/bench/pack"], launches=1, needs=["zstd", "lbzip2"]),
    Benchmark("pack-xz", "The same of 20 MB with xz.", f"{SHARED} {WEFT} bench pack --codecs xz --bytes 20MB --seconds 30 --json {{json}}",
              "fft.md#compression", [Row("xz, level 6", "s", {"weft": result("xz 6: pipelined"), "xz -T2": result("xz 6: xz -T2")}),
                                     Row("compression ratio", "", {"weft": result("xz 6: ratio"), "xz -T2": result("xz 6: xz -T2, ratio")}, rate=True)],
              ["programs/pack", "bench/bench/pack"], launches=1, needs=["xz"]),
    Benchmark("unpack", "Decompression of 100 MB, whole commands from start to end, output to a file (2 ranks on one node; the other programs with "
              "2 threads).", f"{PEERS} bench/measure/peers/unpack.py", "fft.md#compression",
              [Row(".gz written by gzip", "s", {"weft": value("gz, weft"), "rapidgzip": value("gz, rapidgzip"), "gzip": value("gz, gzip")}),
               Row(".bz2 written by bzip2", "s", {"weft": value("bz2, weft"), "lbzip2": value("bz2, lbzip2")}),
               Row(".xz written by xz -T2", "s", {"weft": value("xz, weft"), "xz -T2": value("xz, xz")}),
               Row(".zst written by zstd", "s", {"weft": value("zst, weft"), "zstd": value("zst, zstd")})],
              ["programs/pack"], launches=1, needs=["zstd", "lbzip2", "xz"]),
    Benchmark("kernel", "The lattice alone, D3Q19 TRT, in place, one core: million site updates per second. The limit is what the memory allows.",
              f"taskset -c 1 {WEFT} bench kernel --sizes 128 --vessels 2000000 --kernels dense,sparse --seconds 40 --json {{json}}",
              "lattice.md#d3q19-trt",
              [Row(f"{name}, {bits}", "million/s", {"weft": matching(f"{at} {bits}: kernel, updates"),
                                                    "limit of the memory": matching(f"{at} {bits}: stream, as updates")}, rate=True)
               for name, at in (("dense, 128^3", r"128\^3"), ("vessel of 2 million sites", r"vessel of \d+ sites")) for bits in ("fp64", "fp32")],
              ["flow/lattice", "bench/bench/kernel"]),
    Benchmark("lbmpy", "The fastest generated kernel of lbmpy for the same dense lattice, one core.",
              f"taskset -c 1 {PEERS} bench/measure/peers/lbmpy_kernel.py", "lattice.md#d3q19-trt",
              [Row(f"dense, 128^3, {bits}", "million/s", {"lbmpy": value(bits)}, rate=True) for bits in ("fp64", "fp32")], [], launches=1),
    Benchmark("flow", "Whole steps of weft flow on the demo's vessel, with its monitors, all ranks together.",
              f"{PYTHON} bench/measure/peers/flow_steps.py", "lattice.md#whole-steps-weft-flow",
              [Row("one rank", "million/s", {"weft": value("1 rank")}, rate=True), Row("two ranks", "million/s", {"weft": value("2 ranks")}, rate=True)],
              ["flow", *CORE]),
    Benchmark("monitors", "What monitors in every step add to a step of 200,462 sites (2 ranks on one node).",
              f"{SHARED} {WEFT} bench monitors --seconds 30 --json {{json}}", "flow.md#monitors-in-every-step",
              [Row("step", "ms", {"weft's monitors (rounds)": result("200462 sites: rounds, step", 1e-3),
                                  "MPI_Iallreduce": result("200462 sites: nonblocking, step", 1e-3),
                                  "MPI_Allreduce": result("200462 sites: blocking, step", 1e-3),
                                  "no monitors": result("200462 sites: no monitors, step", 1e-3),
                                  "with entropy": result("200462 sites: with entropy, step", 1e-3)})],
              [*CORE, "flow", "bench/bench/monitors"]),
    Benchmark("foreign", "A program without progress calls, 1 MiB in each direction per step (2 ranks, emulated network), unchanged and with "
              "`weft run --progress-thread`.",
              f"tools/testbed up 2 --latency 1ms --rate 1gbit; {WEFT} bench foreign --launcher 'tools/testbed run -n 2' --only exchange --repeats 3 "
              "--seconds 10 --json {json}; tools/testbed down", "advise.md#the-thread-compares-steps-with-and-without-itself",
              [Row("its steps", "s", {"with weft's progress thread": result("exchange driven, its steps"),
                                      "unchanged": result("exchange plain, its steps"),
                                      "watched by weft run": result("exchange watched, its steps")})],
              [*CORE, "profile"], launches=1, needs=["root"]),
    Benchmark("python", "Heat equation in Python, 1024^2 points (2 ranks, emulated network): a step.",
              f"{PYTHON} bench/measure/peers/heat.py", "python.md",
              [Row("step", "ms", {"weft": value("weft"), "mpi4py, posted first, tested between rows": value("mpi4py, overlapped"),
                                  "mpi4py, one wait": value("mpi4py")})], ["python", *CORE], launches=1, needs=["root"]),
    Benchmark("python-halo", "A halo of 64^3 points in Python (2 ranks on one node).",
              f"MPI4PY_MPIABI=openmpi {SHARED} {PEERS} bench/measure/peers/ghex_halo.py", "python.md",
              [Row("exchange", "us", {"weft": value("weft"), "GHEX": value("GHEX"), "mpi4py": value("mpi4py")})], ["python", *CORE]),
    Benchmark("languages", "The same workloads by the interfaces in C++, C and Fortran, in turns in one process (2 ranks on one node).",
              f"{SHARED} {WEFT} bench languages --seconds 40 --json {{json}}", "python.md#c-and-fortran-beside-c",
              [*languages("halo of 64^3", "halo"), *languages("step of 20 parts", "step"), *languages("commit of 1000 parts", "commit")],
              ["core/c", "core/fortran", "bench/bench/languages"]),
    Benchmark("ocean", "A small ocean model in Fortran, in plain MPI and with weft (2 ranks, emulated network): communication of a step.",
              f"{PYTHON} bench/measure/peers/ocean.py", "python.md#c-and-fortran-beside-c",
              [Row("communication of a step", "ms", {"weft": value("weft"), "plain MPI": value("plain MPI")}),
               Row("communication with weft / in plain MPI, the same turn", "", {"ratio": value("fortran_app_over_plain")})],
              ["core/c", "core/fortran", "examples/ocean", *CORE], launches=1, needs=["root", "build/release/examples/ocean/ocean5"]),
    Benchmark("star-forest", "Ghost values at random positions, as in unstructured solvers (2 ranks on one node).",
              f"{SHARED} build/release/star_forest", "halo.md",
              [Row(f"{n} ghosts per neighbour", "us", {"weft": value(f"{n} ghosts, weft"), "plain MPI": value(f"{n} ghosts, plain MPI"),
                                                       "PETSc's star forest": value(f"{n} ghosts, PETSc")}) for n in (5000, 50000)],
              CORE, needs=["star_forest"]),
    Benchmark("graph", "Exchanges over graphs that are given by global numbers (2 ranks on one node): the set-up, and both directions.",
              f"{SHARED} {WEFT} bench graph --seconds 60 --json {{json}}", "halo.md",
              [Row(f"{graph}, {part}", "us", {"weft": fastest(f"{graph}, {part}: weft(, shared memory)?"), "plain MPI": result(f"{graph}, {part}: plain MPI"),
                                              "PETSc's star forest": fastest(f"{graph}, {part}: PETSc [a-z]+")})
               for graph in ("random", "27-point", "finite element") for part in ("set-up", "to copies", "to owners")],
              ["core/source/weft/graph", "bench/bench/graph", *CORE], needs=["petsc_graph"]),
    Benchmark("matrix", "A sparse matrix (27-point stencil, 48^3 rows per rank) times a vector (2 ranks on one node).",
              f"{SHARED} build/release/petsc_matrix", "halo.md",
              [Row("product", "us", {"weft": value("weft"), "weft, shared memory": value("weft, shared memory"), "PETSc's MatMult": value("PETSc")})],
              ["core/source/weft/graph", *CORE], needs=["petsc_matrix"]),
]
