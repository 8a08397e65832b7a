#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""weft run with launchers that only print their arguments, and with the installed launchers.

    run.py WEFT_RUN LIBRARY [CLASS...]
"""
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM, LIBRARY = os.path.abspath(sys.argv[1]), os.path.realpath(sys.argv[2])
JACOBI = pathlib.Path(__file__).resolve().parent.parent / "advise/jacobi.c"

WAYS = JACOBI.with_name("ways.c")
# Rank 0 computes without end, rank 1 waits for a message that nobody sends, the others wait for both.
WINDOW = """#include <mpi.h>
void window(void) {
  static double memory[8];
  MPI_Win win;
  MPI_Win_create(memory, sizeof memory, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_free(&win);
}
"""
HANGS = """#include <mpi.h>
#include <stdio.h>
static int rank;
__attribute__((noinline)) void expect(void) {
  double x;
  MPI_Recv(&x, 1, MPI_DOUBLE, 0, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  puts("never");
}
int main(int argc, char** argv) {
  double one = 1, sum;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < ROUNDS; ++i) MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) puts("ready"), fflush(stdout);
  for (volatile int go = 1; go && rank == 0 && argc == 1;) {}
  if (rank == 1) expect();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
"""

# Answers of launchers to --version.
VERSIONS = {
    "openmpi 4": ("mpirun", "mpirun (Open MPI) 4.1.4\n\nReport bugs to http://www.open-mpi.org/community/help/"),
    "openmpi 4 of Debian": ("mpirun.openmpi", "mpirun.openmpi (OpenRTE) 4.1.4"),
    "openmpi 5": ("mpirun", "mpirun (Open MPI) 5.0.3\n\nReport bugs to https://www.open-mpi.org/community/help/"),
    "prterun": ("prterun", "prterun (PRRTE) 3.0.5"),
    "prterun that was moved": ("prterun", "Sorry!  You were supposed to get help about:\n    version"),
    "mpich": ("mpiexec", "HYDRA build details:\n    Version:                                 4.0.2"),
    "intel": ("mpirun", "Intel(R) MPI Library for Linux* OS, Version 2021.11 Build 20231005"),
    "slurm": ("srun", "slurm-wlm 22.05.8"),
    "unknown": ("mpiexec", "mpiexec version 1.2"),
}
ANY_OPENMPI = ("openmpi 4", "openmpi 4 of Debian", "openmpi 5", "prterun", "prterun that was moved")

# Prints its arguments, moves the next report of the folder FAKE_REPORTS to where the library would write it, and ends
# as FAKE_END says.
LAUNCHER = """#!/bin/sh
if [ "$1" = --version ]; then cat "$0.version"; exit; fi
out=$WEFT_ADVISE_OUT before=
for word; do
  case $word in
  WEFT_ADVISE_OUT=*) out=${word#*=} ;;
  --export=*) out=$(printf %s "$word" | tr , '\\n' | sed -n 's/^WEFT_ADVISE_OUT=//p') ;;
  esac
  if [ "$before" = WEFT_ADVISE_OUT ]; then out=$word; fi
  before=$word
done
printf '%s\\n' "preload:$LD_PRELOAD" "$@"
next=$(ls "$FAKE_REPORTS" 2>/dev/null | head -n 1)
if [ -n "$next" ]; then
  mv "$FAKE_REPORTS/$next" "$out.json"
  echo 'weft advise: a table' >"$out.txt"
  echo "$next" >"$out.trace.json"
