"""Traces that are larger than the memory: what an audit needs of it grows with the examples, not with their tokens."""

import array
import json
import os
import struct
import subprocess
import unittest

from program import ProgramTest

TOKENS = 50_000  # of a long example
MEGABYTE = 1_000_000


def write_columns(path, count, tokens, shift=0.0):
    """Traces with log-probabilities and token ids, as docs/formats.md describes the file."""
    names = [str(i).encode() for i in range(count)]
    ends = [0]
    for name in names:
        ends.append(ends[-1] + len(name))
    columns = [('num_labels', 'I64', array.array('q', [tokens] * count)),
               ('offsets', 'I64', array.array('q', range(0, tokens * count + 1, tokens))),
               ('index.offsets', 'I64', array.array('q', ends))]
    # A whole number of bytes per example, so that only a few examples are made and then repeated.
    kinds = 7
    logprob = [array.array('f', [-((t * 7 + i * 3) % 11) / 4 - shift for t in range(tokens)]) for i in range(kinds)]
    label = [array.array('H', [(t * 5 + i) % 3000 for t in range(tokens)]) for i in range(kinds)]
    sizes = [(name, kind, len(values), values.itemsize) for name, kind, values in columns]
    sizes += [('logprob', 'F32', tokens * count, 4), ('label', 'U16', tokens * count, 2), ('index', 'U8', ends[-1], 1)]
    header, end = {'__metadata__': {'palimpsest_trace': '1', 'model': 'm'}}, 0
    for name, kind, length, width in sizes:
        header[name] = {'dtype': kind, 'shape': [length], 'data_offsets': [end, end + length * width]}
        end += length * width
    text = json.dumps(header).encode()
    text += b' ' * (-len(text) % 8)
    with open(path, 'wb') as file:
        file.write(struct.pack('<Q', len(text)) + text)
        for _, _, values in columns:
            file.write(values.tobytes())
        for values in (logprob, label):
            for i in range(count):
                file.write(values[i % kinds].tobytes())
        file.write(b''.join(names))


class LargeTracesTest(ProgramTest):

    def peak_of(self, examples):
        """The most memory that an audit takes, in bytes, with so many long examples in the forget set."""
        write_columns(self.folder / 'forget.safetensors', examples, TOKENS)
        arguments = ('--quiet', 'mia', '--forget-traces', 'forget.safetensors', '--holdout-traces', 'holdout.safetensors', '--attacks',
                     'loss', '--independent', '--threads', '1', '--json')
        # Without a page, which shows tokens of up to 1,000 examples.
        with open(self.folder / 'mia.json', 'w', encoding='utf-8') as out:
            process = subprocess.Popen([os.environ['PALIMPSEST'], *arguments], cwd=self.folder, stdout=out, stderr=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        found = json.loads((self.folder / 'mia.json').read_text(encoding='utf-8'))
        self.assertEqual(len(found['loss']['forget']['value_by_index']), examples)
        return usage.ru_maxrss * 1024

    def test_memory_does_not_grow_with_the_tokens(self):
        write_columns(self.folder / 'holdout.safetensors', 30, 20, 0.1)
        few, many = 200, 400  # so many that ids are not kept in either
        # The mapped columns of the further examples take 60 MB, and their ids would take 80 MB if they were kept.
        self.assertLess(self.peak_of(many), self.peak_of(few) + 20 * MEGABYTE)


if __name__ == '__main__':
    unittest.main()
