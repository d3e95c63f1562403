"""Runs the built program for the tests of this folder; its path is in the variable PALIMPSEST."""

import fcntl
import functools
import json
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / 'examples'
GOLDEN_MODELS = ROOT / 'tests' / 'golden' / 'model'
GOLDEN_EVAL = ROOT / 'tests' / 'golden' / 'eval'

# By these variables batch systems and launchers of MPI tell a process its part. Tests may run as a batch job themselves, but
# what they start is no part of that.
OF_A_BATCH_JOB = re.compile(r'(SLURM|SGE|LSB|AWS_BATCH|CLOUD_RUN|PMI|PMIX|OMPI_COMM)_|JOB_COMPLETION_INDEX$')
for variable in [name for name in os.environ if OF_A_BATCH_JOB.match(name)]:
    del os.environ[variable]


PROVENANCE = re.compile(rb'<section id="provenance".*?</section>', re.DOTALL)


def same_bytes(path):
    """What must be the same in every run of a command: not provenance.json, and not the part of a page that repeats it."""
    return b'' if path.name == 'provenance.json' else PROVENANCE.sub(b'', path.read_bytes())


def localised(value, out):
    """A golden configuration with the paths of this machine."""
    if isinstance(value, dict):
        return {key: localised(item, out) for key, item in value.items()}
    if isinstance(value, list):
        return [localised(item, out) for item in value]
    return value.replace('@golden', str(GOLDEN_EVAL)).replace('@out', str(out)) if isinstance(value, str) else value


def has_avx2():
    """Whether the processor has the instruction set avx2: the program says the widest that there is."""
    said = subprocess.run([os.environ['PALIMPSEST'], '--version'], capture_output=True, text=True, encoding='utf-8', check=True)
    return bool(re.search(r'(?m)^instruction set +avx', said.stdout))


AS_ANOTHER_USER = {'user': 54321, 'group': 54321, 'extra_groups': []}  # options of subprocess.run()


@functools.cache
def is_another_user_possible():
    """Whether the program may be started as a user who has no other process, and may be read by that user."""
    if os.geteuid() != 0:
        return False
    try:
        return subprocess.run([os.environ['PALIMPSEST'], 'model', EXAMPLES / 'tiny-model'], **AS_ANOTHER_USER,
                              capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def on_terminal(arguments, columns=80, environment=None, cwd=None):
    """Standard output of a program whose output is a terminal of so many columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack('HHHH', 40, columns, 0, 0))
    with subprocess.Popen([os.environ['PALIMPSEST'], *map(str, arguments)], stdout=theirs, stderr=subprocess.DEVNULL,
                          cwd=cwd, env={**os.environ, 'TERM': 'xterm', **(environment or {})}) as process:
        os.close(theirs)
        parts = []
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            parts.append(part)
    os.close(ours)
    return b''.join(parts).decode('utf-8').replace('\r\n', '\n')


SKIPPED = 77  # as ctest is told
LEAVE_OUT_MARKED = '--leave-out-marked'


def runs_only_if(condition, reason):
    """Marks a test, or a class of tests, that is skipped unless the condition holds. It has an entry of its own in ctest, which
    thus lists it as skipped (palimpsest_python_test() in cmake/PalimpsestTargets.cmake). A class with a mark in it has no
    subclasses: they would inherit the mark, but have no entry."""
    def mark(test):
        test = unittest.skipUnless(condition, reason)(test)
        test.is_marked = True
        return test
    return mark


class LeavesOutMarked(unittest.TestLoader):
    def getTestCaseNames(self, testCaseClass):
        if hasattr(testCaseClass, 'is_marked'):
            return []
        return [name for name in super().getTestCaseNames(testCaseClass)
                if not hasattr(getattr(testCaseClass, name), 'is_marked')]


def main():
    """unittest.main() of a file with marked tests: can leave them out, and says if everything that was asked for was skipped. It is
    a failure if nothing was asked for."""
    arguments = [argument for argument in sys.argv if argument != LEAVE_OUT_MARKED]
    loader = unittest.defaultTestLoader if arguments == sys.argv else LeavesOutMarked()
    result = unittest.main(argv=arguments, testLoader=loader, exit=False).result
    if not result.wasSuccessful():
        sys.exit(1)
    if result.testsRun == 0:
        sys.exit('no test was run: this file has none but marked ones, or ctest has old entries (configure the build again)')
    sys.exit(SKIPPED if len(result.skipped) == result.testsRun else 0)


class ProgramTest(unittest.TestCase):
    """A test with a folder of its own, in which the program runs."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.environment = {}  # variables beside those of the test itself
        self.process = {}  # further options of subprocess.run()

    def write(self, name, *lines):
        path = self.folder / name
        path.write_text(''.join(line + '\n' for line in lines), encoding='utf-8')
        return path

    def write_json(self, name, value):
        return self.write(name, json.dumps(value))

    def read_json(self, name):
        return json.loads((self.folder / name).read_text(encoding='utf-8'))

    def run_program(self, *args, stdin=None):
        return subprocess.run([os.environ['PALIMPSEST'], *map(str, args)], cwd=self.folder,
                              input=stdin, capture_output=True, text=True, encoding='utf-8',
                              check=False, timeout=600, env=os.environ | self.environment, **self.process)

    def succeed(self, *args, stdin=None):
        """Standard output of a run that must succeed."""
        done = self.run_program(*args, stdin=stdin)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def attacks(self):
        """The attacks that the program has, in their order, with what they need of a trace and of a reference model's."""
        found = {}
        for paragraph in self.succeed('list', 'attacks').split('\n\n')[1:]:
            name, *lines = paragraph.splitlines()
            needs, reference = set(), set()
            for line in lines:
                text, is_need, of = line.partition(' in each trace')
                if is_need:
                    (reference if of else needs).update(text.removeprefix('  needs').strip().split(', '))
            found[name] = (needs, reference)
        return found

    def refuse(self, *args, stdin=None):
        """The one sentence of a run that must refuse its input, print no result and write nothing."""
        before = sorted(self.folder.iterdir())
        done = self.run_program(*args, stdin=stdin)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertEqual(done.stdout, '')
        self.assertEqual(sorted(self.folder.iterdir()), before)
        self.assertRegex(done.stderr, r'\Apalimpsest: [^\n]+\n\Z')
        return done.stderr.removeprefix('palimpsest: ').removesuffix('\n')