fi
case ${FAKE_END:-0} in kill) kill -KILL $$ ;; *) exit $FAKE_END ;; esac
"""


def report(fraction=0.5, **changes):
    """A report with changed members: mean_steps=3 sets "steps" in "mean"."""
    made = {
        "format": 2, "ended": "finalize", "ranks": 2, "library": "Open MPI v4.1.4", "abi": "openmpi",
        "progress_thread": False, "seconds": 1.5, "mpi_seconds": 0.5, "recorded_share": 1.0, "unwatched": [], "sites": [],
        "recorder": {"bytes_a_rank": 5e6, "cost_share": 0.002, "deadline_seconds": 10},
        "environment": {"nodes": 1, "ranks_on_fullest_node": 2, "cores_of_node": 4, "cores_of_a_rank": 4,
                        "shared_cores": False, "pinned": False, "thread_level": "single", "hosts": ["a"]},
        "step": {"found_by": "period", "ends_with": "MPI_Waitall jacobi.c:94 main", "alike": 1.0},
        "network": {"bytes": [8, 64, 512, 4096, 32768], "seconds": [1e-6, 1e-6, 2e-6, 4e-6, 2e-5],
                    "eager_bytes": 4096, "message_seconds": 1e-6},
        "advice": [], "picture": {"seconds": 7e-4, "ranks": []},
    }
    mean = {key: 0.0 for key in ("calls", "peers", "messages_to_a_peer", "packed_to_a_peer", "waits",
                                 "overlapped_seconds", "exposed_seconds", "late_seconds", "coalesce_gain_seconds",
                                 "synchronise_gain_seconds", "progress_thread_gain_seconds")}
    mean.update(steps=100.0, seconds=1e-2, mpi_seconds=4e-3, messages=4.0, needed_seconds=1e-3, matched=1.0,
                overlap_fraction=fraction)
    made["mean"], made["most"] = mean, dict(mean)
    for key, value in changes.items():
        part, _, rest = key.partition("_")
        if rest and isinstance(made.get(part), dict):
            made[part][rest] = value
        else:
            made[key] = value
    return made


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        (self.folder / "bin").mkdir()

    def script(self, name, text):
        file = self.folder / "bin" / name
        file.write_text(text)
        file.chmod(0o755)
        return str(file)

    def launcher(self, kind):
        name, version = VERSIONS[kind]
        path = self.script(name, LAUNCHER)
        pathlib.Path(path + ".version").write_text(version + "\n")
        return path

    def reports(self, *reports):
        folder = self.folder / "reports"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for i, one in enumerate(reports):
            (folder / f"{i:03}").write_text(json.dumps(one))
        return str(folder)

    def run_it(self, *words, cwd=None, env=None, **settings):
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("WEFT_")}
        return subprocess.run([PROGRAM, *map(str, words)], cwd=cwd or self.folder, env=inherited | (env or {}),
                              text=True, capture_output=True, timeout=100, **{"stdin": subprocess.DEVNULL} | settings)

    def files(self, prefix="weft_run"):
        return sorted(name for name in os.listdir(self.folder) if name.startswith(prefix))


class Words(Folder):
    """The arguments that launchers get."""

    def given(self, kind, *words, **env):
        done = self.run_it("--", self.launcher(kind), *words, env=env)
        lines = done.stdout.splitlines()
        self.assertEqual(done.returncode, 0, done.stderr)
        return lines[0].removeprefix("preload:"), lines[1:]

    def ours(self, before=""):
        return ["WEFT_ADVISE_OUT=" + str(self.folder / "weft_run"), "WEFT_ADVISE_TABLE=off", "WEFT_ADVISE_NUMBERED=on",
                "LD_PRELOAD=" + before + LIBRARY]

    def test_open_mpi(self):
        ours = [word for variable in self.ours() for word in ("-x", variable)]
        for kind in ANY_OPENMPI:
            with self.subTest(kind):
                preload, words = self.given(kind, "-n", "2", "./a", "x", ":", "-n", "1", "./b", ":x")
                self.assertEqual(preload, "")
                self.assertEqual(words, [*ours, "-n", "2", "./a", "x", ":", *ours, "-n", "1", "./b", ":x"])

    def test_hydra(self):
        ours = [word for variable in self.ours() for word in ("-genv", *variable.split("="))]
        for kind in ("mpich", "intel"):
            with self.subTest(kind):
                preload, words = self.given(kind, "-n", "2", "./a", ":", "-n", "1", "./b")
                self.assertEqual(preload, "")
                self.assertEqual(words, [*ours, "-n", "2", "./a", ":", "-n", "1", "./b"])

    def test_slurm(self):
        ours = ",".join(self.ours())
        for given, wanted in ((["-n", "2"], [f"--export=ALL,{ours}", "-n", "2"]),
                              (["-n2", "--export=A,B=c"], ["-n2", f"--export=A,B=c,{ours}"]),
                              (["--export", "NONE", "-l"], [f"--export={ours}", "-l"])):
            with self.subTest(given):
                self.assertEqual(self.given("slurm", *given, "true", "--export=mine"),
                                 ("", [*wanted, "true", "--export=mine"]))
        done = self.run_it("--out", "a,b", "--", self.launcher("slurm"), "true")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("comma", done.stderr)

    def test_what_is_preloaded_already_stays(self):
        self.assertIn("LD_PRELOAD=/other.so:" + LIBRARY,
                      self.given("openmpi 4", "-n", "1", "-x", "LD_PRELOAD=/other.so", "true")[1])
        words = self.given("openmpi 5", "-n", "1", "env", "LD_PRELOAD=/other.so", "true", "LD_PRELOAD=mine")[1]
        self.assertEqual(words[-4:], ["env", "LD_PRELOAD=/other.so:" + LIBRARY, "true", "LD_PRELOAD=mine"])
        words = self.given("mpich", "-genv", "LD_PRELOAD", "/other.so", "-n", "1", "true")[1]
        self.assertEqual(words[words.index("LD_PRELOAD") + 1], "/other.so:" + LIBRARY)
        self.assertEqual(words.count("LD_PRELOAD"), 1)
        # An empty file is not a library, but the loader only prints a message.
        words = self.given("slurm", "--export=LD_PRELOAD=/other.so", "true")[1]
        self.assertIn("LD_PRELOAD=/other.so:" + LIBRARY, words[0])

    def test_variables_of_the_library(self):
        done = self.run_it("--drive", "--step", "a.c:3", "--deadline", "30", "--no-trace", "--out", "bin/x", "--",
                           self.launcher("openmpi 4"), "true", env={"WEFT_ADVISE_EVENTS": "2048"})
        for word in ("WEFT_PROGRESS=thread", "WEFT_ADVISE_STEP=a.c:3", "WEFT_ADVISE_DEADLINE=30", "WEFT_ADVISE_TRACE=0",
                     "WEFT_ADVISE_EVENTS=2048", f"WEFT_ADVISE_OUT={self.folder}/bin/x"):
            self.assertIn(word, done.stdout.splitlines())

    def test_no_launcher(self):
        say = self.script("say", '#!/bin/sh\necho "$LD_PRELOAD" "$WEFT_ADVISE_OUT" "$@"\n')
        for before in ([], ["env", "A=b"], ["timeout", "60"]):
            with self.subTest(before):
                done = self.run_it("--", *before, say, "--version", "mpirun")
                self.assertEqual(done.stdout, f"{LIBRARY} {self.folder}/weft_run --version mpirun\n")

    def test_launcher_behind_other_commands(self):
        done = self.run_it("--", "env", "A=b", "timeout", "60", self.launcher("openmpi 4"), "true")
        self.assertEqual(done.stdout.splitlines()[:2], ["preload:", "-x"])

    def test_launcher_that_nobody_knows(self):
        done = self.run_it("--", self.launcher("unknown"), "-n", "1", "true")
        self.assertEqual(done.stdout, f"preload:{LIBRARY}\n-n\n1\ntrue\n")
        self.assertIn("by the environment alone", done.stderr)

    def test_variables_that_open_mpi_has_in_a_list(self):
        """Open MPI 4 ends with an error if both -x and mca_base_env_list are given."""
        ours = ";".join(self.ours())
        given = ["--mca", "mca_base_env_list", "A=1;LD_PRELOAD=/other.so", "-n", "1", "true"]
        listed = "A=1;LD_PRELOAD=/other.so:" + LIBRARY + ";" + ";".join(self.ours()[:3])
        self.assertEqual(self.given("openmpi 4", *given)[1], [*given[:2], listed, *given[3:]])
        given = ["--mca", "mca_base_env_list_delimiter", "+", "-mca", "mca_base_env_list", "A=1", "true"]
        self.assertEqual(self.given("openmpi 5", *given)[1], [*given[:5], "A=1+" + ours.replace(";", "+"), "true"])
        words = self.given("openmpi 4", "true", "--mca", "mca_base_env_list", "mine")[1]  # arguments of the program itself
        self.assertEqual((words[0], words[-1]), ("-x", "mine"))
        home = self.folder / "home/.openmpi"
        home.mkdir(parents=True)
        (home / "mca-params.conf").write_text("# mca_base_env_list = X\nbtl = tcp\n mca_base_env_list =  A=1;B \n")
        show = self.launcher("openmpi 4")
        pathlib.Path(show).write_text(LAUNCHER.replace("printf '%s\\n' \"preload", "printf '%s\\n' \"$OMPI_MCA_mca_base_env_list\" \"preload"))
        for env, before in (({"OMPI_MCA_mca_base_env_list": "C=3"}, "C=3"), ({"HOME": str(home.parent)}, "A=1;B")):
            done = self.run_it("--", show, "-n", "1", "true", env=env)
            self.assertEqual(done.stdout.splitlines(), [f"{before};{ours}", "preload:", "-n", "1", "true"], done.stderr)
        done = self.run_it("--out", "a;b", "--", show, "true", env={"OMPI_MCA_mca_base_env_list": "C=3"})
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("mca_base_env_list can't pass", done.stderr)

    def test_only_launchers_are_asked_for_their_version(self):
        for name in ("hydra", "lsrun", "mpirun_all.sh", "program"):
            with self.subTest(name):
                asked = self.script(name, '#!/bin/sh\necho "$@" >>words\n')
                self.assertEqual(self.run_it("--", asked, "a").returncode, 0)
                self.assertEqual((self.folder / "words").read_text(), "a\n")
                (self.folder / "words").unlink()
        for name in ("mpirun", "mpiexec.hydra", "mpirun-openmpi-gcc", "srun"):
            asked = self.script(name, '#!/bin/sh\necho "$@" >>words\n')
            self.run_it("--", asked, "a")
            self.assertEqual((self.folder / "words").read_text(), "--version\na\n")
            (self.folder / "words").unlink()

    def test_application_file(self):
        done = self.run_it("--", self.launcher("openmpi 4"), "--app", "file")
        self.assertEqual(done.stdout, f"preload:{LIBRARY}\n--app\nfile\n")


class Endings(Folder):
    def test_exit_status_is_the_launchers(self):
        for kind in VERSIONS:
            launcher = self.launcher(kind)
            for end, status in (("0", 0), ("5", 5), ("139", 139), ("kill", 137)):
                for left in (True, False):
                    with self.subTest(kind=kind, end=end, left=left):
                        env = {"FAKE_END": end} | ({"FAKE_REPORTS": self.reports(report())} if left else {})
                        done = self.run_it("--fail-below", "0.1", "--", launcher, "-n", "2", "program", env=env)
                        self.assertEqual(done.returncode, status if status or left else 4, done.stderr)
                        self.assertEqual(self.files(), ["weft_run." + end for end in ("html", "json", "trace.json")
                                                        if left])
                        self.assertEqual("There is no report" in done.stderr, not left)
                        self.assertEqual("signal 9" in done.stderr, end == "kill")
                        self.assertEqual("status 5" in done.stderr, end == "5")
                        self.assertEqual("128 + 11" in done.stderr, end == "139")

    def test_streams_are_the_programs(self):
        done = self.run_it("--", "sh", "-c", "cat; echo err >&2", input="in\n", stdin=None)
        self.assertEqual(done.stdout, "in\n")
        self.assertTrue(done.stderr.startswith("err\n"), done.stderr)

    def test_nobody_reads(self):
        """Failures to print the program's own lines do not change the exit status, and the page is written."""
        launcher = self.launcher("mpich")
        reader, gone = os.pipe()
        os.close(reader)
        self.addCleanup(os.close, gone)
        for streams in ("2>&-", ">&- 2>&-", "<&- >&- 2>&-", "2>/dev/full", ">/dev/full 2>/dev/full", f"2>&{gone}"):
            with self.subTest(streams):
                env = {"FAKE_END": "5", "FAKE_REPORTS": self.reports(report())}
                done = subprocess.run(["sh", "-c", f'"$0" -- "$1" -n 2 program {streams}', PROGRAM, launcher],
                                      cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=60,
                                      check=False, env=os.environ | env, pass_fds=[gone])
                self.assertEqual(done.returncode, 5, done.stderr)
                page = self.folder / "weft_run.html"
                self.assertTrue(page.read_text().endswith("</html>\n"))
                page.unlink()

    def test_the_program_has_the_streams_as_they_were(self):
        show = self.script("show", "#!/bin/sh\nls -l /proc/$$/fd >fds\n(yes; echo $? >yes) | head -n 1\n")
        for streams, closed in (("2>&-", {"2"}), ("<&- 2>&-", {"0", "2"}), ("", set())):
            text = f'"$0" -- "$1" {streams}'
            subprocess.run(["sh", "-c", text, PROGRAM, show], cwd=self.folder, capture_output=True, timeout=60,
                           check=False)
            self.assertFalse(closed & set(re.findall(r" (\d+) ->", (self.folder / "fds").read_text())), streams)
            self.assertEqual((self.folder / "yes").read_text(), "141\n")  # ended by SIGPIPE, as without weft run

    def test_an_interrupted_repetition_ends(self):
        (self.folder / "trap").write_text("trap 'exit 0' TERM\necho ran\ni=0\nwhile [ $((i+=1)) -lt 200 ]; do sleep 0.05; done\n")
        for options, status in (([], 0), (["--fail-below", "0"], 4)):
            with subprocess.Popen([PROGRAM, "--repeat", "3", *options, "--", "sh", "trap"], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, cwd=self.folder) as running:
                self.assertEqual(running.stdout.readline(), "ran\n")
                running.terminate()
                out, said = running.communicate(timeout=20)
                self.assertEqual((running.returncode, out), (status, ""), said)
                self.assertIn("1 of 3 runs", said)

    def test_an_interruption_is_the_reason_of_a_failure(self):
        (self.folder / "trap").write_text("trap 'exit 1' TERM\necho ran\ni=0\nwhile [ $((i+=1)) -lt 200 ]; do sleep 0.05; done\n")
        for repeat, words in (("3", "A signal ended this command after 0 of 3 runs."), ("1", "sh was interrupted, and ended with status 1.")):
            with subprocess.Popen([PROGRAM, "--repeat", repeat, "--history", "past", "--markdown", "a.md", "--junit", "a.xml", "--", "sh", "trap"],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder) as running:
                self.assertEqual(running.stdout.readline(), "ran\n")
                running.terminate()
                said = running.communicate(timeout=20)[1]
            self.assertEqual(running.returncode, 1, said)
            self.assertIn(words, said)
            self.assertIn("The run was not added to the history, since it failed.", said)
            for name in ("a.md", "a.xml"):
                self.assertIn("sh was interrupted, and ended with status 1.", (self.folder / name).read_text())
            self.assertFalse((self.folder / "past").exists())

    def test_a_report_that_was_not_complete_in_time(self):
        late = report(ended="late", recorder_deadline_seconds=1)
        done = self.run_it("--fail-below", "0", "--", self.launcher("mpich"), "program", env={"FAKE_REPORTS": self.reports(late)})
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertEqual(" ".join(done.stderr.split()).count("he report was not complete within 1 s of MPI_Finalize; give a longer --deadline"), 2, done.stderr)
        for wrong in ("ENDED EARLY", "did not reach", "ended before", "weft advise", "WEFT_"):
            self.assertNotIn(wrong, done.stderr)

    def test_signals_go_on(self):
        for number, name in ((signal.SIGINT, "INT"), (signal.SIGTERM, "TERM"), (signal.SIGHUP, "HUP"),
                             (signal.SIGQUIT, "QUIT"), (signal.SIGUSR1, "USR1"), (signal.SIGUSR2, "USR2")):
            with self.subTest(name), subprocess.Popen(
                    [PROGRAM, "--", "sh", "-c", f"trap 'exit 9' {name}; echo ready; i=0; while [ $((i+=1)) -lt 200 ]; do sleep 0.05; done"],
                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=self.folder) as running:
                running.stdout.readline()
                running.send_signal(number)
                self.assertEqual(running.wait(timeout=20), 9)

    def test_ignored_signals_stay_ignored(self):
        with subprocess.Popen(["nohup", PROGRAM, "--", "sh", "-c", "echo ready; sleep 0.5; exit 6"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=self.folder) as running:
            running.stdout.readline()
            running.send_signal(signal.SIGHUP)
            self.assertEqual(running.wait(timeout=20), 6)

    def test_an_interrupt_of_the_terminal_comes_once(self):
        count = 'n=0; trap "n=\\$((n+1))" INT; echo ready; i=0; while [ $i -lt 20 ]; do sleep 0.05; i=$((i+1)); done; '
        count = count.replace("\\$", "$").replace('"', "'") + "echo =$n="
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.folder)
            os.execv(PROGRAM, [PROGRAM, "--", "sh", "-c", count])
        text, sent, until = b"", False, time.monotonic() + 30
        while time.monotonic() < until and not re.search(rb"=\d=", text):
            if select.select([terminal], [], [], 0.1)[0]:
                text += os.read(terminal, 4096)
            if b"ready" in text and not sent:
                os.write(terminal, b"\x03")
                sent = True
        os.close(terminal)
        os.waitpid(child, 0)
        self.assertIn(b"=1=", text)

    def test_files_of_an_earlier_run(self):
        for name in ("weft_run.html", "weft_run.trace.json", "weft_run.rank-3.live", "weft_run.run-2.trace.json"):
            (self.folder / name).write_text("old")
        (self.folder / "weft_run.html").write_text("<title>weft run: old</title>")
        (self.folder / "weft_run.json").write_text(json.dumps(report()))
        (self.folder / "weft_run.own").write_text("kept")
        done = self.run_it("--", self.launcher("mpich"), "program")
        self.assertIn("There is no report", done.stderr)
        self.assertEqual(self.files(), ["weft_run.own"])

    def test_a_report_outlives_a_command_that_cannot_be_started(self):
        (self.folder / "weft_run.json").write_text(json.dumps(report()))
        (self.folder / "weft_run.html").write_text("page")
        (self.folder / "data").write_text("no program")
        for word in ("no-such-launcher", "./data", str(self.folder)):
            done = self.run_it("--", word, "a")
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
            self.assertEqual(self.files(), ["weft_run.html", "weft_run.json"])

    def test_others_files_are_kept(self):
        for name in ("mine.json", "mine.txt", "mine.html"):
            (self.folder / name).write_text("{}")
            done = self.run_it("--out", "mine", "--", self.launcher("mpich"), "program")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(name, done.stderr)
            (self.folder / name).unlink()


