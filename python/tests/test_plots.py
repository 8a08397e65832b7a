# SPDX-License-Identifier: BSD-3-Clause
"""weft.plots with a report of weft bench halo."""
import json
import unittest
from pathlib import Path

from command import Command
from weft import plots
from weft.halo_figure import Block, exchanges
from weft.reports import read_report


def halo_report() -> dict:
    results = []

    def add(what: str, median: float, unit: str = "us") -> None:
        results.append({"what": what, "median": median, "low": 0.9 * median, "high": 1.1 * median, "unit": unit})

    for layout in ("aos", "soa"):
        for size in ("16^3", "64^3", "16x24x32", "24x36x48", "96^3_in_all"):
            for factor, method in enumerate(("memcpy", "baseline by_dimension", "baseline at once", "direct whole per_part",
                                             "by_dimension whole merged", "direct reduced merged"), 1):
                add(f"{size} {layout}: {method}", 100.0 * factor)
            add(f"{size} {layout}: baseline by_dimension, updates", 5.0, "million/s")
    for method, kinds in (("baseline by_dimension", ("blocking",)), ("direct reduced", ("passive", "polling"))):
        add(f"overlap 64^3 soa: {method}, exchange alone", 1000.0)
        for share in ("0.0", "1.2"):
            for kind in kinds:
                add(f"overlap 64^3 soa: {method}, r = {share}, {kind}, total", 1000.0 * (1 + float(share)))
                if share != "0.0":
                    add(f"overlap 64^3 soa: {method}, r = {share}, {kind}, overlap fraction", 0.5, "")
    return {"benchmark": "halo", "machine": {"processor": "p", "cores": 2, "nodes": 1},
            "mpi": {"library": "MPI", "ranks": 2, "more_ranks_than_cores": False},
            "settings": {"element_bytes": 8}, "results": results, "notes": [], "figures": {"worst_over_baseline": 0.9}}


class Plots(Command):
    module = plots

    def setUp(self) -> None:
        super().setUp()
        self.file = self.folder / "report.json"
        self.report = halo_report()

    def run_main(self, *arguments: object) -> tuple[int, list[str], list[str]]:
        self.file.write_text(json.dumps(self.report))
        return super().run_main(self.file, *arguments)

    def test_both_plots_go_where_they_should(self) -> None:
        elsewhere = self.folder / "plots"
        elsewhere.mkdir()
        expected = [elsewhere / name for name in ("halo_exchange.png", "halo_overlap.png")]
        self.assertEqual(self.run_main(str(elsewhere)), (0, [str(path) for path in expected], []))
        for path in expected:
            self.assertGreater(path.stat().st_size, 20_000)

    def test_half_a_report(self) -> None:
        for half, name in (("overlap", "halo_overlap.png"), ("", "halo_exchange.png")):
            self.report = halo_report()
            self.report["results"] = [r for r in self.report["results"] if r["what"].startswith("overlap") == bool(half)]
            self.assertEqual(self.run_main()[1], [str(self.folder / name)])

    def test_times_by_block_and_method(self) -> None:
        self.run_main()
        times = exchanges(read_report(self.file), "aos")
        self.assertEqual(len(times), 4)  # the fixed lattice is not a block
        self.assertEqual(times[Block((16, 24, 32))]["baseline at once"].median, 300)
        self.assertEqual(Block((64, 64, 64)).halo_values * 8, 3853504)

    def test_another_benchmark(self) -> None:
        self.report["benchmark"] = "coalesce"
        self.check_refused("no plots of 'coalesce'", "halo")

    def test_not_a_report(self) -> None:
        del self.report["results"]
        self.check_refused("report.json", "results")

    def test_nothing_in_it(self) -> None:
        self.report["results"] = []
        self.check_refused("neither")

    def test_no_file(self) -> None:
        self.file = self.folder / "nowhere.json"
        status, _, err = super().run_main(self.file)
        self.assertEqual(status, 2)
        self.assertIn("nowhere.json", err[0])


if __name__ == "__main__":
    unittest.main()
