# SPDX-License-Identifier: BSD-3-Clause
"""What may include what (docs/architecture.md, "Layers"): a folder of libs/weft/weft only what is below it, and nothing of weft's own above."""
import re
import unittest
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2] / "src"
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
# From the ground up. Those of one floor may not see each other but for what is told.
FLOORS = [["error", "clock", "yield", "simulated", "file", "timeline", "transport", "mpi"], ["progress"], ["exchange"],
          ["step", "halo", "collective", "mailbox", "pipeline", "tune", "weft"]]
BESIDE = {("timeline", "file"), ("timeline", "transport"), ("mpi", "transport"), ("clock", "simulated"), ("yield", "simulated"),
          ("halo", "step"), ("collective", "step"), ("tune", "step")}
GROUND = {"error", "clock", "yield", "simulated"}
PRIVATE = {"exchange": ["exchange/message.hpp", "exchange/agreement.hpp"],
           "mpi": ["mpi/request.hpp", "mpi/persistent.hpp"]}


def part_of(path: str) -> str:
    return Path(path).parts[0].split(".")[0]


class TheCore(unittest.TestCase):
    def test_includes_only_what_is_below(self):
        floor = {part: n for n, parts in enumerate(FLOORS) for part in parts}
        for source in sorted((SOURCES / "weft").rglob("*.[ch]pp")):
            own = part_of(str(source.relative_to(SOURCES / "weft")))
            for included in INCLUDE.findall(source.read_text()):
                with self.subTest(file=str(source.relative_to(SOURCES)), included=included):
                    self.assertTrue(included.startswith("weft/"), "the core includes nothing but itself")
                    other = part_of(included[len("weft/"):])
                    self.assertTrue(other == own or own == "weft" or floor[other] < floor[own] or (own, other) in BESIDE
                                    or (other in GROUND and own not in GROUND), "this is not below it")

    def test_keeps_its_private_headers(self):
        for owner, headers in PRIVATE.items():
            for source in sorted(SOURCES.rglob("*.[ch]pp")):
                path = source.relative_to(SOURCES)
                if path.parts[:2] == ("weft", owner) or path.parts[0] == "simulated":
                    continue
                for header in headers:
                    with self.subTest(file=str(path), header=header):
                        self.assertNotIn(f'"weft/{header}"', source.read_text())


if __name__ == "__main__":
    unittest.main()
