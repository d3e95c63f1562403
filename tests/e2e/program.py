"""Running the program in end-to-end tests."""

import os
import subprocess
import unittest

PROGRAM = os.environ["PALIMPSEST"]


def palimpsest(*arguments, **options) -> subprocess.CompletedProcess:
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=300,
                          **options)


class ProgramTest(unittest.TestCase):
    def assert_refused(self, run: subprocess.CompletedProcess, *parts: str) -> None:
        """The call or the input was wrong: status 2, one sentence that says so, nothing on standard output."""
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertEqual(run.stdout, "")
        self.assertEqual(len(run.stderr.strip().splitlines()), 1, run.stderr)
        for part in parts:
            self.assertIn(part, run.stderr)
