"""Features that machine code reads are those that protobuf reads, and what is refused is, too."""

from __future__ import annotations

import ctypes
import mmap
import random
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import graphwright as tf
from graphwright.base.errors import InvalidArgumentError
from graphwright.machine import array_layout
from graphwright.ops.io import example_code, example_features
from graphwright.ops.io.example_features import KINDS, DecodedColumns, FeatureColumns, decoded

KEYS = ["a", "label", "é", "", "pixels"]
#: What else messages have.
OTHERS = ["b", "labels", "ü", "x" * 200]


# -- messages, written byte by byte as the format has it --------------------------------------


def varint(number: int, spare: int = 0) -> bytes:
    """An integer, with groups of zeros behind it that say nothing."""
    number &= (1 << 64) - 1
    groups = []
    while number or not groups:
        groups.append(number & 127)
        number >>= 7
    groups += [0] * spare
    return bytes([group | 128 for group in groups[:-1]] + groups[-1:])


#: Fields of lists of which some are none, or none of all kinds: parts of a value, values of other
#: kinds, numbers of more than 64 bits, lengths of more bytes than they need, or past the end.
_TOO_WIDE = b"\xff" * 9 + b"\x03"
STRANGE = [b"\x0a\x05abcde", b"\x0a\x04abcd", b"\x0d123", b"\x0d1234", b"\x08\x05", b"\x08\x85",
           b"\x08" + _TOO_WIDE, b"\x0a\x0a" + _TOO_WIDE, b"\x0a\x81\x80\x80\x80\x00a",
           b"\x0a\x7fab", b"\x0a", b"\x08", b"\x0a\x02\x85\x85", b"\x0b\x0c", b"\x0f"]  # fmt: skip


class Writer:
    """Writes random messages: as others do, or `odd` ones, which are messages all the same."""

    def __init__(self, seed: int) -> None:
        self.choose = random.Random(seed)
        self.odd = self.choose.choice([0.0, 0.0, 0.05, 0.3])
        #: How probable a list has a strange field.
        self.strange = self.choose.choice([0.0, 0.0, 0.2])

    def is_odd(self) -> bool:
        return self.choose.random() < self.odd

    def number(self, value: int) -> bytes:
        return varint(value, self.choose.randint(1, 2) if self.is_odd() else 0)

    def field(self, number: int, content: bytes) -> bytes:
        return self.number(number << 3 | 2) + self.number(len(content)) + content

    def unknown(self) -> bytes:
        """A field that the format knows in no message."""
        choose = self.choose
        number = choose.choice([4, 5, 15, 16, 2000])
        content = {
            0: lambda: self.number(choose.getrandbits(choose.choice([1, 40, 64]))),
            1: lambda: choose.randbytes(8),
            2: lambda: self.number(3) + choose.randbytes(3),
            5: lambda: choose.randbytes(4),
        }
        kind = choose.choice(list(content))
        return self.number(number << 3 | kind) + content[kind]()

    def message(self, parts: list[bytes]) -> bytes:
        """A message of these fields, and maybe of others."""
        if self.is_odd():
            parts.insert(self.choose.randint(0, len(parts)), self.unknown())
        return b"".join(parts)

    def values(self, kind: int) -> bytes:
        """A list: its values together, or one by one, or both."""
        choose = self.choose
        count = choose.choice([0, 1, 1, 2, 3, 40])
        if kind == 1:
            sizes = [choose.choice([0, 1, 5, 200]) for _ in range(count)]
            return self.message([self.field(1, choose.randbytes(size)) for size in sizes])
        if kind == 2:
            values, tag = [choose.randbytes(4) for _ in range(count)], 1 << 3 | 5
        else:
            bits = [choose.choice([1, 7, 8, 31, 63, 64]) for _ in range(count)]
            values, tag = [self.number(choose.getrandbits(n)) for n in bits], 1 << 3
        form = choose.choice(["together", "together", "alone", "both"])
        if form == "alone":
            return self.message([self.number(tag) + value for value in values])
        cut = choose.randint(0, count) if form == "both" else count
        single = [self.number(tag) + value for value in values[cut:]]
        together = [self.field(1, b"".join(values[:cut]))] if cut or self.is_odd() else []
        return self.message(together + single)

    def feature(self) -> bytes:
        kinds = self.choose.choices([1, 2, 3], k=self.choose.randint(0, 3) if self.is_odd() else 1)
        if self.choose.random() < 0.05:
            kinds = []
        lists = [self.values(kind) for kind in kinds]
        if lists and self.choose.random() < self.strange:
            lists[-1] += self.choose.choice(STRANGE)
        return self.message([self.field(*one) for one in zip(kinds, lists)])

    def entry(self, key: str, feature: bytes) -> bytes:
        name = key.encode()
        if self.choose.random() < self.strange / 4:
            name += b"\xff"  # no text
        fields = [self.field(1, name), self.field(2, feature)]
        if self.is_odd():
            self.choose.shuffle(fields)
        if self.is_odd():
            fields.pop()
        if self.is_odd():
            fields.append(self.field(2, self.feature()))
        return self.message(fields)

    def example(self) -> bytes:
        keys = self.choose.sample(KEYS + OTHERS[:2], self.choose.randint(0, 6))
        if self.is_odd():
            keys += self.choose.choices(KEYS + OTHERS, k=2)  # twice, or at last
        entries = [self.field(1, self.entry(key, self.feature())) for key in keys]
        parts = [entries]
        if self.is_odd():
            cut = self.choose.randint(0, len(entries))
            parts = [entries[:cut], entries[cut:]]
        return self.message([self.field(1, self.message(part)) for part in parts if part or keys])


