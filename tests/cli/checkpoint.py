"""Copies of the example model that tests can change or spoil."""

import json
import pathlib
import shutil
import struct

from program import EXAMPLES

TINY_MODEL = EXAMPLES / 'tiny-model'


def save_tensors(path, tensors):
    """`tensors`: name → (dtype, shape, bytes)."""
    header, data = {}, b''
    for name, (dtype, shape, raw) in tensors.items():
        header[name] = {'dtype': dtype, 'shape': shape, 'data_offsets': [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack('<Q', len(text)) + text + data)


class Checkpoint:
    """A copy of the example model in the folder `path`."""

    def __init__(self, path: pathlib.Path):
        self.path = path
        shutil.copytree(TINY_MODEL, path)
        self.weights = path / 'model.safetensors'

    def change_json(self, name, **changes):
        """Sets keys of a JSON file; None removes one."""
        file = self.path / name
        value = json.loads(file.read_text(encoding='utf-8')) | changes
        file.write_text(json.dumps({k: v for k, v in value.items() if v is not None}), encoding='utf-8')

    def tensors(self):
        """name → (dtype, shape, bytes), in the order of the file."""
        raw = self.weights.read_bytes()
        length, = struct.unpack('<Q', raw[:8])
        data = raw[8 + length:]
        header = json.loads(raw[8:8 + length])
        return {name: (entry['dtype'], entry['shape'], data[slice(*entry['data_offsets'])])
                for name, entry in header.items() if name != '__metadata__'}

    def save(self, tensors):
        save_tensors(self.weights, tensors)

    def split(self):
        """The first tensor gets a file of its own."""
        tensors = list(self.tensors().items())
        parts = {'model-1.safetensors': dict(tensors[:1]), 'model-2.safetensors': dict(tensors[1:])}
        for name, part in parts.items():
            save_tensors(self.path / name, part)
        files = {tensor: name for name, part in parts.items() for tensor in part}
        (self.path / 'model.safetensors.index.json').write_text(json.dumps({'weight_map': files}), encoding='utf-8')
        self.weights.unlink()

    def grow_vocabulary(self, size):
        """All weights become 0, and the file takes no room: it has a hole."""
        self.change_json('config.json', vocab_size=size)
        header, offset = {}, 0
        for name, (dtype, shape, raw) in self.tensors().items():
            count = len(raw)
            if name == 'model.embed_tokens.weight':
                count, shape = count // shape[0] * size, [size, shape[1]]
            header[name] = {'dtype': dtype, 'shape': shape, 'data_offsets': [offset, offset + count]}
            offset += count
        text = json.dumps(header).encode()
        self.weights.write_bytes(struct.pack('<Q', len(text)) + text)
        with self.weights.open('r+b') as file:
            file.truncate(8 + len(text) + offset)

    def truncate(self):
        self.weights.write_bytes(self.weights.read_bytes()[:-100])

    def drop(self, name):
        tensors = self.tensors()
        del tensors[name]
        self.save(tensors)

    def transpose_shape(self, name):
        tensors = self.tensors()
        dtype, shape, raw = tensors[name]
        tensors[name] = (dtype, shape[::-1], raw)
        self.save(tensors)

    def put_nan(self, name):
        tensors = self.tensors()
        dtype, shape, raw = tensors[name]
        tensors[name] = (dtype, shape, b'\xc0\x7f' + raw[2:])
        self.save(tensors)

    def shrink_vocabulary(self, size):
        tensors = self.tensors()
        dtype, shape, raw = tensors['model.embed_tokens.weight']
        row = len(raw) // shape[0]
        tensors['model.embed_tokens.weight'] = (dtype, [size, shape[1]], raw[:size * row])
        self.save(tensors)
        self.change_json('config.json', vocab_size=size)
