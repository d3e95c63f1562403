"""Builds SentencePiece's precompiled character map (a Darts double-array trie and its values)."""

import struct


class DoubleArray:
    """A unit is 32 bits: label in 0-7, has-leaf in 8, offset in 10-30 (times 256 if bit 9 is set)."""

    def __init__(self, entries):
        self.used = {0}
        self.units = {}
        self.place(0, sorted(entries))

    def free(self, base, labels):
        return all(base ^ label not in self.used for label in labels)

    def place(self, node, entries, depth=0):
        children = {}
        for key, value in entries:
            label = key[depth] if depth < len(key) else 0
            children.setdefault(label, []).append((key, value))
        base = 1
        # Offsets of 2^21 and more would need the long form, which this small map never reaches.
        while not self.free(base, children) or (node ^ base) >= 1 << 21:
            base += 1
        unit = self.units.get(node, 0) | ((node ^ base) << 10)
        if 0 in children:
            unit |= 1 << 8
        self.units[node] = unit
        for label in children:
            self.used.add(base ^ label)
            self.units[base ^ label] = label
        for label, below in children.items():
            if label == 0:
                self.units[base] = below[0][1] | 1 << 31
            else:
                self.place(base ^ label, below, depth + 1)

    def pack(self):
        size = (max(self.units) | 255) + 1
        return b"".join(struct.pack("<I", self.units.get(i, 0)) for i in range(size))


def build(mapping):
    values, offsets = b"", {}
    for text in sorted(set(mapping.values())):
        offsets[text] = len(values)
        values += text.encode() + b"\0"
    trie = DoubleArray([(key.encode(), offsets[text]) for key, text in mapping.items()]).pack()
    return struct.pack("<I", len(trie)) + trie + values


def example_map():
    mapping = {"\t": " ", "\n": " ", "\r": " ", "\u00a0": " ", "\u3000": " ", "\u200b": "", "\u00ad": "",
               "ﬁ": "fi", "ﬃ": "ffi", "½": "1⁄2", "①": "1", "Ⅷ": "VIII", "™": "TM", "e\u0301": "é", "A\u030a": "Å",
               "\u212b": "Å", "²": "2", "…": "...", "か\u3099": "が", "ẞ": "ß", "\u0600": "num", "x": "x", "é": "é"}
    for c in range(0xFF01, 0xFF5F):
        mapping[chr(c)] = chr(c - 0xFEE0)
    for c in range(0x1D400, 0x1D41A):
        mapping[chr(c)] = chr(c - 0x1D400 + ord("A"))
    return build(mapping)