class Places(Folder):
    def test_folder_that_cannot_be_written(self):
        env = {"FAKE_REPORTS": self.reports(report()), "TMPDIR": str(self.folder)}
        done = self.run_it("--", self.launcher("openmpi 4"), "program", cwd="/proc", env=env)
        self.assertEqual(done.returncode, 0)
        self.assertIn("working directory can't be written", done.stderr)
        self.assertEqual(len(list(self.folder.glob("weft_run.*/weft_run.html"))), 1)

    def test_name_that_cannot_be_written(self):
        (self.folder / "file").write_text("")
        for option in ("--out", "--markdown", "--junit", "--history"):
            for out in ("file/x", "/proc/none/x", str(self.folder), "bin/", "new/here/x"):
                if option == "--history" and out not in ("file/x", "/proc/none/x"):
                    continue
                with self.subTest(out, option=option):
                    done = self.run_it(option, out, "--", self.launcher("openmpi 4"), "program")
                    self.assertEqual((done.returncode, done.stdout), (2, ""))
                    self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                    self.assertNotIn("Free", done.stderr)
                    self.assertNotIn("run.json", done.stderr)
                    self.assertFalse((self.folder / "new").exists())

    def test_library_that_is_not_there(self):
        alone = shutil.copy(PROGRAM, self.folder / "bin/weft-run")
        done = subprocess.run([alone, "--", "echo", "ran"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("libweft_advise.so", done.stderr)
        (self.folder / "lib64").mkdir()
        os.symlink(LIBRARY, self.folder / "lib64/libweft_advise.so")
        done = subprocess.run([alone, "--", "sh", "-c", "echo $LD_PRELOAD"], capture_output=True, text=True,
                              cwd=self.folder, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, LIBRARY + "\n"))


class Options(Folder):
    def test_wrong_ones(self):
        for words, said in (([], "nothing to run"), (["--"], "nothing to run"), (["mpirun", "-n", "2", "true"], "'mpirun' is not expected here (the launcher and the program go after --)"),
                            (["one", "two", "--", "echo"], "'one' is not expected here."),
                            (["--nothing", "--", "echo"], "--nothing"), (["--fail-below", "x", "--", "echo"], "overlap fraction"),
                            (["--fail-below", "120%", "--", "echo"], "overlap fraction"),
                            (["--fail-below", "60", "--", "echo"], "overlap fraction"),
                            (["--repeat", "0", "--", "echo"], "--repeat"), (["--deadline", "x", "--", "echo"], "--deadline"),
                            (["--against", "none.json", "--", "echo"], "none.json"),
                            (["--against", PROGRAM, "--", "echo"], "not a text"),
                            (["--report", "none"], "none.json"), (["--report", "a", "--", "echo"], "--report"),
                            (["--", "no-such-launcher", "a"], "no-such-launcher")):
            with self.subTest(words):
                done = self.run_it(*words)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertIn(said, done.stderr)
                self.assertTrue(done.stderr.startswith("error: "))

    def test_empty_ones(self):
        """An unset variable in a test script must not turn off a limit."""
        for option in ("--fail-below", "--against", "--report", "--out", "--step"):
            with self.subTest(option):
                done = self.run_it(option, "", "--", "echo", "ran")
                self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
                self.assertIn(option, done.stderr)

    def test_help_and_version(self):
        for word, said in (("--help", "--fail-below"), ("--version", ".")):
            done = self.run_it(word)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(said, done.stdout)

    def test_it_needs_no_mpi_and_starts_at_once(self):
        listed = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=False).stdout
        self.assertNotIn("libmpi", listed)


