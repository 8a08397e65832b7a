#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The commands in docs/tutorial.md, docs/tune.md, docs/cluster.md, docs/device.md and docs/howto work, and print what the documents show.

    documents.py BUILD LAUNCHER...

A shell runs each block ```sh unchanged, in a folder with the same files as the project's root, in which `mpirun` is LAUNCHER. The output
must contain the lines without times of the block ```text that follows. A block after a line <!-- not run: WHY --> is left out, and so is
a block that needs .venv or the examples in Fortran if there are none.
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
LASTING = re.compile(r"step \d+: |\w+: [0-9a-f]{16}$|all points|power of|\d+ drops|after \d+ steps|This is|energy|error")


def commands(document):
    """Tuples (command, text that follows it, if any)."""
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
        # The launcher's last argument is the option for the number of ranks, and so is the first word after mpirun in
        # the documents.
        launcher.write_text('#!/bin/sh\n[ "$1" = -n ] && shift\nexec ' + " ".join(LAUNCHER) + ' "$@"\n')
        launcher.chmod(0o755)
        return dict(os.environ, PATH=f"{launcher.parent}:{os.environ['PATH']}", WEFT_TUNE_FILE=str(path / "tuned.toml"),
                    OMPI_MCA_odls_base_sigkill_timeout="0")

    def follow(self, document):
        """Runs the commands of a document one after the other. Returns tuples (document, command, text, result)."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            environment = self.folder(path)
            return [(document, command, text,
                     subprocess.run(["sh", "-euc", command], cwd=path, env=environment, capture_output=True, text=True, timeout=200,
                                    stdin=subprocess.DEVNULL))
                    for command, text in commands(document)
                    if (".venv" not in command or (path / ".venv").exists()) and
                    ("examples/ocean" not in command or (BUILD / "examples/ocean").exists())]

    def test_commands(self):
        documents = [*(ROOT / f"docs/{name}.md" for name in ("tutorial", "tune", "cluster", "device")), *sorted((ROOT / "docs/howto").glob("*.md"))]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:  # an mpirun sleeps during most of the second that it takes
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
            self.assertIn("```sh\n", document.read_text(), document)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
