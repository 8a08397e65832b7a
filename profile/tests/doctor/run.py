#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""weft doctor with the MPI libraries of this machine, and with broken ones.

    run.py WEFT_DOCTOR MPICC

Checks the findings and the text, not the times.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

DOCTOR, MPICC = sys.argv[1], sys.argv[2]
HELLO = "#include <mpi.h>\nint main(int c, char** v) { MPI_Init(&c, &v); MPI_Finalize(); return 0; }\n"
OPENMPI = '#!/bin/sh\necho "mpirun (Open MPI) 99.9.9"\n'
CUDA = r'''
#include <string.h>
#include <sys/mman.h>
int cuInit(unsigned f) { return 0; }
int cuDeviceGet(int* d, int n) { *d = 0; return 0; }
int cuDeviceGetName(char* t, int n, int d) { strncpy(t, "Look-alike", n); return 0; }
int cuDevicePrimaryCtxRetain(void** c, int d) { *c = c; return 0; }
int cuCtxSetCurrent(void* c) { return 0; }
int cuCtxSynchronize(void) { return 0; }
int cuMemAlloc_v2(void** p, size_t n) { *p = mmap(0, n, HOW, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); return 0; }
int cuMemcpyHtoD_v2(void* d, const void* h, size_t n) { if (HOW) memcpy(d, h, n); return 0; }
int cuMemcpyDtoH_v2(void* h, const void* d, size_t n) { if (HOW) memcpy(h, d, n); return 0; }
'''
HYDRA = '#!/bin/sh\nprintf "HYDRA build details:\\n    Version:   99.9\\n"\n'