def spoiled(text: bytes, choose: random.Random) -> bytes:
    """A message with some bytes changed, left out, doubled, or cut off."""
    data = bytearray(text)
    for _ in range(choose.randint(1, 3)):
        place = choose.randint(0, len(data))
        end = min(len(data), place + choose.choice([1, 1, 2, 9]))
        change = choose.choice(["set", "bit", "drop", "double", "cut", "high"])
        if change == "cut":
            del data[place:]
        elif change == "drop":
            del data[place:end]
        elif change == "double":
            data[place:place] = data[place:end]
        elif change == "high":
            data[place:end] = b"\xff" * (end - place)
        elif place < len(data):
            data[place] = choose.randrange(256) if change == "set" else data[place] ^ 1 << 3
    return bytes(data)


def read(columns: FeatureColumns) -> list[Any]:
    """All features of each dtype, or what is wrong with them."""
    outcomes: list[Any] = []
    for key in KEYS:
        for dtype in KINDS.values():
            try:
                values, lengths, is_present = columns.column(key, dtype)
            except InvalidArgumentError as error:
                outcomes.append(error.message)
                continue
            if values.dtype == np.float32:  # Python's floats have no signalling NaN
                values = values.view(np.int32) | np.isnan(values) * np.int32(1 << 22)
            outcomes.append((values.tolist(), lengths.tolist(), is_present.tolist()))
    return outcomes


def by_protobuf(messages: Sequence[bytes]) -> Any:
    """The features of messages, or the error for the first that is none."""
    try:
        features = [decoded("Example", each, i).features.feature for i, each in enumerate(messages)]
    except InvalidArgumentError as error:
        return error.message
    return read(DecodedColumns(features))


def by_code(messages: Sequence[bytes]) -> Any:
    array = np.empty(len(messages), object)
    array[:] = messages
    try:
        columns = example_features.located_columns(array, KEYS)
    except InvalidArgumentError as error:
        return error.message
    assert columns is not None
    return read(columns)


def differing(seeds: range) -> int | None:
    """The first seed whose messages the two read in different ways."""
    example_code.PREPARATION.work()
    for seed in seeds:
        writer = Writer(seed)
        choose = writer.choose
        messages = [writer.example() for _ in range(choose.choice([0, 1, 2, 12]))]
        if choose.random() < 0.5 and messages:
            place = choose.randrange(len(messages))
            messages[place] = spoiled(messages[place], choose)
        if by_code(messages) != by_protobuf(messages):
            return seed
    return None


def test_random_and_spoiled_messages() -> None:
    assert differing(range(1000)) is None


