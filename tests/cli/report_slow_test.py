"""palimpsest report on five million rows: it must fit into a gigabyte."""

import array
import os
import random
import resource
import subprocess
import unittest

from program import ProgramTest

ROWS = 5_000_000
GIGABYTE = 10**9


class LargeReportTest(ProgramTest):

    def test_five_million_rows(self):
        rng = random.Random(1)
        values = array.array('d', (rng.gauss(0, 1) for _ in range(100_000)))
        with (self.folder / 'scores.csv').open('w', encoding='utf-8') as file:
            file.write('label,score,attack,index\n')
            for begin in range(0, ROWS, len(values)):
                file.write(''.join(f'{i % 2},{value + i % 2 + begin * 1e-9:.6f},loss,{begin + i}\n'
                                   for i, value in enumerate(values)))
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        done = subprocess.run([os.environ['PALIMPSEST'], 'report', 'scores.csv', '--bootstrap', '0', '--format', 'csv',
                               '--metrics', 'auc', '--out', 'out'], cwd=self.folder, capture_output=True, text=True,
                              check=False, timeout=1200)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertAlmostEqual(float(done.stdout.splitlines()[1].split(',')[1]), 0.76, delta=0.01)
        peak = 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        self.assertLess(before * 1024, GIGABYTE)  # or the next line says nothing
        self.assertLess(peak, GIGABYTE)


if __name__ == '__main__':
    unittest.main()