class Doctor(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        (self.folder / "bin").mkdir()
        (self.folder / "lib").mkdir()

    def tool(self, name, text):
        path = self.folder / "bin" / name
        path.write_text(text)
        path.chmod(0o755)

    def doctor(self, *words, own_tools=False, seconds=60, **environment):
        env = dict(os.environ, **environment)
        if own_tools:
            env["PATH"] = f"{self.folder / 'bin'}:{env['PATH']}"
        return subprocess.run([DOCTOR, "--seconds", str(seconds), *map(str, words)], env=env, cwd=self.folder, text=True,
                              capture_output=True, timeout=200, stdin=subprocess.DEVNULL)

    def json(self, *words, **how):
        done = self.doctor("--json", *words, **how)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual(found["matches"], done.returncode == 0)
        return found

    def compile(self, compiler, text, *options):
        (self.folder / "program.c").write_text(text)
        done = subprocess.run([compiler, "program.c", "-o", "program", *options], cwd=self.folder, capture_output=True, text=True)
        if "mpi.h: No such file" in done.stderr:  # on Debian mpi.h is in a separate package
            self.skipTest(f"{compiler} is installed without mpi.h")
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.folder / "program"

    def driver(self, how):
        """Something that looks like CUDA's driver, whose memory is the host's; or which nobody may access."""
        (self.folder / "cuda.c").write_text(CUDA)
        subprocess.run([MPICC, "-shared", "-fPIC", "-w", f"-DHOW={how}", "cuda.c", "-o", "lib/libcuda.so.1"], cwd=self.folder,
                       check=True)
        return f"{self.folder / 'lib'}:{os.environ.get('LD_LIBRARY_PATH', '')}"

    def devices(self, found):
        return [library["device"] for library in found["libraries"] if library["device"]]

    def test_memory_of_a_device(self):
        self.assertEqual(self.devices(self.json()), [])
        for device in self.devices(self.json("--device")):  # this machine's own
            self.assertTrue(device["name"] or "driver" in device["trouble"] or "device" in device["trouble"], device)
        for device in self.devices(self.json("--device", LD_LIBRARY_PATH=self.driver("PROT_READ|PROT_WRITE"))):
            self.assertEqual(device, {"name": "Look-alike", "sends_directly": True, "trouble": None})
        found = self.devices(self.json("--device", LD_LIBRARY_PATH=self.driver("PROT_NONE")))
        self.assertTrue(found)
        for device in found:
            self.assertFalse(device["sends_directly"])
            self.assertIn("failed", device["trouble"])
        self.assertIn("can't be sent directly", " ".join(self.doctor("--device", LD_LIBRARY_PATH=self.driver("PROT_NONE")).stdout.split()))

    def stub(self):
        """A libmpi.so.12 that is not an MPI library, and a program linked with it."""
        (self.folder / "stub.c").write_text("int stub(void) { return 0; }\n")
        subprocess.run(["cc", "-shared", "-fPIC", "-Wl,-soname,libmpi.so.12", "stub.c", "-o", "lib/libmpi.so.12"], cwd=self.folder,
                       check=True)
        return self.compile("cc", "int stub(void);\nint main(void) { return stub(); }\n", "lib/libmpi.so.12")

    def is_measured(self, library):
        measured = library["measured"]
        self.assertIn(measured["thread_level"], ("single", "funneled", "serialized", "multiple"))
        self.assertEqual(len(measured["cores_of_ranks"]), 2)
        self.assertTrue(all(measured["cores_of_ranks"]))
        self.assertGreater(measured["eager_bytes"], 0)
        for what in ("isend", "iallreduce"):
            self.assertEqual(measured[what]["bytes"], 1 << 20)
            self.assertGreater(measured[what]["transfer_seconds"], 0)
            self.assertGreaterEqual(measured[what]["repeats"], 5)

    def test_says_that_the_machine_is_busy(self):
        others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(3 * os.cpu_count())]
        try:
            done = self.doctor()
        finally:
            for other in others:
                other.kill()
                other.wait()
        if "Measured with two ranks" not in done.stdout or os.cpu_count() < 2:
            self.skipTest("nothing was measured")
        self.assertIn("The machine was busy: a rank waited for a core", " ".join(done.stdout.split()))

    def test_the_libraries_that_are_there(self):
        found = self.json(self.compile(MPICC, HELLO))
        self.assertLessEqual({"format", "weft", "verdict", "matches", "problems", "notes", "advice", "machine", "mpicc", "mpirun", "program",
                              "libraries", "environment", "seconds"}, set(found))
        self.assertGreaterEqual(len(found["machine"]["hardware_threads_of_this_process"]), found["machine"]["cores_of_this_process"])
        used = [l for l in found["libraries"] if l["path"] == found["program"]["library"]]
        self.assertEqual(len(used), 1, found["libraries"])
        self.assertIn(used[0]["abi"], ("openmpi", "mpich", "abi"))
        self.assertRegex(used[0]["version"], r"^\d+\.\d")
        self.assertEqual(len({l["path"] for l in found["libraries"]}), len(found["libraries"]))
        for library in found["libraries"]:
            if library["launcher"] and not library["trouble"]:
                self.is_measured(library)
        self.is_measured(used[0])

    def test_the_text_has_the_verdict_first_and_fits(self):
        done = self.doctor()
        lines = done.stdout.splitlines()
        self.assertTrue(lines[0].startswith("weft doctor: "), lines)
        self.assertEqual("match: " in lines[0] or "not match" in lines[0], done.returncode == 1, lines[0])
        for title in ("Machine", "In use", "Libraries"):
            self.assertIn(title, lines)
        for line in lines:
            self.assertTrue(len(line) <= 100 or len(line.split()) <= 2, line)

    def test_a_broken_library_is_said_and_the_rest_goes_on(self):
        broken = self.folder / "lib/libmpi_abi.so.1"
        broken.write_text("nothing\n")
        found = self.json(LD_LIBRARY_PATH=str(self.folder / "lib"))
        library = next(l for l in found["libraries"] if l["path"] == str(broken))
        self.assertRegex(library["trouble"], r"^can't be opened \(.*\)$")
        self.assertIsNone(library["measured"])
        self.assertTrue(any(str(broken) in note for note in found["notes"]))
        self.assertTrue(any(l["measured"] for l in found["libraries"]))

    def test_a_library_that_is_none(self):
        program = self.stub()
        found = self.json(program, LD_LIBRARY_PATH=str(self.folder / "lib"))
        self.assertFalse(found["matches"])
        self.assertTrue(any("no MPI_Get_library_version" in problem for problem in found["problems"]), found["problems"])

    def test_a_program_whose_library_is_not_found(self):
        program = self.stub()
        (self.folder / "lib/libmpi.so.12").unlink()
        found = self.json(program)
        self.assertIn({"name": "libmpi.so.12", "path": None}, found["program"]["needed"])
        self.assertRegex(found["verdict"], "needs .*libmpi.so.12, which the loader does not find")

    def test_a_launcher_of_another_mpi(self):
        program = self.compile(MPICC, HELLO)
        found = self.json(program)
        used = next(l for l in found["libraries"] if l["path"] == found["program"]["library"])
        self.tool("mpirun", HYDRA if used["abi"] == "openmpi" else OPENMPI)
        done = self.doctor(program, own_tools=True)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(" ".join(done.stdout.split()), rf"{program} uses .* but {self.folder}/bin/mpirun is (MPICH|Open MPI) 99.9")

    @unittest.skipUnless(shutil.which("mpicc.mpich") and shutil.which("mpirun.openmpi"), "needs MPICH and Open MPI side by side")
    def test_mpicc_and_mpirun_of_different_mpis(self):
        for name, real in (("mpicc", "mpicc.mpich"), ("mpirun", "mpirun.openmpi")):
            (self.folder / "bin" / name).symlink_to(shutil.which(real))
        found = self.json(self.compile("mpicc.mpich", HELLO), own_tools=True)
        self.assertEqual(len(found["problems"]), 2, found["problems"])
        self.assertTrue(all("MPICH" in problem and "Open MPI" in problem for problem in found["problems"]), found["problems"])

    def test_tools_that_hang(self):
        for name in ("mpirun", "mpicc"):
            self.tool(name, "#!/bin/sh\nsleep 1000\n")
        began = time.monotonic()
        found = self.json(own_tools=True, seconds=2)
        self.assertLess(time.monotonic() - began, 60)
        self.assertFalse(found["matches"])
        self.assertEqual(len([p for p in found["problems"] if "did not end in time" in p]), 2, found["problems"])

    def test_ranks_that_hang(self):
        found = self.json(self.compile(MPICC, HELLO))
        used = next(l for l in found["libraries"] if l["path"] == found["program"]["library"])
        copy = self.folder / "lib" / used["name"]
        shutil.copy(used["path"], copy)
        self.tool("mpirun", f'#!/bin/sh\n[ "$1" = --version ] && exec {used["launcher"]["path"]} --version\nsleep 1000\n')
        began = time.monotonic()
        found = self.json(seconds=3, own_tools=True, LD_LIBRARY_PATH=str(copy.parent))
        self.assertLess(time.monotonic() - began, 60)
        library = next(l for l in found["libraries"] if l["path"] == str(copy))
        if not library["version"]:
            self.skipTest("the library can be opened only in its own folder")
        self.assertEqual(library["launcher"]["path"], str(self.folder / "bin/mpirun"))
        self.assertEqual(library["trouble"], "two ranks did not run (did not end in time)")
        self.assertFalse(found["matches"])

    def test_a_part_that_is_missing(self):
        alone = shutil.copy(DOCTOR, self.folder / "weft-doctor")
        done = subprocess.run([alone], text=True, capture_output=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"\Aerror: A part of weft doctor is missing [^\n]+\n\Z")

    def test_a_program_without_mpi_is_not_started(self):
        found = self.json(self.compile("cc", '#include <stdio.h>\nint main(void) { fopen("started", "w"); return 0; }\n'))
        self.assertEqual(found["program"]["needed"], [])
        self.assertFalse((self.folder / "started").exists())

    def test_what_can_not_be_read_is_one_line(self):
        (self.folder / "script").write_text("#!/bin/sh\n")
        for words in (["--nonsense"], ["--seconds", "x"], ["--seconds", "0"], ["nowhere"], ["script"], ["."], ["a", "b"]):
            with self.subTest(words=words):
                done = subprocess.run([DOCTOR, *words], cwd=self.folder, text=True, capture_output=True, timeout=60)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertRegex(done.stderr, r"\Aerror: [^\n]+\.\n\Z")

    @unittest.skipUnless(shutil.which("readelf"), "needs readelf")
    def test_it_is_no_mpi_program(self):
        probes = pathlib.Path(DOCTOR).parent / "doctor"
        self.assertEqual(len(list(probes.iterdir())), 3)
        for program in (DOCTOR, *probes.iterdir()):
            self.assertNotIn("libmp", subprocess.run(["readelf", "-d", program], text=True, capture_output=True, check=True).stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
