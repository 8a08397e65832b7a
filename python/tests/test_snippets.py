# SPDX-License-Identifier: BSD-3-Clause
"""The code in the documents is that of the sources, which the tests build and run; tools/snippets copies it."""
import contextlib
import importlib.util
import io
import re
import tempfile
import unittest
from importlib.machinery import SourceFileLoader
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
loader = SourceFileLoader("snippets", str(ROOT / "tools/snippets"))
snippets = importlib.util.module_from_spec(importlib.util.spec_from_loader("snippets", loader))
loader.exec_module(snippets)

SOURCE = """// SPDX-License-Identifier: BSD-3-Clause
int main() {
  // [heart]
  int beat = 0;
  // [inner]
    ++beat;
  // [inner end]
  // [heart end]
}
"""


def checked(words, root):
    with contextlib.redirect_stderr(io.StringIO()) as told:
        status = snippets.main(words, root)
    return status, told.getvalue()


class Project(unittest.TestCase):
    def test_documents_show_the_sources(self):
        self.assertEqual(checked(["--check"], ROOT), (0, ""))

    def test_what_is_shown_is_built(self):
        built = (ROOT / "tests/examples/CMakeLists.txt").read_text()
        for document in snippets.documents(ROOT):
            for block in snippets.BLOCK.finditer(document.read_text()):
                with self.subTest(document.name, source=block["file"]):
                    if block["language"] == "python":  # test_binding_examples runs all of them
                        self.assertRegex(block["file"], "^examples/python/[^/]*[.]py$")
                        continue
                    if block["language"] == "fortran":
                        name = re.sub("[0-9]*[.]f90$", "", Path(block["file"]).name)
                        self.assertIn(f"/{name}", (ROOT / "tests/examples/fortran.cmake").read_text())
                        continue
                    self.assertRegex(block["file"], "^examples/.*[.](cpp|c)$")
                    folder, name = Path(block["file"]).parent.name, Path(block["file"]).stem
                    self.assertTrue(f"{folder}/{name}" in built or folder == "hello" and name in built)

    def test_links_lead_somewhere(self):
        for document in snippets.documents(ROOT):
            prose = re.sub(r"```.*?^```", "", document.read_text(), flags=re.DOTALL | re.MULTILINE)
            for link in re.findall(r"\]\(([^)\s]+)\)", prose):
                path, _, anchor = link.partition("#")
                if path.startswith("http"):
                    continue
                with self.subTest(document.name, link=link):
                    target = (document.parent / path) if path else document
                    self.assertTrue(target.exists())
                    if anchor:
                        self.assertIn(anchor, anchors(target))


def anchors(document):
    """The anchors that GitHub makes from the document's headings."""
    text = re.sub(r"^```.*?^```", "", document.read_text(), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]


class Tool(unittest.TestCase):
    def project(self, block):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = Path(folder.name)
        (root / "docs").mkdir()
        (root / "a.cpp").write_text(SOURCE)
        for name in ("docs/tutorial.md", "docs/concepts.md", "docs/tune.md", "docs/device.md"):
            (root / name).write_text("nothing\n")
        (root / "README.md").write_text(block)
        return root

    def test_copies_a_part(self):
        root = self.project("<!-- a.cpp: heart -->\n```cpp\nint beat = 1;\n```\nrest\n")
        status, told = checked(["--check"], root)
        self.assertEqual(status, 1)
        self.assertIn("README.md: The block of a.cpp (heart) differs from the source.", told)
        self.assertEqual(checked([], root), (0, ""))
        self.assertEqual((root / "README.md").read_text(),
                         "<!-- a.cpp: heart -->\n```cpp\nint beat = 0;\n  ++beat;\n```\nrest\n")
        self.assertEqual(checked(["--check"], root), (0, ""))

    def test_copies_c(self):
        root = self.project("<!-- a.c: heart -->\n```c\n```\n")
        (root / "a.c").write_text("/* SPDX-License-Identifier: BSD-3-Clause */\n/* [heart] */\nint beat; /* of a heart */\n/* [heart end] */\n")
        self.assertEqual(checked([], root), (0, ""))
        self.assertEqual((root / "README.md").read_text(), "<!-- a.c: heart -->\n```c\nint beat; /* of a heart */\n```\n")

    def test_copies_a_whole_source(self):
        root = self.project("<!-- a.cpp -->\n```cpp\n```\n")
        self.assertEqual(checked([], root), (0, ""))
        self.assertIn("```cpp\nint main() {\n  int beat = 0;\n    ++beat;\n}\n```", (root / "README.md").read_text())

    def test_tells_what_is_wrong(self):
        for block, wanted in (("<!-- a.cpp: lung -->\n```cpp\n```\n", "Part 'lung' does not begin and end exactly once."),
                              ("<!-- b.cpp -->\n```cpp\n```\n", "There is no b.cpp"),
                              ("text\n```cpp\nint i;\n```\n", "README.md:2: C++ has no named source here."),
                              ("text\n```c\nint i;\n```\n", "README.md:2: C has no named source here.")):
            root = self.project(block)
            status, told = checked([], root)
            self.assertEqual((status, (root / "README.md").read_text()), (1, block))
            self.assertIn(wanted, told)
            self.assertEqual(len(told.splitlines()), 1)
        self.assertEqual(checked(["--all"], root)[0], 2)


if __name__ == "__main__":
    unittest.main()
