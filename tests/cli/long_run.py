"""What the tests of runs that are cut share: enough work for several batches, a signal at the right moment, what a journal
holds, and the bytes of a folder of results."""

import os
import random
import signal
import struct
import subprocess
import tempfile
import time

from program import ProgramTest, same_bytes

WORDS = 'Where was the author born In a small town near river'.split()
JOURNAL_HEAD = len('palimpsest journal 2\n') + 32
TIMEOUT = 300
ATTEMPTS = 50


def batches_in(*journals):
    """How many finished batches the journals hold; 0 if there are none."""
    count = 0
    for path in journals:
        try:
            content = path.read_bytes()
        except OSError:
            continue
        offset = JOURNAL_HEAD
        while offset + 24 <= len(content):
            size, _, number = struct.unpack_from('<QQq', content, offset)
            offset += 16 + size
            count += number >= 0 and offset <= len(content)
    return count


class LongRunTest(ProgramTest):
    def questions(self, name, count, seed):
        """Several batches of work for the example model."""
        draw = random.Random(seed)

        def words():
            return ' '.join(draw.choice(WORDS) for _ in range(draw.randint(8, 11)))

        self.write(name, *(f'{{"question": "{words()}", "answer": "{words()}"}}' for _ in range(count)))
        return name

    def wait_until(self, process, moment):
        """Waits until moment() holds, or the process has ended."""
        deadline = time.monotonic() + TIMEOUT
        while process.poll() is None and not moment():
            self.assertLess(time.monotonic(), deadline, 'the moment did not come')
            time.sleep(0.0005)  # the program needs the core

    def cut(self, command, moment, which=signal.SIGKILL, victim=lambda pid: pid):
        """Sends the signal to the command's process, or to that of victim(pid), as soon as moment() holds. Returns the return code
        and what the command wrote to standard error. The command may be done before it is hit: whoever calls has to look."""
        with tempfile.TemporaryFile('w+', encoding='utf-8') as said:
            with subprocess.Popen([str(word) for word in command], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=said,
                                  env=os.environ | self.environment) as process:
                self.wait_until(process, moment)
                try:
                    os.kill(victim(process.pid), which)
                except (OSError, StopIteration):  # there is no victim any more
                    pass
                process.wait(timeout=TIMEOUT)
            said.seek(0)
            return process.returncode, said.read()

    def until_cut(self, attempt):
        """Calls attempt(0), attempt(1) … until one says that its run was cut: a run may be done before the signal arrives."""
        if not any(attempt(number) for number in range(ATTEMPTS)):
            self.fail('no run was cut')

    def files(self, folder):
        return {path.relative_to(self.folder / folder): same_bytes(path)
                for path in (self.folder / folder).rglob('*') if path.is_file()}

    def check_results(self, folder, expected):
        """The files of the folder are those that files() gave; run records and pages tell how long it took."""
        found = self.files(folder)
        self.assertEqual(found.keys(), expected.keys())
        for path, content in expected.items():
            if not path.name.endswith('_RUN.json') and path.suffix != '.html':
                self.assertEqual(found[path], content, path)
