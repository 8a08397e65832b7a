# SPDX-License-Identifier: BSD-3-Clause
"""Repeated launches of a script that replaces mpirun and a benchmark."""
import json
import sys
import unittest
from pathlib import Path

from command import Command
from weft import launches
from weft.reports import read_report

FAKE = '''
import json, pathlib, sys
count = pathlib.Path(sys.argv[0]).with_suffix(".count")
number = len(count.read_text()) if count.exists() else 0
count.write_text("x" * (number + 1))
how = sys.argv[1]
if how == "asks":
    print("error: 'x' is not an operation.\\n-------\\nmpirun: a process exited")
    sys.exit(2)
if how == "dies" and number == 2:
    print("prte: node lost", file=sys.stderr)
    sys.exit(139)
result = {"what": "time: barrier", "median": 10.0 + number, "low": 9, "high": 12, "unit": "us",
          "samples": [10.0 + number, 11],
          "key": {"experiment": "time", "operation": "barrier", "kind": "blocking", "bytes": 0, "late": 2, "converged": True,
                  "right": not (how == "wrong" and number == 1)}}
document = {"benchmark": "collectives", "machine": {"processor": "p", "cores": 2, "nodes": 1},
            "mpi": {"library": "MPI", "ranks": 2, "more_ranks_than_cores": False}, "settings": {"seed": 1},
            "results": [result], "notes": ["always"] + ["once"] * (number == 0),
            "figures": {"failed_checks": float(how == "wrong" and number == 1)}}
if how != "silent":
    pathlib.Path(sys.argv[sys.argv.index("--json") + 1]).write_text(json.dumps(document)[:60 if how == "cut" else None])
sys.exit(how == "wrong" and number == 1)
'''


class Launches(Command):
    module = launches

    def setUp(self) -> None:
        super().setUp()
        self.fake = self.folder / "fake.py"
        self.fake.write_text(FAKE)
        self.out = self.folder / "merged.json"

    def run_main(self, *arguments: object) -> tuple[int, list[str], list[str]]:
        return super().run_main("--out", self.out, *arguments)

    def run_fake(self, how: str, count: int = 4) -> tuple[int, list[str], list[str]]:
        return self.run_main("--launches", str(count), "--", sys.executable, str(self.fake), how)

    def test_medians_of_launches_are_samples(self) -> None:
        status, out, err = self.run_fake("well")
        self.assertEqual((status, len(out), err), (0, 5, []))
        report = read_report(self.out)
        result = report.results["time: barrier"]
        self.assertEqual(list(result.samples), [10, 11, 12, 13])
        self.assertEqual((result.median, result.low, result.high, result.interval), (11.5, 10.75, 12.25, (10, 13)))
        self.assertEqual((result.key["late"], result.key["right"]), (8, True))
        self.assertEqual([one["results"][0]["samples"][0] for one in report.launches], [10, 11, 12, 13])
        self.assertEqual(report.settings["launches"], 4)
        self.assertEqual(report.notes, ("always", "once (in 1 of 4 launches)"))
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["fake.count", "fake.py", "merged.json"])

    def test_a_wrong_result_is_kept_and_told(self) -> None:
        status, out, _ = self.run_fake("wrong")
        report = read_report(self.out)
        self.assertEqual((status, report.figures["failed_checks"]), (1, 1))
        self.assertFalse(report.results["time: barrier"].key["right"])
        self.assertIn("FAILED", out[1])

    def test_a_launch_that_dies(self) -> None:
        status, _, err = self.run_fake("dies")
        self.assertEqual(status, 1)
        self.assertIn("Launch 3 of 4 failed (status 139; it printed: prte: node lost).", err[-1])
        self.assertFalse(self.out.exists())
        kept = sorted(str(p) for p in self.folder.glob("launches-*/*.json"))
        self.assertEqual(len(kept), 2)
        self.assertEqual(self.run_main("--merge", *kept)[0], 0)
        self.assertEqual(len(read_report(self.out).launches), 2)

    def test_no_report_or_half_a_one(self) -> None:
        status, _, err = self.run_fake("silent")
        self.assertEqual((status, len(err)), (1, 1))
        self.assertIn("it wrote no report", err[0])
        status, _, err = self.run_fake("cut", 1)
        self.assertEqual(status, 2)
        self.assertIn("launch1.json", err[-1])
        self.assertFalse(self.out.exists())

    def test_bad_arguments(self) -> None:
        status, _, err = self.run_fake("asks")
        self.assertEqual((status, len(err)), (2, 1))
        self.assertIn("Launch 1 of 4 failed (status 2; it printed: error: 'x' is not an operation).", err[0])
        for arguments, word in ((["--launches", "0", "--", "true"], "at least one"),
                                (["--", "no-such-program"], "can't be started"),
                                (["--", "true", "--json", "x"], "--json"), (["--merge", "nowhere.json"], "nowhere.json")):
            status, _, err = self.run_main(*arguments)
            self.assertEqual((status, len(err)), (2, 1), err)
            self.assertIn(word, err[0])

    def test_only_launches_of_the_same_are_merged(self) -> None:
        self.run_fake("well", 2)
        documents = json.loads(self.out.read_text())["launches"]
        documents[1]["mpi"]["ranks"] = 4
        paths = [self.folder / name for name in ("two.json", "four.json")]
        for path, document in zip(paths, documents):
            path.write_text(json.dumps(document))
        for pair, word in ((paths, "ranks is '4', but '2'"), ([self.out], "already merged")):
            status, _, err = self.run_main("--merge", *map(str, pair))
            self.assertEqual((status, len(err)), (2, 1))
            self.assertIn(word, err[0])


if __name__ == "__main__":
    unittest.main()
