#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs random MPI programs with and without libweft_advise.so, which must change nothing and count right.

    random_programs.py LIBRARY PROGRAM [--count N] [--first SEED] [--operations N] [--python INTERPRETER] -- LAUNCHER...

PROGRAM is a compiled random_program.c, or random_program.py with --python. With the library, each program must print
and return the same. In the report, the calls of each function, their bytes, and the messages between each two ranks
must be those that the program counted itself. One line for each program that differs; then the exit status is 1. Without
--count, WEFT_TEST_PROGRAMS is the number of programs, or 25 (`make check`; `make fuzz` runs more).
"""
import argparse
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "profile/advise/functions"))
import generate  # noqa: E402

# Calls that only prepare or free a request are no events, so they are in no call site.
UNSEEN = {"request_free", "prepare_send", "prepare_receive", "prepare_parts_send", "prepare_parts_receive", "prepare_collective"}
# Without post_both: in MPICH 4.0.2, the status of MPI_Isendrecv does not tell what arrived.
MESSAGES = {"send", "receive", "sendrecv", "sendrecv_replace", "post_send", "post_receive", "mrecv", "imrecv", "start", "startall"}
LOOKS = {"test", "testall", "testany", "testsome", "get_status", "iprobe", "improbe"}


def roles():
    table = pathlib.Path(generate.__file__).with_name("mpi_functions.txt")
    return {f.c_name: f.role for f in generate.expanded(generate.parse(table)[0])}


def run(o, words, folder, **environment):
    env = dict(os.environ, LD_LIBRARY_PATH=f"{folder}:{os.environ.get('LD_LIBRARY_PATH', '')}", **environment)
    with subprocess.Popen(words, env=env, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, start_new_session=True) as process:
        try:
            out, err = process.communicate(timeout=o.seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGTERM)  # the launcher ends its ranks
            try:
                process.communicate(timeout=5)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
            return f"no end within {o.seconds:.0f} s", "", ""
    return process.returncode, out, err


def counted(prefix, ranks):
    """The calls as [calls, fruitless, bytes], and the messages and bytes between each two ranks."""
    calls, pairs, counts = {}, {}, True
    for rank in range(ranks):
        own = json.loads(pathlib.Path(f"{prefix}.{rank}.json").read_text())
        counts = counts and own.get("counts", True)
        for call, numbers in own["calls"].items():
            calls[call] = [a + b for a, b in zip(calls.get(call, (0, 0, 0)), numbers)]
        for to, numbers in enumerate(own["sent"]):
            if numbers[0] > 0:
                pairs[rank, to] = numbers
    return (calls, pairs) if counts else (None, None)


def differences(report, calls, pairs, role_of):
    if calls is None:
        return
    seen = {}
    for site in report["sites"]:
        numbers = (site["calls"], site["fruitless"], site["bytes"])
        call = site["call"].removesuffix("_c")  # mpi4py prefers the functions for large counts
        seen[call] = [a + b for a, b in zip(seen.get(call, (0, 0, 0)), numbers)]
    for call in sorted({*calls, *seen}):
        role = role_of.get(call, "pcontrol" if call == "MPI_Pcontrol" else "")
        if not role or role in UNSEEN:
            continue
        right, reported = calls.get(call, [0, 0, 0]), seen.get(call, [0, 0, 0])
        for what, i in (("calls", 0), ("fruitless", 1), ("bytes", 2)):
            if right[i] == reported[i] or (i == 1 and role not in LOOKS) or (i == 2 and role not in MESSAGES):
                continue
            yield f"{call}: {what} {reported[i]:.0f}, not {right[i]}"
    found = {(p["from"], p["to"]): [p["messages"], p["bytes"]] for p in report["pairs"]}
    for pair in sorted({*pairs, *found}):
        if pairs.get(pair, [0, 0]) != found.get(pair, [0, 0]):
            yield f"from {pair[0]} to {pair[1]}: messages and bytes {found.get(pair)}, not {pairs.get(pair)}"
    total = [sum(p[i] for p in pairs.values()) for i in (0, 1)]
    if total != [round(report["sent"]["messages"]), round(report["sent"]["bytes"])]:
        yield f"sent {report['sent']}, not {total}"


def check(seed, o, role_of):
    """Returns the command that repeats this program, and what is wrong."""
    ranks = 1 + random.Random(seed).randrange(o.most)
    with tempfile.TemporaryDirectory() as folder:
        own = [str(seed), str(o.operations), f"{folder}/counts"]
        words = [*o.launcher, "-n", str(ranks), *([o.python] if o.python else []), o.program, *own]
        again = " ".join([*words[:-1], "counts"])
        for library in pathlib.Path("/usr/lib").glob("*/libmpich.so.12"):  # Debian's name of what mpi4py looks for
            pathlib.Path(folder, "libmpi.so.12").symlink_to(library)
        plain = run(o, words, folder)
        if plain[0] != 0:
            return again, [f"ends with {plain[0]} without the library: {plain[2][-300:]!r}"]
        for old in pathlib.Path(folder).glob("counts.*"):
            old.unlink()
        if o.bare:
            other = run(o, words, folder)
            return again, [] if other[:2] == plain[:2] else [f"prints {other[1]!r} after {plain[1]!r}"]
        watched = run(o, words, folder, LD_PRELOAD=o.library, WEFT_ADVISE_OUT="report", WEFT_ADVISE_LINES="off")
        again = f"LD_PRELOAD={o.library} {again}"
        if watched[:2] != plain[:2]:
            return again, [f"ends with {watched[0]}, prints {watched[1]!r} instead of {plain[1]!r}: {watched[2][-300:]!r}"]
        report = pathlib.Path(folder, "report.json")
        if not report.exists():
            return again, [f"there is no report: {watched[2][-300:]!r}"]
        return again, list(differences(json.loads(report.read_text()), *counted(own[2], ranks), role_of))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library", type=os.path.realpath)
    parser.add_argument("program", type=os.path.realpath)
    parser.add_argument("--count", type=int, default=os.environ.get("WEFT_TEST_PROGRAMS", 25))
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--operations", type=int, default=80)
    parser.add_argument("--most", type=int, default=4, help="ranks")
    parser.add_argument("--python", default="")
    parser.add_argument("--seconds", type=float, default=240, help="for one program, on a busy machine")
    parser.add_argument("--bare", action="store_true", help="twice without the library: whether the programs are right")
    parser.add_argument("launcher", nargs="+")
    o = parser.parse_args()
    if o.python and subprocess.run(["sh", "-c", f"{o.python} -c 'import mpi4py'"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
        print(f"not tested: {o.python} does not exist, or has no mpi4py")
        return 77
    role_of = roles()
    wrong = 0
    for seed in range(o.first, o.first + o.count):
        again, differ = check(seed, o, role_of)
        if differ:
            wrong += 1
            print(f"{again}   # {'; '.join(differ)}", flush=True)
    print(f"{o.count} random programs, {wrong} differ")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
