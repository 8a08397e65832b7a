# SPDX-License-Identifier: BSD-3-Clause
"""Every error message in the C++ sources has one form: *What is wrong (why). What to do.*"""
import unittest
from pathlib import Path

from messages import Message, messages, trouble

ROOT = Path(__file__).resolve().parents[2]


def sources():
    for folder in ("core", "frame", "flow", "programs", "profile", "bench", "python/bindings/core"):
        yield from sorted(file for ending in ("cpp", "hpp") for file in (ROOT / folder).rglob(f"*.{ending}")
                          if "tests" not in file.relative_to(ROOT).parts)


class Messages(unittest.TestCase):
    def test_all_have_the_form(self):
        found = [m for file in sources() for m in messages(file.relative_to(ROOT), file.read_text())]
        self.assertGreater(len(found), 350)
        wrong = [f"{m}: {why}" for m in found if (why := trouble(m))]
        self.assertFalse(wrong, "\n" + "\n".join(wrong))

    def test_they_are_read_from_the_sources(self):
        source = r'''
          // throw InputError("a comment.");
          throw InputError(fmt::format("{}: {} has {:.3g} sites (at most {} fit "
                                       "in memory). Use fewer.", file, name, n, f("x")), true);
          if (bad) fail(value, "Keys like '" + key + "' " + (one ? "a" : "b") + " can't be used here. Remove it.");
          throw Error(std::string("The \"file\" is ") + reason);
        '''
        self.assertEqual([m.template for m in messages(Path("a.cpp"), source)],
                         ["{}: {} has {} sites (at most {} fit in memory). Use fewer.",
                          "Keys like '{}' {} can't be used here. Remove it.", 'The "file" is {}'])

    def test_departures_are_found(self):
        def of(template, call="InputError"):
            return trouble(Message(Path("a.cpp"), 1, call, template))
        for right in ("{}:{}: The file is cut off (10 bytes). Copy it again.", "fluid.density is negative. Give kg/m^3.",
                      "{}: --steps is 0. Give at least 1.", "Client '{}' sends nothing to rank {}. {}",
                      "start() is called twice. Call wait() in between."):
            self.assertIsNone(of(right), right)
        for wrong in ("the file is cut off. Copy it again.", "{}: is cut off. Copy it again.",
                      "The file is cut off. copy it again.", "The file is cut off", "The file is cut off."):
            self.assertIsNotNone(of(wrong), wrong)
        self.assertIsNone(of("The file is cut off.", "Error"))


if __name__ == "__main__":
    unittest.main()