class Gates(Folder):
    def judged(self, options, *reports):
        done = self.run_it(*options, "--", self.launcher("openmpi 5"), "program",
                           env={"FAKE_REPORTS": self.reports(*reports)})
        return done.returncode, done.stderr

    def test_fail_below(self):
        for text in ("60%", "0.6"):
            self.assertEqual(self.judged(["--fail-below", text], report(0.61))[0], 0)
            status, said = self.judged(["--fail-below", text], report(0.59))
            self.assertEqual(status, 3)
            self.assertIn("59.0 %", said)
            self.assertIn("60 %", said)

    REGION = {"name": "step/halo", "seconds": 4e-3, "mpi_seconds": 1e-3, "messages": 2.0, "overlap_fraction": 0.5, "needed_seconds": 1e-3,
              "overlappable_seconds": 1e-3, "interval": [0.45, 0.55]}

    def test_fail_below_of_regions(self):
        regions = [self.REGION, self.REGION | {"name": "init/halo", "overlap_fraction": 0.9, "interval": [0.85, 0.95]},
                   self.REGION | {"name": "step", "messages": 0.0}]
        for text, status, words in (("step/halo:40%", 0, "step/halo is 50.0 % (45.0 to 55.0 %), not below"), ("step/halo:60%", 3, "(status 3)"),
                                    ("step/halo:52%", 0, "not clearly below"), ("halo:60%", 3, "init/halo is 90.0 %"),
                                    ("step:0", 4, "no message"), ("lost:0", 4, "the regions step/halo, init/halo and step")):
            got, said = self.judged(["--fail-below", text], report(0.5, regions=regions))
            self.assertEqual(got, status, said)
            self.assertIn(words, said)
        got, said = self.judged(["--fail-below", "60%", "--fail-below", "init/halo:60%"], report(0.5, regions=regions))
        self.assertEqual((got, said.count("The overlap fraction")), (3, 2), said)
        got, said = self.judged(["--fail-below", "halo:60%"], report())
        self.assertEqual(got, 4)
        self.assertIn("names no regions", said)
        for text in (":60%", "halo:", "halo:1.2"):
            self.assertEqual(self.judged(["--fail-below", text], report())[0], 2)

    def test_against_by_regions_and_intervals(self):
        before = report(0.7, regions=[self.REGION | {"overlap_fraction": 0.7, "interval": [0.65, 0.75]}], mean_interval=[0.6, 0.8])
        (self.folder / "before.json").write_text(json.dumps(before))
        for fraction, interval, status in ((0.5, [0.45, 0.55], 3), (0.5, [0.3, 0.7], 0), (0.66, [0.65, 0.66], 0)):
            region = self.REGION | {"overlap_fraction": fraction, "interval": interval}
            got, said = self.judged(["--against", "before.json"], report(0.62, regions=[region, region | {"name": "new"}], mean_interval=[0.55, 0.65]))
            self.assertEqual(got, status, said)
            self.assertIn("of region step/halo", said)
            self.assertNotIn("of region new", said)

    def test_against(self):
        (self.folder / "before.json").write_text(json.dumps(report(0.7)))
        for fraction, status in ((0.9, 0), (0.61, 0), (0.59, 3)):
            got, said = self.judged(["--against", "before.json"], report(fraction))
            self.assertEqual(got, status, said)
            self.assertIn(f"{100 * fraction:.1f} %", said)
            self.assertIn("70.0 %", said)
        (self.folder / "before.json").write_text(json.dumps(report(0.7, mean_steps=3.0)))
        status, said = self.judged(["--against", "before.json"], report(0.9))
        self.assertEqual(status, 4)
        self.assertIn("before", said)

    def test_the_result_of_a_program_of_weft(self):
        result = {"case": "case.toml", "mpi": "MPICH 4", "overlap": report(0.7, regions=[self.REGION])}
        (self.folder / "result.json").write_text(json.dumps(result))
        del result["overlap"]["sites"]  # which only weft run has
        (self.folder / "result.json").write_text(json.dumps(result))
        done = self.run_it("--report", "result.json", "--fail-below", "60%", "--fail-below", "halo:60%", "--history", "kept")
        self.assertEqual(len(self.files("kept")), 1)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("MPICH 4", done.stdout)
        self.assertIn("70.0 %, not below", done.stderr)
        self.assertIn("step/halo is 50.0 %", done.stderr)
        self.assertEqual(json.loads((self.folder / "result.json").read_text()), result)
        (self.folder / "result.json").write_text(json.dumps(result | {"overlap": []}))
        self.assertEqual(self.run_it("--report", "result.json").returncode, 2)

    def test_without_steps_nothing_is_per_step(self):
        regions = [self.REGION | {"name": f"part {n}"} for n in range(3)]
        for changes, said in (({"step_found_by": "nothing", "mean_steps": 1.0}, "no step was found"), ({"mean_steps": 1.0}, "1 step was found"),
                              ({"ended": "early", "mean": {}}, "before MPI_Finalize")):
            status, told = self.judged(["--fail-below", "0", "--markdown", "a.md"], report(regions=regions, **changes))
            self.assertEqual(status, 4, told)
            self.assertIn(said, told)
            text = (self.folder / "a.md").read_text()
            self.assertNotIn("| 0 s |", text)
            if said != "1 step was found":
                self.assertIn("| time in the run |", text)
                for one in (told, text):
                    self.assertNotIn("per step", one)

    def test_nothing_can_be_said(self):
        for changes, why in (({"mean_matched": 0.8}, "80 %"), ({"mean_steps": 19.0}, "19 steps"),
                             ({"recorded_share": 0.4}, "40 %"), ({"environment_shared_cores": True}, "more ranks than cores"),
                             ({"environment_waited_for_core_share": 0.33}, "other programs"), ({"environment_stolen_share": 0.3}, "30 %"),
                             ({"environment_clock_change_share": 0.4}, "40 % slower"),
                             ({"mean_needed_seconds": 0.0}, "no message"), ({"mean_computation_seconds": 1e4}, "only"), ({"ended": "early"}, "MPI_Finalize"),
                             ({"mean_overlap_fraction": None}, "overlap_fraction")):
            with self.subTest(why):
                status, said = self.judged(["--fail-below", "0"], report(**changes))
                self.assertEqual(status, 4)
                self.assertIn(why, said)
                self.assertEqual(self.judged([], report(**changes))[0], 0)

    def test_collectives_alone_are_messages_too(self):
        self.assertEqual(self.judged(["--fail-below", "60%"], report(0.9, mean_messages=0.0))[0], 0)

    def test_the_median_of_runs(self):
        status, said = self.judged(["--repeat", "3", "--fail-below", "60%"], report(0.9), report(0.61), report(0.2))
        self.assertEqual(status, 0, said)
        self.assertIn("20.0 % to 90.0 %", said)
        self.assertEqual(json.loads((self.folder / "weft_run.json").read_text())["mean"]["overlap_fraction"], 0.61)
        self.assertEqual((self.folder / "weft_run.trace.json").read_text(), "001\n")
        self.assertEqual(self.files(), ["weft_run.html", "weft_run.json", "weft_run.trace.json"])
        self.assertEqual(json.loads((self.folder / "weft_run.json").read_text())["mean"]["interval"], [0.2, 0.9])
        status, said = self.judged(["--repeat", "2", "--fail-below", "60%"], report(0.9), report(0.5))
        self.assertEqual(status, 0, said)
        self.assertIn("not clearly below", said)
        status, said = self.judged(["--repeat", "2", "--fail-below", "60%"], report(0.55), report(0.5))
        self.assertEqual(status, 3, said)
        few = report(mean_steps=1.0)
        self.assertEqual(self.judged(["--repeat", "3", "--fail-below", "0"], report(0.9), few, few)[0], 4)

    def test_repeating_ends_with_a_failure(self):
        count = self.script("count", "#!/bin/sh\necho ran\nexit 7\n")
        done = self.run_it("--repeat", "5", "--", count)
        self.assertEqual((done.returncode, done.stdout), (7, "ran\n"))

    def test_a_failed_program_is_no_test_result(self):
        for status in (3, 4, 5):
            fails = self.script("fails", f"#!/bin/sh\nexit {status}\n")
            self.assertEqual(self.run_it("--", fails).returncode, status)
            done = self.run_it("--fail-below", "60%", "--junit", "tests.xml", "--", fails)
            self.assertEqual(done.returncode, 5 if status == 5 else 1, done.stderr)
            self.assertIn("<error ", (self.folder / "tests.xml").read_text())

    def test_files_are_different_ones_and_ours(self):
        (self.folder / "old.json").write_text(json.dumps(report(0.4)))
        (self.folder / "old.html").write_text("MY OWN")
        for options in (["--report", "old"], ["--report", "old", "--out", "old2", "--markdown", "old2.html"],
                        ["--report", "old", "--out", "old2", "--markdown", "x", "--junit", "./x"],
                        ["--out", "now", "--against", "now.json", "--", "true"], ["--report", "old", "--repeat", "3"]):
            (self.folder / "now.json").write_text(json.dumps(report(0.4)))
            done = self.run_it(*options)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
        self.assertEqual((self.folder / "old.html").read_text(), "MY OWN")

    def test_an_old_report(self):
        (self.folder / "old.json").write_text(json.dumps(report(0.4)))
        for name in ("old", "old.json"):
            done = self.run_it("--report", name)
            self.assertEqual(done.returncode, 0)
            self.assertTrue(done.stdout)
        self.assertEqual(self.files("old"), ["old.html", "old.json"])
        self.assertEqual(self.run_it("--report", "old", "--fail-below", "50%", "--out", "new").returncode, 3)
        self.assertEqual(self.files("new"), ["new.html"])


