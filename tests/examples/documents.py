#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The commands of docs/tutorial.md and docs/howto do what the documents say.

    documents.py BUILD LAUNCHER...

Each block that begins with ```sh is run by a shell as it stands, in a folder that looks like the project's root and in which
`mpirun` is LAUNCHER. Of the block ```text that follows it, lines without a time are looked for in what it printed. A block is left
out if a line before it says <!-- not run: WHY -->; one that needs .venv, where there is none.
"""
import concurrent.futures
import itertools
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD, LAUNCHER = pathlib.Path(sys.argv[1]), sys.argv[2:]
BLOCK = re.compile(r"(?P<left_out><!-- not run: .+? -->\n)?^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)
LASTING = re.compile(r"step \d+: |\w+: [0-9a-f]{16}$|all points|power of|\d+ drops|after \d+ steps|error")


def commands(document):
    """(command, text that may follow it)"""
    blocks = list(BLOCK.finditer(document.read_text()))
    for block, after in zip(blocks, [*blocks[1:], None]):
        if block["language"] == "sh" and not block["left_out"]:
            follows = after is not None and after["language"] == "text" and not after["left_out"]
            yield block["text"], after["text"] if follows else ""


class Documents(unittest.TestCase):
    def folder(self, path):
        for name in ("examples", "tools", "docs", *([".venv"] if (ROOT / ".venv").exists() else [])):
            (path / name).symlink_to(ROOT / name)
        (path / "build").mkdir()
        (path / "build/release").symlink_to(BUILD)
        launcher = path / "bin/mpirun"
        launcher.parent.mkdir()
        # What makes LAUNCHER take a number of ranks is its last word, and the document's first.
        launcher.write_text('#!/bin/sh\n[ "$1" = -n ] && shift\nexec ' + " ".join(LAUNCHER) + ' "$@"\n')
        launcher.chmod(0o755)
        return dict(os.environ, PATH=f"{launcher.parent}:{os.environ['PATH']}", WEFT_TUNE_FILE=str(path / "tuned.toml"),
                    OMPI_MCA_odls_base_sigkill_timeout="0")

    def follow(self, document):
        """Runs a document's commands, one after the other: (document, command, text, what it did)"""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            environment = self.folder(path)
            return [(document, command, text,
                     subprocess.run(["sh", "-euc", command], cwd=path, env=environment, capture_output=True, text=True, timeout=200,
                                    stdin=subprocess.DEVNULL))
                    for command, text in commands(document) if ".venv" not in command or (path / ".venv").exists()]

    def test_commands(self):
        documents = [ROOT / "docs/tutorial.md", *sorted((ROOT / "docs/howto").glob("*.md"))]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:  # an mpirun sleeps for most of the second that it takes
            followed = list(pool.map(self.follow, documents))
        for document, command, text, done in itertools.chain.from_iterable(followed):
            with self.subTest(document.name, command=command):
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                for line in text.splitlines():
                    if LASTING.match(line):
                        self.assertIn(line, (done.stdout + done.stderr).splitlines())

    def test_each_document_has_some(self):
        self.assertGreaterEqual(len(list(commands(ROOT / "docs/tutorial.md"))), 5)
        for document in (ROOT / "docs/howto").glob("*.md"):
            self.assertTrue(list(commands(document)), document)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
