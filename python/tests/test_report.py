# SPDX-License-Identifier: BSD-3-Clause
"""weft.report with files that weft bench wrote (python/tests/golden)."""
import copy
import json
import re
import unittest
from pathlib import Path

from command import Command
from weft import report

GOLDEN = Path(__file__).parent / "golden"


def golden(name: str) -> dict:
    return json.loads((GOLDEN / f"{name}.json").read_text())


class Page(Command):
    module = report

    def setUp(self) -> None:
        super().setUp()
        self.out = self.folder / "report.html"

    def write(self, name: str, document: object) -> str:
        path = self.folder / f"{name}.json"
        path.write_text(document if isinstance(document, str) else json.dumps(document))
        return str(path)

    def run_main(self, *arguments: object) -> tuple[int, list[str], list[str]]:
        return super().run_main(*arguments, "-o", self.out)

    def page_of(self, *arguments: str) -> str:
        status, _, err = self.run_main(*arguments)
        self.assertEqual((status, err), (0, []))
        return self.out.read_text()

    def test_everything_of_a_run_is_in_one_file(self) -> None:
        text = self.page_of(str(GOLDEN / "openmpi.json"))
        for title in ("Collective time", "Delayed start", "Overlap", "Samples of the times", "Settings", "Figures of merit"):
            self.assertTrue(f"<h3>{title}</h3>" in text, title)
        for word in ("Open MPI v4.1.4", "0: vm 0; 1: vm 1", "OMPI_MCA_rmaps_base_oversubscribe=1", "failed_checks"):
            self.assertIn(word, text[:text.index("<img")])
        sources = re.findall(r'(?:src|href)="([^"]{0,60})', text)
        self.assertGreaterEqual(len(sources), 4)
        self.assertEqual([s for s in sources if not s.startswith("data:image/svg+xml;base64,")], [])
        self.assertIsNone(re.search(r"https?://|url\(|@import|<script|<link", text))
        self.assertEqual([p.name for p in self.folder.iterdir()], ["report.html"])

    def test_what_must_be_known_comes_before_the_figures(self) -> None:
        document = golden("mpich")
        document["mpi"] |= {"ranks": 8, "more_ranks_than_cores": True}
        document["results"][2]["key"]["right"] = False
        document["figures"]["failed_checks"] = 1
        text = self.page_of(self.write("bad", document))
        head = text[:text.index("<img")]
        self.assertIn("More ranks than cores: 8 ranks on 2 cores", head)
        self.assertIn("FAILED checks: 1", head)
        self.assertIn(document["results"][2]["what"], head)
        self.assertIn(document["notes"][0], head)
        self.assertTrue(text == self.page_of(self.write("bad", document)), "the same page for the same report")

    def test_clocks_as_a_table(self) -> None:
        text = self.page_of(str(GOLDEN / "clock.json"))
        self.assertTrue("Clock skew" in text)
        self.assertTrue("-123.606799257" in text)

    def test_two_libraries_side_by_side(self) -> None:
        status, out, _ = self.run_main(str(GOLDEN / "openmpi.json"), str(GOLDEN / "mpich.json"), str(GOLDEN / "clock.json"))
        text = self.out.read_text()
        self.assertEqual(status, 0)
        self.assertFalse("FAILED" in text)
        for word in ("Comparison: collectives, baseline openmpi", "Side by side", "only one launch per file", "Clock skew"):
            self.assertTrue(word in text, word)
        self.assertTrue("mpich and openmpi differ in: MPI library, mpi_standard, placement, environment" in text)
        self.assertRegex("\n".join(out), r"mpich compared with openmpi: \d+ ")
        self.assertLess(max(map(len, out)), 140)

    def test_other_benchmarks(self) -> None:
        other = {"benchmark": "kernel", "machine": {"processor": "p", "cores": 2, "nodes": 1},
                 "mpi": {"library": "MPI", "ranks": 2, "more_ranks_than_cores": False}, "settings": {},
                 "notes": ["<b>loud</b>"],
                 "results": [{"what": "even", "median": 90.0, "low": 80.0, "high": 95.0, "unit": "million/s"},
                             {"what": "no number", "median": None, "low": None, "high": None, "unit": ""}],
                 "figures": {"share": None}}
        text = self.page_of(self.write("a", other), self.write("b", other))
        for word in ("Results in million/s", "&lt;b&gt;loud", "not tested"):
            self.assertTrue(word in text, word)

    def test_more_ranks_are_an_axis(self) -> None:
        document = golden("openmpi")
        document["results"] = [r for r in document["results"] if r["what"].startswith("delay") and r["key"]["bytes"] == 0]
        two = self.write("two", document)
        document["mpi"]["ranks"] = 4
        text = self.page_of(two, self.write("four", document))
        self.assertTrue("Delayed start over the number of ranks" in text)

    def refuse(self, path: str, *words: str) -> None:
        self.check_refused(*words, arguments=(path,))
        self.assertFalse(self.out.exists())

    def test_input_that_is_none(self) -> None:
        self.refuse(str(self.folder / "nowhere.json"), "nowhere.json", "No such file")
        self.refuse(self.write("cut", json.dumps(golden("clock"))[:200]), "cut.json", "line 1")
        self.refuse(self.write("list", "[1]"), "list.json", "no object")
        for name, value in (("results", None), ("results", [{"what": "x"}]), ("mpi", 3), ("figures", {"a": "b"}),
                            ("results", [{"what": "x", "median": 1, "low": 1, "high": 1, "samples": [1], "outliers": [7]}])):
            document = copy.deepcopy(golden("clock")) | {name: value}
            self.refuse(self.write("wrong", document), "wrong.json", "not a report")
        document = golden("openmpi")
        del document["results"][0]["key"]["operation"]
        self.refuse(self.write("keyless", document), "keyless.json", "operation")
        for missing in ("benchmark", "machine", "mpi", "settings", "results", "figures"):
            document = golden("clock")
            del document[missing]
            self.refuse(self.write("less", document), "less.json", f"'{missing}'")

    def test_a_place_that_is_none(self) -> None:
        self.out = self.folder / "no" / "report.html"
        self.refuse(str(GOLDEN / "clock.json"), "no/report.html", "no directory")


if __name__ == "__main__":
    unittest.main()
