"""The tensors of golden data: a safetensors file under gzip, the same bytes for the same tensors."""

import gzip
import pathlib

import numpy as np
import safetensors.numpy


def shortened(values):
    """float32 with a significand of 16 bits, rounded to nearest even: the error is at most 2**-17 of each value, and a
    byte in four is zero, which gzip takes away."""
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    return ((bits + 0x7F + ((bits >> 8) & 1)) & np.uint32(0xFFFFFF00)).view(np.float32)


def write(path, tensors):
    """tensors: {name: float32 array}; the path ends in .safetensors.gz."""
    arrays = {name: np.ascontiguousarray(array, dtype=np.float32) for name, array in tensors.items()}
    pathlib.Path(path).write_bytes(gzip.compress(safetensors.numpy.save(arrays), 9, mtime=0))


def read(path):
    return safetensors.numpy.load(gzip.decompress(pathlib.Path(path).read_bytes()))
