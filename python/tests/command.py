# SPDX-License-Identifier: BSD-3-Clause
"""What tests share that need a folder, or run a command of the package in this process."""
import contextlib
import io
import tempfile
import unittest
from pathlib import Path
from types import ModuleType


class Folder(unittest.TestCase):
    """Has a folder of its own."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)


class Command(Folder):
    """Calls the main() of `module`."""
    module: ModuleType

    def run_main(self, *arguments: object) -> tuple[int, list[str], list[str]]:
        """The status, and the lines of both streams."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = self.module.main([str(argument) for argument in arguments])
        return status, out.getvalue().splitlines(), err.getvalue().splitlines()

    def check_refused(self, *words: str, arguments: tuple = ()) -> None:
        """Nothing but one line is printed, which has these words, and no picture is drawn."""
        status, out, err = self.run_main(*arguments)
        self.assertEqual((status, out, len(err)), (2, [], 1), err)
        for word in words:
            self.assertIn(word, err[0])
        self.assertFalse(list(self.folder.glob("*.png")))