@pytest.mark.slow
def test_many_random_and_spoiled_messages() -> None:
    assert differing(range(1000, 60_000)) is None


#: Looks for differences and for reads behind messages, with a fault in the code.
PROGRAM = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import test_example_code as test
there, planted = sys.argv[1:]
text = test.example_code.module_text()
assert text.count(there) == 1
test.example_code.module_text = lambda: text.replace(there, planted)
assert test.differing(range(3000)) is None, "it differs"
test.test_bytes_behind_a_message_are_never_read()
print("nothing was noticed")
"""


@pytest.mark.parametrize(
    ("there", "planted"),
    [
        ("icmp ule i64 %size, %left", "icmp ule i64 %left, %left"),
        ("icmp eq i64 %floats.rest, 0", "icmp eq i64 0, 0"),
        ("icmp ult i64 %float.left, 4", "icmp ult i64 %float.left, 0"),
        ("icmp ult i64 %shifted, 70", "icmp ult i64 %shifted, 77"),
        ("icmp ne i64 %kind, 3", "icmp ne i64 %kind, %kind"),
        ("icmp eq i8 %is.again, 0", "icmp eq i8 0, 0"),
    ],
)
def test_a_fault_in_the_code_is_noticed(there: str, planted: str) -> None:
    """The outcome is another one, or the process dies as it reads what is not its own."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, there, planted], capture_output=True, text=True, check=False
    )
    is_killed = done.returncode == -signal.SIGSEGV
    assert is_killed or "it differs" in done.stderr, (done.stdout, done.stderr)


def test_bytes_behind_a_message_are_never_read() -> None:
    """Each message ends where memory does: each part of a message, too."""
    example_code.PREPARATION.work()
    page = mmap.PAGESIZE
    pages = mmap.mmap(-1, 2 * page)
    start = ctypes.addressof(ctypes.c_char.from_buffer(pages))
    protect = ctypes.CDLL(None).mprotect
    protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    assert protect(start + page, page, 0) == 0
    writer = Writer(1)
    texts = [writer.example() for _ in range(40)]
    for text in [*texts, *map(strange_message, STRANGE)]:
        for size in range(min(len(text), 300)):
            check_guarded(text[:size], start + page)
        for _ in range(20):
            check_guarded(spoiled(text, writer.choose)[:2000], start + page)


def strange_message(field: bytes) -> bytes:
    """A message that ends in a field of a list of floats."""
    content = field
    for number in (2, 2, 1, 1):
        content = bytes([number << 3 | 2, len(content)]) + content
    return content


def check_guarded(text: bytes, end: int) -> None:
    """Reads a copy of a message, as an object that ends where memory does."""
    size = array_layout.BYTES + len(text)
    ctypes.memmove(end - size, id(text), size)
    located = example_code.LocatedFeatures(
        np.array([end - size], np.int64), [key.encode() for key in KEYS]
    )
    if located.locate(0) == 1:
        for slot in range(len(KEYS)):
            kind = int(located.kinds(slot)[0])
            if kind:
                assert len(located.values(slot, kind)) == located.sizes(slot).sum()


def test_messages_that_are_no_bytes_are_left_to_protobuf() -> None:
    class Text(bytes):
        pass

    example_code.PREPARATION.work()
    messages = np.empty(1, object)
    messages[0] = Text(b"")
    assert example_features.located_columns(messages, KEYS) is None


def test_a_batch_with_an_odd_message_is_read_in_order() -> None:
    example_code.PREPARATION.work()
    messages = []
    for number in range(40):
        message = tf.train.Example()
        message.features.feature["n"].int64_list.value.append(number)
        message.features.feature["ä" if number == 7 else "b"].float_list.value.append(0.5)
        messages.append(message.SerializeToString() + b"\x20\x01" * (number == 9))
    parsed = tf.io.parse_example(messages, {"n": tf.io.FixedLenFeature([], tf.int64)})
    assert parsed["n"].numpy().tolist() == list(range(40))
    messages[11] = messages[11][:-1]
    with pytest.raises(InvalidArgumentError, match="Could not parse Example input, value 11"):
        tf.io.parse_example(messages, {"n": tf.io.FixedLenFeature([], tf.int64)})