@unittest.skipUnless(shutil.which("cc"), "cc is not installed")
class Obstacles(Folder):
    """Programs that can't be instrumented run nevertheless, and one line gives the reason."""

    def program(self, *options, name="program"):
        source = self.folder / "program.c"
        source.write_text('#include <stdio.h>\nint main() { puts("ran"); return 5; }\n')
        built = subprocess.run(["cc", *options, "-o", self.folder / name, source], capture_output=True, check=False)
        if built.returncode != 0:
            self.skipTest(f"cc {options} does not work here")
        return self.folder / name

    def said(self, program, why, *before):
        done = self.run_it("--", *before, program)
        self.assertEqual((done.returncode, done.stdout), (5, "ran\n"), done.stderr)
        self.assertEqual(done.stderr.count(why), 1, done.stderr)
        return done

    def test_static(self):
        self.said(self.program("-static"), "statically linked")
        self.said(self.program("-static-pie"), "statically linked", "env", "A=b")

    def test_32_bits(self):
        self.said(self.program("-m32"), "32-bit")

    def test_32_bits_by_its_header(self):
        file = self.folder / "other"
        file.write_bytes(b"\x7fELF\x01\x01\x01" + bytes(100))
        file.chmod(0o755)
        done = self.run_it("--", self.launcher("openmpi 4"), "-n", "1", "--host", "env", file)
        self.assertIn("32-bit", done.stderr)
        self.assertEqual(done.stdout.splitlines()[1:], ["-n", "1", "--host", "env", str(file)])

    @unittest.skipUnless(os.geteuid() == 0, "needs root to change the owner of a file")
    def test_set_uid(self):
        program = self.program()
        os.chown(program, 65534, 65534)
        program.chmod(0o4755)
        self.folder.chmod(0o755)
        self.said(program, "set-uid")

    def test_no_mpi(self):
        self.said(self.program(), "opens an MPI library at run time")
        # In one of two parts, the other of which runs a script.
        script = self.script("script", "#!/bin/sh\n")
        done = self.run_it("--", self.launcher("openmpi 4"), "-n", "1", script, ":", "-n", "1", "env", "A=b",
                           self.program())
        self.assertEqual(done.stderr.count(str(self.folder / "program")), 1, done.stderr)

    def test_static_interpreters_say_nothing(self):
        done = self.run_it("--", self.program("-static", name="apptainer"))
        self.assertEqual((done.returncode, done.stdout), (5, "ran\n"))
        self.assertNotIn("recorded", done.stderr)

    def test_interpreters_say_nothing(self):
        for words in ([sys.executable, "-c", "0"], ["sh", "-c", ":"]):
            self.assertNotIn("recorded", self.run_it("--", *words).stderr)


