# SPDX-License-Identifier: BSD-3-Clause
"""Comparisons of data with known differences, and statistics compared with values computed by hand."""
import random
import unittest
from pathlib import Path

import numpy as np

from test_report import golden
from weft.comparison import compare_all, hopeless
from weft.merge import merged
from weft.reports import Report, report_of
from weft.significance import holm, least_p, mann_whitney, median_interval, outliers, ratio_interval


def launch(draw: random.Random, factor: float) -> dict:
    """All samples of a launch share a random factor of 10 %, which one launch can't show."""
    results = []
    for size in (8, 64, 512, 4096, 65536):
        luck = draw.lognormvariate(0, 0.1)
        samples = [10 * factor * luck * draw.lognormvariate(0, 0.02) for _ in range(20)]
        key = {"experiment": "time", "operation": "bcast", "kind": "blocking", "bytes": size,
               "converged": True, "right": True}
        low, middle, high = np.percentile(samples, [25, 50, 75]).tolist()
        results.append({"what": f"time: bcast blocking {size} B", "median": middle, "low": low, "high": high, "unit": "us",
                        "key": key, "samples": samples, "outliers": outliers(samples)})
    return {"benchmark": "collectives", "machine": {"processor": "p", "cores": 2, "nodes": 1},
            "mpi": {"library": "MPI", "ranks": 2, "more_ranks_than_cores": False}, "settings": {}, "results": results,
            "notes": [], "figures": {"failed_checks": 0}}


def launches(seed: int, factor: float = 1.0, count: int = 10) -> Report:
    draw = random.Random(seed)
    return report_of(merged([(Path(f"{i}.json"), launch(draw, factor)) for i in range(count)]), Path("merged.json"))


def verdicts(a: Report, b: Report) -> list[str]:
    return [row.verdict for row in compare_all(a, [b])[0].rows]


class Comparisons(unittest.TestCase):
    def test_a_report_against_itself(self) -> None:
        whole = report_of(golden("openmpi"), Path("openmpi.json"))
        self.assertEqual(set(verdicts(whole, whole)), {"no difference", "not tested"})
        self.assertEqual(set(verdicts(launches(1), launches(1))), {"no difference"})

    def test_launches_of_the_same_library(self) -> None:
        """20 pairs of files of the same library, whose launches vary. One pair in twenty may have a wrong difference."""
        wrong = sum(set(verdicts(launches(seed), launches(1000 + seed))) != {"no difference"} for seed in range(20))
        self.assertLessEqual(wrong, 3)

    def test_a_slower_and_a_faster_one(self) -> None:
        self.assertEqual(set(verdicts(launches(1), launches(2, 1.5))), {"slower"})
        self.assertEqual(set(verdicts(launches(1), launches(2, 1 / 1.5))), {"faster"})
        ratio = compare_all(launches(1), [launches(2, 1.5)])[0].rows[0]
        self.assertTrue(ratio.interval[0] < 1.5 < ratio.interval[1], ratio.interval)

    def test_one_launch_needs_more(self) -> None:
        base = report_of(golden("openmpi"), Path("a.json"))
        for factor, expected in ((1.1, "no difference"), (2.0, "slower"), (0.5, "faster")):
            shifted = golden("openmpi")
            for r in shifted["results"]:
                if r["unit"] == "us" and "samples" in r:
                    r.update({k: r[k] * factor for k in ("median", "low", "high")})
                    r["samples"] = [s * factor for s in r["samples"]]
            of_times = [row.verdict for row in compare_all(base, [report_of(shifted, Path("b.json"))])[0].rows
                        if row.base.key["experiment"] == "time"]
            self.assertEqual(set(of_times), {expected})

    def test_too_few_launches_can_tell_nothing(self) -> None:
        few = compare_all(launches(1, count=3), [launches(2, 9.0, count=3)])
        self.assertTrue(hopeless(few))
        self.assertEqual({row.verdict for row in few[0].rows}, {"no difference"})
        self.assertFalse(hopeless(compare_all(launches(1), [launches(2)])))

    def test_the_correction_counts_all_files(self) -> None:
        one = compare_all(launches(1), [launches(2, 1.2)])[0]
        three = compare_all(launches(1), [launches(2, 1.2), launches(3), launches(4)])[0]
        self.assertTrue(all(a.p <= b.p for a, b in zip(one.rows, three.rows)))
        self.assertTrue(any(a.p < b.p for a, b in zip(one.rows, three.rows)))


class Statistics(unittest.TestCase):
    def test_holm(self) -> None:
        self.assertEqual([round(p, 12) for p in holm([0.01, 0.04, 0.03, 0.005])], [0.03, 0.06, 0.06, 0.02])
        self.assertEqual(holm([0.5, 0.9]), [1.0, 1.0])
        self.assertEqual(holm([]), [])

    def test_ranks(self) -> None:
        self.assertAlmostEqual(mann_whitney(np.arange(3.0), np.arange(3.0, 6.0)), 0.1)      # 2 of 20 ways
        self.assertAlmostEqual(mann_whitney(np.array([1.0, 2, 4]), np.array([3.0, 5, 6])), 0.2)
        self.assertEqual(mann_whitney(np.ones(9), np.ones(9)), 1.0)
        self.assertAlmostEqual(mann_whitney(np.arange(10.0), np.arange(10.0, 20)), least_p(10, 10))
        ties = mann_whitney(np.array([1.0, 1, 2]), np.array([2.0, 3, 3]))
        self.assertAlmostEqual(ties, 0.2)  # sums of 3 of the ranks 1.5 1.5 3.5 3.5 5.5 5.5: 4 of 20 are as far from the mean

    def test_many_samples_take_the_normal_approximation(self) -> None:
        a, b = np.arange(40) * 2.0, np.arange(40) * 2.0 + 17
        # 496 of the 1600 pairs have a > b; (800 - 496 - 1/2) / sqrt(40 * 40 * 81 / 12) = 2.920
        self.assertAlmostEqual(mann_whitney(a, b), 0.003495, places=5)
        self.assertEqual(mann_whitney(np.ones(60), np.ones(60)), 1.0)

    def test_median_and_outliers(self) -> None:
        self.assertEqual(median_interval(range(1, 11)), (2, 9))  # 97.9 %, the smallest interval that covers 95 %
        self.assertEqual(median_interval([3, 1, 2]), (1, 3))
        self.assertEqual(outliers([1, 2, 3, 4, 100]), [4])
        low, high = ratio_interval(np.full(9, 3.0), np.full(9, 2.0))
        self.assertEqual((low, high), (1.5, 1.5))


if __name__ == "__main__":
    unittest.main()