class Real(Folder):
    """The installed launchers."""

    def jacobi(self, compiler, name="jacobi"):
        if shutil.which(compiler) is None:
            self.skipTest(f"{compiler} is not installed")
        program = self.folder / name
        done = subprocess.run([compiler, "-g", "-O2", "-w", "-o", program, JACOBI], capture_output=True, text=True)
        if "mpi.h: No such file" in done.stderr:  # on Debian mpi.h is in a separate package
            self.skipTest(f"{compiler} is installed without mpi.h")
        self.assertEqual(done.returncode, 0, done.stderr)
        return program

    def watched(self, launcher, compiler, abi):
        if shutil.which(launcher) is None:
            self.skipTest(f"{launcher} is not installed")
        program = self.jacobi(compiler)
        words = [launcher, "-n", "2", program, "isend", "64", "50"]
        plain = subprocess.run(words, capture_output=True, text=True, timeout=60, cwd=self.folder, check=True)
        done = self.run_it("--", *words)
        self.assertEqual((done.returncode, done.stdout), (0, plain.stdout), done.stderr)
        self.assertEqual(self.files(), ["weft_run.html", "weft_run.json", "weft_run.trace.json"])
        made = json.loads((self.folder / "weft_run.json").read_text())
        self.assertEqual((made["ranks"], made["abi"], made["ended"]), (2, abi, "finalize"))
        done = self.run_it("--no-trace", "--out", "parts", "--", launcher, "-n", "1", program, "isend", "64", "50", ":",
                           "-n", "1", program, "isend", "64", "50")
        self.assertEqual((done.returncode, self.files("parts")), (0, ["parts.html", "parts.json"]), done.stderr)
        self.assertEqual(json.loads((self.folder / "parts.json").read_text())["ranks"], 2)
        # Killed in the middle: the report has the calls recorded until then.
        with subprocess.Popen([PROGRAM, "--out", "killed", "--", launcher, "-n", "2", program, "isend", "64", "100000000"],
                              cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as running:
            until = time.monotonic() + 30
            while len(self.files("killed.rank-")) < 2 and time.monotonic() < until:
                time.sleep(0.05)
            time.sleep(0.5)
            running.terminate()
            said = running.communicate(timeout=60)[1]
        self.assertEqual(self.files("killed"), ["killed.html", "killed.json"], said)
        self.assertEqual(json.loads((self.folder / "killed.json").read_text())["ended"], "early")
        self.assertIn("ended", said)  # Open MPI ends with status 1, MPICH with 0

    def compiled(self, compiler, name, text, *options):
        if shutil.which(compiler) is None:
            self.skipTest(f"{compiler} is not installed")
        source = self.folder / f"{name}.c"
        source.write_text(text)
        done = subprocess.run([compiler, "-g", "-O1", "-w", *options, "-o", self.folder / name, source],
                              capture_output=True, text=True)
        if "mpi.h: No such file" in done.stderr:
            self.skipTest(f"{compiler} is installed without mpi.h")
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.folder / name

    def test_several_programs_of_one_command(self):
        """Each has a report of its own, also those that run at the same time."""
        for launcher, compiler in (("mpirun.openmpi", "mpicc.openmpi"), ("mpiexec.mpich", "mpicc.mpich")):
            if shutil.which(launcher) is None:
                continue
            program = self.jacobi(compiler)
            job = self.script("job.sh", f"""#!/bin/sh
{launcher} -n 2 {program} isend 64 50 || exit 1
{launcher} -n 1 {program} isend 64 30 & first=$!
{launcher} -n 1 {program} isend 64 40 || exit 2
wait $first
""")
            (self.folder / "weft_run-3.json").write_text(json.dumps(report(0.7)))  # of --out weft_run-3
            done = self.run_it("--no-trace", "--", job)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.files(), [f"weft_run{n}.{end}" for n in ("-2", "-3", "-4", "") for end in ("html", "json")
                                            if (n, end) != ("-3", "html")], done.stderr)
            read = lambda n: json.loads((self.folder / f"weft_run{n}.json").read_text())
            self.assertEqual([read(n)["ranks"] for n in ("", "-2", "-4")], [2, 1, 1])
            self.assertEqual([read(n)["number"] for n in ("", "-2", "-4")], [1, 2, 4])
            calls = lambda n: sum(site["calls"] for site in read(n)["sites"] if site["call"] == "MPI_Allreduce")
            self.assertEqual({calls("-2"), calls("-4")}, {30, 40})
            self.assertIn("started 3 MPI programs", done.stderr)
            for line in ("weft_run.html: jacobi, 2 ranks", "weft_run-2.html: jacobi, 1 rank", "weft_run-4.html: jacobi, 1 rank"):
                self.assertIn(line, done.stderr)
            (self.folder / "weft_run-3.json").unlink()
            # The next command removes them.
            done = self.run_it("--no-trace", "--repeat", "2", "--", launcher, "-n", "1", program, "isend", "64", "50")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("MPI programs", done.stderr)
            self.assertNotIn("weft_run-2.json", self.files())

    def test_regions(self):
        """In C, with both kinds of executables and with MPI_Pcontrol; without weft run the program runs alike."""
        text = r"""
#include <mpi.h>
#include "weft_region.h"
int main(int count, char** words) {
  static double in[40000], out[40000], sum, all;
  int rank, done, k, i;
  weft_region_begin("main");
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (k = 0; k < 60; ++k) {
    MPI_Request requests[2];
    weft_region_begin("halo");
    MPI_Irecv(in, 40000, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, requests);
    MPI_Isend(out, 40000, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, requests + 1);
    for (i = 0; i < 20000; ++i) out[i] += 1e-9 * k;
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    weft_region_end("halo");
    MPI_Pcontrol(3);
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Pcontrol(-3);
  }
  weft_region_end("main");
  MPI_Finalize();
  return all != 0;
}
"""
        header = pathlib.Path(__file__).parents[2] / "run"
        for launcher, compiler in (("mpirun.openmpi", "mpicc.openmpi"), ("mpiexec.mpich", "mpicc.mpich")):
            if shutil.which(launcher) is None:
                continue
            for option in ("-pie", "-no-pie"):
                program = self.compiled(compiler, "regions" + option, text, f"-I{header}", "-fPIE" if option == "-pie" else "-fno-pie", option)
                self.assertEqual(subprocess.run([launcher, "-n", "2", program], cwd=self.folder, timeout=60).returncode, 0)
                done = self.run_it("--no-trace", "--", launcher, "-n", "2", program)
                self.assertEqual(done.returncode, 0, done.stderr)
                made = json.loads((self.folder / "weft_run.json").read_text())
                regions = {one["name"]: one for one in made["regions"]}
                self.assertEqual(sorted(regions), ["main", "main/halo", "main/level 3"])
                self.assertAlmostEqual(regions["main/halo"]["messages"], 2, delta=0.1)
                self.assertAlmostEqual(regions["main/halo"]["times"], 1, delta=0.1)
                self.assertLessEqual(regions["main/halo"]["seconds"], regions["main"]["seconds"])
                self.assertAlmostEqual(regions["main"]["seconds"] / made["mean"]["seconds"], 1, delta=0.1)
                self.assertEqual(len(made["mean"]["interval"]), 2)
                self.assertIn("Regions, per step:", done.stderr)
                self.assertIn("<h2>Regions</h2>", (self.folder / "weft_run.html").read_text())

    def test_regions_in_fortran(self):
        if shutil.which("mpifort.openmpi") is None or shutil.which("mpirun.openmpi") is None:
            self.skipTest("Open MPI's Fortran is not installed")
        module = pathlib.Path(__file__).parents[2] / "run" / "weft_region.f90"
        (self.folder / "program.f90").write_text("""
program regions
  use mpi
  use weft_region
  implicit none
  integer :: error, k
  double precision :: one = 1, all
  call MPI_Init(error)
  do k = 1, 40
    call region_begin("sum")
    call MPI_Allreduce(one, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    call region_end("sum")
  end do
  call MPI_Finalize(error)
end program
""")
        done = subprocess.run(["mpifort.openmpi", module, "program.f90", "-o", "regions"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        program = self.folder / "regions"
        self.assertEqual(subprocess.run(["mpirun.openmpi", "-n", "2", program], cwd=self.folder, timeout=60).returncode, 0)
        done = self.run_it("--no-trace", "--", "mpirun.openmpi", "-n", "2", program)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([one["name"] for one in json.loads((self.folder / "weft_run.json").read_text())["regions"]], ["sum"])

    def test_regions_of_nvtx(self):
        """The program does what NVTX's header does: it opens the library of NVTX_INJECTION64_PATH, which fills its table."""
        program = self.compiled("mpicc.openmpi", "nvtx", r"""
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
typedef void (*Function)(void);
static Function core[16], domains[16], *tables[2][17];
static int table_of(int module, Function*** table, unsigned* size) {
  *table = tables[module == 5];
  *size = 16;
  return module == 1 || module == 5;
}
static struct { size_t bytes; int (*table_of)(int, Function***, unsigned*); } callbacks = {sizeof callbacks, table_of};
static const void* exported(uint32_t which) { return which == 1 ? &callbacks : 0; }
struct Event { uint16_t version, bytes; uint32_t category; int32_t color_type; uint32_t color; int32_t payload_type, reserved;
               uint64_t payload; int32_t type; const void* message; };
int main(int count, char** words) {
  void* library = dlopen(getenv("NVTX_INJECTION64_PATH"), RTLD_LAZY);
  int (*fill)(const void* (*)(uint32_t)) = (int (*)(const void* (*)(uint32_t)))dlsym(library, "InitializeInjectionNvtx2");
  double one = 1, all;
  int k;
  for (k = 1; k < 16; ++k) tables[0][k] = &core[k], tables[1][k] = &domains[k];
  if (!fill(exported) || core[1] || domains[12]) return 1;
  MPI_Init(&count, &words);
  const void* name = ((const void* (*)(void*, const char*))domains[10])(0, "registered");
  for (k = 0; k < 40; ++k) {
    char text[] = "step";
    struct Event event = {3, sizeof event, 0, 0, 0, 0, 0, 0, 3, name}, wide = {3, sizeof event, 0, 0, 0, 0, 0, 0, 2, L"wide"};
    uint64_t range = ((uint64_t (*)(const char*))core[5])(text);
    memset(text, 'x', 3);
    ((int (*)(const struct Event*))core[8])(&event);
    MPI_Allreduce(&one, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (((int (*)(void))core[11])() != 0) return 2;
    ((int (*)(void*, const struct Event*))domains[4])(0, &wide);
    MPI_Allreduce(&one, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    ((int (*)(void*))domains[5])(0);
    ((void (*)(uint64_t))core[7])(range);
  }
  if (((int (*)(void))core[11])() != -1) return 3;
  MPI_Finalize();
  return 0;
}
""", "-ldl")
        done = self.run_it("--no-trace", "--", "mpirun.openmpi", "-n", "2", program)
        self.assertEqual(done.returncode, 0, done.stderr)
        names = sorted(one["name"] for one in json.loads((self.folder / "weft_run.json").read_text())["regions"])
        self.assertEqual(names, ["step", "step/registered", "step/wide"])

    def test_a_hanging_program(self):
        """The report says that it runs, and where each rank is, also if its calls are not recorded at the moment."""
        for rounds, launcher, compiler in ((50, "mpirun.openmpi", "mpicc.openmpi"), (50, "mpiexec.mpich", "mpicc.mpich"),
                                           (100000, "mpirun.openmpi", "mpicc.openmpi")):
            if shutil.which(launcher) is None:
                continue
            with self.subTest(launcher, rounds=rounds):
                program = self.compiled(compiler, "hangs", HANGS, f"-DROUNDS={rounds}")
                env = os.environ | {"OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
                                    "WEFT_ADVISE_EVENTS": "1024"}
                with subprocess.Popen([PROGRAM, "--", launcher, "-n", "3", program], cwd=self.folder, env=env,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
                    self.assertEqual(running.stdout.readline(), "ready\n")
                    until = time.monotonic() + 30
                    states, said = None, ""
                    while time.monotonic() < until and (states != [False, True, True] or "rank 2: in MPI_Barrier" not in said):
                        said = self.run_it("--report", "weft_run", "--out", "now").stdout
                        states = [one["inside"] for one in self.now()]
                    running.terminate()
                    ended = running.communicate(timeout=60)[1]
                self.assertIn("STILL RUNNING:", said)
                self.assertNotIn("ENDED EARLY", said)
                self.assertRegex(said, r"rank 0: computing for [0-9.]+ .?s; its last call was MPI_Allreduce at main" if rounds == 50
                                 else "rank 0: computing")
                flat = " ".join(said.split())
                self.assertRegex(flat, r"rank 1: in MPI_Recv at expect \(hangs.c:6\) for ")
                self.assertRegex(flat, r"expect \(hangs.c:6\)[^,]*, first called from main \(hangs.c:")
                self.assertRegex(flat, r"rank 2: in MPI_Barrier at main \(hangs.c:\d+\) for ")
                self.assertIn("Still running", (self.folder / "now.html").read_text())
                self.assertIn("ENDED EARLY", ended)
                self.assertRegex(" ".join(ended.split()), r"rank 1: was in MPI_Recv at expect")

    def now(self):
        """Where the ranks are, by the page's report."""
        done = self.run_it("--report", "weft_run", "--out", "now")
        lines = [re.sub(r"<.*?>", "", line) for line in (self.folder / "now.html").read_text().splitlines() if "<li>rank" in line]
        return [{"inside": ": in " in line} for line in sorted(lines)]

    def test_one_sided_operations_with_a_progress_thread(self):
        """Open MPI 4 refuses MPI_THREAD_MULTIPLE for windows over TCP, so the program does not get it."""
        program = self.compiled("mpicc.openmpi", "ways", WAYS.read_text())
        words = ["mpirun.openmpi", "--mca", "btl", "tcp,self", "--mca", "osc", "pt2pt", "-n", "2", program, "one_sided"]
        plain = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, timeout=60)
        if plain.returncode != 0:
            self.skipTest("this Open MPI has no osc/pt2pt")
        done = self.run_it("--drive", "--", *words)
        self.assertEqual((done.returncode, done.stdout), (0, plain.stdout), done.stderr)
        self.assertEqual(done.stderr.count("There is no progress thread (the program makes MPI windows"), 1, done.stderr)
        done = self.run_it("--drive", "--", "mpirun.openmpi", "-n", "2", program, "steps", env={"OMPI_MCA_osc": "^pt2pt"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("MPI windows", done.stderr)

    def test_a_window_of_a_library_with_a_progress_thread(self):
        """That is known too late to lower the thread level, so it is said before Open MPI 4 ends the program."""
        library = self.compiled("mpicc.openmpi", "libwindow.so", WINDOW, "-shared", "-fPIC")
        program = self.compiled("mpicc.openmpi", "window", "void window(void);\n#include <mpi.h>\nint main(int c, char** v) "
                                "{ MPI_Init(&c, &v); window(); MPI_Finalize(); return 0; }\n", "-Wl,--no-as-needed", str(library),
                                f"-Wl,-rpath,{self.folder}")
        words = ["mpirun.openmpi", "--mca", "btl", "tcp,self", "--mca", "osc", "pt2pt", "-n", "2", program]
        if subprocess.run(words, cwd=self.folder, capture_output=True, timeout=60).returncode != 0:
            self.skipTest("this Open MPI has no osc/pt2pt")
        done = self.run_it("--drive", "--", *words)
        self.assertEqual(done.stderr.count("A library makes an MPI window"), 1, done.stderr)
        done = self.run_it("--", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("A library makes", done.stderr)

    def test_a_rank_that_comes_late(self):
        """Only the report was too late: nothing says that the program did not reach MPI_Finalize."""
        for launcher, compiler in (("mpirun.openmpi", "mpicc.openmpi"), ("mpiexec.mpich", "mpicc.mpich")):
            if shutil.which(launcher) is None:
                continue
            program = self.compiled(compiler, "late", "#include <mpi.h>\n#include <unistd.h>\nint main(int c, char** v) {\n  int rank;\n"
                                    "  MPI_Init(&c, &v);\n  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n  if (rank == 1) sleep(3);\n  MPI_Finalize();\n}\n")
            done = self.run_it("--deadline", "1", "--", launcher, "-n", "2", program)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads((self.folder / "weft_run.json").read_text())["ended"], "late", done.stderr)
            self.assertIn("The report was not complete within 1 s of MPI_Finalize; give a longer", done.stderr)
            for wrong in ("EARLY", "did not reach", "weft advise"):
                self.assertNotIn(wrong, done.stderr)

    def test_sessions_alone(self):
        """Such a program has finished when its last session has."""
        if shutil.which("mpiexec.mpich") is None:
            self.skipTest("mpiexec.mpich is not installed")
        program = self.compiled("mpicc.mpich", "ways", WAYS.read_text())
        done = self.run_it("--fail-below", "0", "--", "mpiexec.mpich", "-n", "2", program, "sessions")
        self.assertEqual(done.returncode, 4, done.stderr)
        made = json.loads((self.folder / "weft_run.json").read_text())
        self.assertEqual((made["ended"], made["ranks"]), ("sessions", 2))
        self.assertEqual(sum(site["calls"] for site in made["sites"] if site["call"] == "MPI_Allreduce"), 100)
        for wrong in ("ENDED EARLY", "MPI_Finalize"):
            self.assertNotIn(wrong, done.stderr)
        self.assertIn("ONLY MPI SESSIONS", done.stderr)
        self.assertEqual(self.files(), ["weft_run.html", "weft_run.json"])

    def test_open_mpi(self):
        self.watched("mpirun.openmpi", "mpicc.openmpi", "openmpi")
        env = {"OMPI_MCA_mca_base_env_list": "A=1"}
        done = self.run_it("--out", "listed", "--", "mpirun.openmpi", "-n", "2", self.folder / "jacobi", "isend", "64", "50",
                           env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads((self.folder / "listed.json").read_text())["ranks"], 2)

    def test_mpich(self):
        self.watched("mpiexec.mpich", "mpicc.mpich", "mpich")


class Header(Folder):
    """weft_region.h in strict standards, with a library that prints the calls in place of weft run's."""
    HEADER = pathlib.Path(__file__).parents[2] / "run"
    PRINTS = '#include <stdio.h>\nvoid weft_mark_region(const char* name, int enters) { printf("%s %d\\n", name, enters); }\n'
    CODE = '#include <weft_region.h>\nint main(void) { weft_region_begin("a"); weft_region_end("a"); return 0; }\n'
    BLOCK = """#include <weft_region.h>
#include <string.h>
int main() {
  char name[] = "a name that its caller changes";
  weft_region_scope outside(name);
  { weft_region_scope inside(std::string("temporary of a name that is not short").c_str()); }
  strcpy(name, "b");
  weft_region_scope nothing(NULL);
  return 0;
}
"""

    def made(self, name, text, *words):
        (self.folder / name).write_text(text)
        done = subprocess.run([*words, "-pedantic", "-Wall", "-Wextra", "-Werror", "-O2", f"-I{self.HEADER}", name, "-o", "made"],
                              cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, (words, done.stderr))

    def calls(self):
        """What the program says to the library; without it, nothing."""
        program, library = self.folder / "made", self.folder / "prints.so"
        if not library.exists():
            (self.folder / "prints.c").write_text(self.PRINTS)
            subprocess.run(["gcc", "-shared", "-fPIC", self.folder / "prints.c", "-o", library], check=True)
        self.assertEqual(subprocess.run([program], capture_output=True, check=True).stdout, b"")
        return subprocess.run([program], env=os.environ | {"LD_PRELOAD": str(library)}, capture_output=True, text=True, check=True).stdout.splitlines()

    def test_strict_standards(self):
        for kind in (("-fPIE", "-pie"), ("-fno-pie", "-no-pie"), ("-U__ELF__",)):
            for name, compiler, standards in (("a.c", "gcc", ("c89", "c99", "c11", "c17")), ("a.cpp", "g++", ("c++98", "c++11", "c++17", "c++20"))):
                for standard in standards:
                    with self.subTest(kind=kind, standard=standard):
                        self.made(name, self.CODE, compiler, f"-std={standard}", *kind, *(["-Wold-style-cast"] if name == "a.cpp" else []))
                        self.assertEqual(self.calls(), [] if kind[0] == "-U__ELF__" else ["a 1", "a 0"])

    def test_names_may_be_temporaries(self):
        outside, inside = "a name that its caller changes", "temporary of a name that is not short"
        for kind in (("-fPIE", "-pie"), ("-fno-pie", "-no-pie")):
            self.made("b.cpp", self.BLOCK, "g++", "-std=c++98", *kind)
            self.assertEqual([line for line in self.calls() if len(line) > 2], [f"{outside} 1", f"{inside} 1", f"{inside} 0", f"{outside} 0"])


class Emulated(Folder):
    """--emulate, on nodes that weft-testbed makes. Without it only what is refused is tested."""

    TESTBED = pathlib.Path(PROGRAM).with_name("weft-testbed")
    LAUNCHERS = (("mpirun.openmpi", "mpicc.openmpi"), ("mpiexec.mpich", "mpicc.mpich"))

    def left(self):
        """The emulated networks of this machine that weft run has started."""
        return re.findall(r"@weft-testbed/run-(\d+)", pathlib.Path("/proc/net/unix").read_text())

    def needs_nodes(self):
        done = subprocess.run([self.TESTBED, "--name", f"try-{os.getpid()}", "up", "1", "--with", str(os.getpid())], capture_output=True, text=True)
        if done.returncode != 0:
            self.skipTest(done.stderr.strip())
        subprocess.run([self.TESTBED, "--name", f"try-{os.getpid()}", "down"], check=True)

    def jobs(self):
        """Programs of the installed MPI libraries, with their launchers."""
        self.needs_nodes()
        return [(launcher, Real.jacobi(self, compiler, compiler.replace("mpicc", "jacobi"))) for launcher, compiler in self.LAUNCHERS
                if shutil.which(launcher) and shutil.which(compiler)]

    def report(self, name="weft_run"):
        return json.loads((self.folder / f"{name}.json").read_text())

    def test_wrong_ones(self):
        openmpi, mpich, slurm = (self.launcher(kind) for kind in ("openmpi 4", "mpich", "slurm"))
        for text, words, said in (
                ("1", [openmpi, "-n", "2", "true"], "LATENCY,RATE"), ("1ms", [openmpi, "-n", "2", "true"], "LATENCY,RATE"),
                ("1ms,", [openmpi, "-n", "2", "true"], "LATENCY,RATE"), ("", [openmpi, "-n", "2", "true"], "empty"),
                ("1ms,1gbit,2,3", [openmpi, "-n", "2", "true"], "LATENCY,RATE"),
                ("1ms,1gbit,0", [openmpi, "-n", "2", "true"], "whole number from 1"),
                ("1ms,1gbit,x", [openmpi, "-n", "2", "true"], "whole number from 1"),
                ("1ms,1gbit", [openmpi, "true"], "-n RANKS"), ("1ms,1gbit", [openmpi, "-n", "0", "true"], "-n RANKS"),
                ("1ms,1gbit", [openmpi, "-n", "2", "true", ":", "true", "-n", "2"], "after each colon"),
                ("1ms,1gbit", [mpich, "-c", "2", "true"], "-n RANKS"), ("1ms,1gbit", ["sh", "-c", "mpirun -n 2 true"], "'sh'"),
                ("1ms,1gbit", [openmpi, "-n", "65", "true"], "it has at most 64"),
                ("-1ms,1gbit", [openmpi, "-n", "2", "true"], "'-1ms' (a time"), ("1ms,0", [openmpi, "-n", "2", "true"], "'0' (a rate"),
                ("1ms,1gbit", [slurm, "-n", "2", "true"], "srun")):
            with self.subTest(text, words=words[1:]):
                done = self.run_it("--out", "new/x", "--emulate", text, "--", *words)
                self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
                self.assertIn(said, done.stderr)
                self.assertIn("--emulate", done.stderr)
                self.assertFalse((self.folder / "new").exists())
        done = self.run_it("--emulate", "1ms,1gbit", "--report", "x")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)

    def test_without_its_program(self):
        alone = shutil.copy(PROGRAM, self.folder / "bin/weft-run")
        os.symlink(LIBRARY, self.folder / "bin/libweft_advise.so")
        done = subprocess.run([alone, "--emulate", "1ms,1gbit", "--", self.launcher("openmpi 4"), "-n", "2", "true"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
        self.assertIn("weft-testbed, which is missing", done.stderr)

    def test_the_report_names_the_network(self):
        for launcher, program in self.jobs():
            done = self.run_it("--emulate", "2ms,100mbit", "--repeat", "2", "--no-trace", "--history", "past", "--", launcher, "-n", "1", program,
                               "isend", "64", "60", ":", "-n", "2", program, "isend", "64", "60")
            self.assertEqual(done.returncode, 0, done.stderr)
            made = self.report()
            self.assertEqual((made["ranks"], made["environment"]["nodes"]), (3, 3))
            emulated = made["emulated"]
            self.assertAlmostEqual(emulated["latency_seconds"], 2e-3)
            self.assertEqual((emulated["bits_per_second"], emulated["ranks_per_node"], emulated["nodes"]), (1e8, 1, 3))
            self.assertGreater(made["network"]["far"]["seconds"][0], 2e-3)
            self.assertIn("emulated network (2 ms, 100 Mbit/s)", done.stderr)
            self.assertIn("emulated network (2 ms, 100 Mbit/s)", (self.folder / "weft_run.html").read_text().replace("\u00a0", " "))
            past = json.loads(next((self.folder / "past").glob("*.json")).read_text())
            self.assertIn("2 ms", past["machine"]["network"])
            self.assertEqual(self.left(), [])
            shutil.rmtree(self.folder / "past")

    def test_ranks_of_a_node(self):
        for launcher, program in self.jobs():
            done = self.run_it("--emulate", "100us,inf,2", "--", "env", "A=b", launcher, "-n", "3", program, "isend", "64", "60")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.report()["environment"]["nodes"], 2)
            self.assertIn("no limit, 2 ranks per node", done.stderr)

    def test_streams_folder_and_status_are_the_programs(self):
        for launcher, _ in self.jobs():
            show = self.script("show", "#!/bin/sh\nread line\necho $line $PWD $MINE $(hostname)\necho err >&2\nexit 7\n")
            done = self.run_it("--emulate", "1ms,1gbit", "--", launcher, "-n", "1", show, input="in\n", stdin=None, env={"MINE": "own"})
            self.assertEqual((done.returncode, done.stdout), (7, f"in {self.folder} own node0\n"), done.stderr)
            self.assertIn("err\n", done.stderr)
            self.assertEqual(self.left(), [])
            crash = self.script("crash", "#!/bin/sh\nkill -SEGV $$\n")
            done = self.run_it("--emulate", "1ms,1gbit", "--", launcher, "-n", "2", crash)
            self.assertGreater(done.returncode, 2, done.stderr)  # each launcher has its own
            self.assertEqual(self.left(), [])

    def test_many_ranks_and_files_that_are_open(self):
        for launcher, _ in self.jobs():
            os.dup2(0, 251)
            self.addCleanup(os.close, 251)
            done = self.run_it("--emulate", "1ms,1gbit", "--", launcher, "-np", "16", "hostname", pass_fds=[251])
            self.assertEqual((done.returncode, sorted(done.stdout.split())), (0, sorted(f"node{i}" for i in range(16))), done.stderr)
            break

    def test_without_root(self):
        """A user who may open /dev/net/tun, as by udev's rules, here in a mount namespace of its own."""
        if os.geteuid() != 0 or shutil.which("setpriv") is None:
            self.skipTest("it needs root, to become another user")
        self.folder.chmod(0o755)
        os.chown(self.folder, 54321, 54321)
        as_user = ["unshare", "-m", "sh", "-c", "mount -t tmpfs none /dev/net && mknod /dev/net/tun c 10 200 && chmod 666 /dev/net/tun && "
                   'exec setpriv --reuid 54321 --regid 54321 --clear-groups "$@"', "sh"]
        tried = subprocess.run([*as_user, self.TESTBED, "--name", f"try-{os.getpid()}", "once", "1", "--", "hostname"], capture_output=True, text=True)
        if tried.returncode != 0:
            self.skipTest(tried.stderr.strip())
        for launcher, program in self.jobs():
            words = [PROGRAM, "--emulate", "1ms,1gbit", "--no-trace", "--", launcher, "-n", "2", program, "isend", "64", "60"]
            done = subprocess.run([*as_user, *words], cwd=self.folder, env=os.environ | {"HOME": str(self.folder)}, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=100)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual((self.report()["environment"]["nodes"], (self.folder / "weft_run.json").stat().st_uid), (2, 54321))
            self.assertEqual(self.left(), [])

    def test_another_network_before(self):
        (self.folder / "before.json").write_text(json.dumps(report(0.7)))
        fast = report(0.7, emulated={"latency_seconds": 1e-3, "bits_per_second": 1e9, "ranks_per_node": 1, "nodes": 1, "late_seconds": 1.28e-4})
        (self.folder / "fast.json").write_text(json.dumps(fast))
        late = {**fast, "emulated": {**fast["emulated"], "late_seconds": 1.024e-3}}
        few = {**fast, "emulated": {**fast["emulated"], "nodes": 2}}
        for before, now, status, said in ((report(0.7), fast, 4, "an emulated network (1 ms, 1 Gbit/s)"), (fast, report(0.7), 4, "a real network"),
                                          (fast, fast, 0, "70.0 %"), (fast, late, 4, "network was late"), (fast, few, 4, "on 1 of the 2")):
            (self.folder / "before.json").write_text(json.dumps(before))
            done = self.run_it("--against", "before.json", "--", self.launcher("openmpi 5"), "program", env={"FAKE_REPORTS": self.reports(now)})
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertIn(said, done.stderr)

    def test_nothing_is_left_behind(self):
        """Two at a time, each with a network of its own, one of which is interrupted and one killed."""
        for launcher, program in self.jobs():
            begin = lambda name: subprocess.Popen(
                [PROGRAM, "--emulate", "1ms,1gbit", "--out", name, "--", launcher, "-n", "2", program, "isend", "64", "100000000"],
                cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            with begin("a") as first, begin("b") as second:
                until = time.monotonic() + 60
                while time.monotonic() < until and not all(len(self.files(f"{name}.rank-")) == 2 for name in "ab"):
                    time.sleep(0.05)
                self.assertEqual(sorted(self.left()), sorted(str(one.pid) for one in (first, second)))
                first.send_signal(signal.SIGINT)
                said = first.communicate(timeout=60)[1]
                self.assertEqual(self.files("a."), ["a.html", "a.json"], said)
                self.assertEqual(json.loads((self.folder / "a.json").read_text())["emulated"]["nodes"], 2)
                self.assertEqual(self.left(), [str(second.pid)])
                second.kill()
                second.communicate(timeout=60)  # until nobody has its streams
            until = time.monotonic() + 20
            while time.monotonic() < until and self.left():
                time.sleep(0.05)
            self.assertEqual(self.left(), [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
