"""Our linker: what it puts in memory is what LLVM's does, and no file can make it fail worse."""

from __future__ import annotations

import ctypes
import gc
import os
import struct
import subprocess
import sys
import textwrap
from pathlib import Path

import llvmlite.binding as llvm
import pytest

import graphwright as tf
from graphwright.machine import codegen, compiler, elf, linking, llvm_linking, targets
from graphwright.machine.disk_cache import DiskCache, header_of
from graphwright.machine.elf import Unlinkable
from graphwright.machine.linking import Library, c_function
from graphwright.machine.targets import Target

needs_linker = pytest.mark.skipif(not linking.is_known(), reason="LLVM links here")

#: Code, constants, a table of addresses, variables, zeros, the C library.
TEXT = """
@counts = internal global [5 x i64] zeroinitializer, align 64
@first = internal global i64 7, align 32
@table = internal constant [2 x ptr] [ptr @one, ptr @two]
declare ptr @memset(ptr, i32, i64)

define internal i64 @one() { ret i64 10 }
define internal i64 @two() { ret i64 20 }

define i64 @chosen(i64 %i) {
  %at = getelementptr ptr, ptr @table, i64 %i
  %function = load ptr, ptr %at
  %found = call i64 %function()
  %more = load i64, ptr @first
  %sum = add i64 %found, %more
  ret i64 %sum
}

define i64 @counted() {
  %at = getelementptr i64, ptr @counts, i64 3
  %before = load i64, ptr %at
  %after = add i64 %before, 1
  store i64 %after, ptr %at
  ret i64 %after
}

define i64 @filled(ptr %place, i64 %size) {
  %there = call ptr @memset(ptr %place, i32 1, i64 %size)
  %found = load i64, ptr %there
  ret i64 %found
}

define double @half(double %x) {
  %y = fmul double %x, 5.000000e-01
  %z = fadd double %y, 3.141592653589793
  ret double %z
}

define i64 @place() {
  %x = ptrtoint ptr @counts to i64
  ret i64 %x
}
"""


def results(library: Library) -> list[object]:
    """What the functions return."""
    number, real = ctypes.c_int64, ctypes.c_double

    def call(name: str, *arguments: object, kind: type = number) -> object:
        types = [ctypes.c_void_p if isinstance(a, ctypes.Array) else type(a) for a in arguments]
        return ctypes.CFUNCTYPE(kind, *types)(library.addresses[name])(*arguments)

    assert call("place") % 64 == 0
    return [
        call("chosen", number(0)),
        call("chosen", number(1)),
        call("counted"),
        call("counted"),
        call("filled", (ctypes.c_char * 8)(), number(8)),
        call("half", real(3.0), kind=real),
    ]


EXPECTED = [17, 27, 1, 2, 0x0101010101010101, 1.5 + 3.141592653589793]


@pytest.fixture
def no_llvm(monkeypatch: pytest.MonkeyPatch) -> None:
    def link(*_: object) -> Library:
        raise AssertionError("LLVM links")

    monkeypatch.setattr(llvm_linking, "link", link)


def failed(*_: object) -> None:
    raise OSError("nobody may execute that")


@needs_linker
def test_functions_compute(no_llvm: None) -> None:
    assert results(compiler.link(TEXT, c_function)) == EXPECTED


@pytest.mark.parametrize("reason", ["unknown system", "unknown place", "refused memory"])
def test_llvm_links_what_is_not_known(reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if reason == "unknown system":
        monkeypatch.setattr(linking, "is_known", lambda: False)
    elif reason == "unknown place":
        monkeypatch.setattr(linking, "_FORMS", {elf.X86_64: {}, elf.AARCH64: {}})
    else:
        monkeypatch.setattr(linking, "_protect", failed)
    assert results(compiler.link(TEXT, c_function)) == EXPECTED


def test_programs_and_kernels_run_as_llvm_links_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking, "is_known", lambda: False)
    f = tf.function(lambda x: tf.nn.softmax(tf.sin(x) @ x) * 3.25, jit_compile=True)
    x = tf.random.stateless_normal([40, 40], [1, 2])
    llvms = f(x)
    monkeypatch.undo()
    g = tf.function(lambda x: tf.nn.softmax(tf.sin(x) @ x) * 3.25, jit_compile=True)
    assert (g(x).numpy() == llvms.numpy()).all()


PROGRAMS = [
    lambda x: tf.nn.softmax(tf.exp(x) @ x),
    lambda x: tf.cumsum(tf.math.lgamma(x)) + tf.reduce_sum(x, 0),
    lambda x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.tanh(y @ x)), [0, x])[1],
    lambda x: tf.cast(tf.cast(x, tf.bfloat16), tf.float64) ** 1.5,
]


@needs_linker
@pytest.mark.parametrize("program", range(len(PROGRAMS)))
def test_no_program_needs_llvm_to_link(program: int, no_llvm: None) -> None:
    compiled = tf.function(PROGRAMS[program], jit_compile=True)
    assert compiled(tf.ones([program + 3] * 2)).shape == [program + 3] * 2


def mapped(address: int) -> str | None:
    """What the system lets this process do with the memory at an address."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        span, permissions = line.split()[:2]
        first, end = [int(place, 16) for place in span.split("-")]
        if first <= address < end:
            return permissions
    return None


@needs_linker
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="nothing tells of memory")
def test_memory_is_executed_or_written_and_goes_with_the_library() -> None:
    library = compiler.link(TEXT.replace("10", "11"), c_function)
    code = library.addresses["counted"]
    variables = ctypes.CFUNCTYPE(ctypes.c_int64)(library.addresses["place"])()
    assert (mapped(code), mapped(variables)) == ("r-xp", "rw-p")
    lines = Path("/proc/self/maps").read_text().splitlines()
    near = [s for s in lines if abs(int(s.split("-")[0], 16) - code) < 1 << 16]
    assert not [line for line in near if "wx" in line.split()[1]]
    del library
    gc.collect()
    assert (mapped(code), mapped(variables)) == (None, None)


@needs_linker
def test_what_cannot_be_linked_leaves_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks: list[tuple[int, int]] = []
    free = linking._free
    monkeypatch.setattr(linking, "_free", lambda *block: blocks.append(block) or free(*block))
    monkeypatch.setattr(linking, "_protect", failed)
    module = linking.prepared(codegen.generate(TEXT), ["half"], c_function)
    with pytest.raises(OSError, match="nobody may execute"):
        linking.load(module)
    assert len(blocks) == 1


def test_who_refers_to_what_is_not_there_is_told() -> None:
    text = "declare void @gw_nowhere()\ndefine void @f() { call void @gw_nowhere() ret void }"
    with pytest.raises(RuntimeError, match="symbols"):
        compiler.link(text, c_function)


# Files that are not what they should be.

CASES = textwrap.dedent(
    """
    import random, sys
    from graphwright.machine import codegen, compiler, linking
    from graphwright.machine.elf import Unlinkable
    from graphwright.machine.linking import c_function
    from tests.machine.test_linking import TEXT, structure

    data, names = codegen.generate(TEXT), compiler.defined(TEXT)
    chance = random.Random(int(sys.argv[1]))
    refused = linked = 0

    def tried(data):
        global refused, linked
        try:
            linking.load(linking.prepared(data, names, c_function))
            linked += 1
        except (Unlinkable, OSError) as error:
            refused += 1

    tried(data)
    assert linked == 1
    for size in range(0, len(data), 7):
        tried(data[:size])
    assert linked == 1, "a part of a file was linked"
    places = structure(data)
    for at in places:
        for _ in range(int(sys.argv[2])):
            changed = bytearray(data)
            changed[at] ^= chance.randrange(1, 256)
            if chance.random() < 0.2:
                changed[chance.choice(places)] = chance.choice([0, 1, 127, 128, 255])
            tried(bytes(changed))
    print(refused, linked)
    """
)


def structure(data: bytes) -> list[int]:
    """The places of all but code and constants: headers, symbols, relocations, names."""
    places = list(range(64))
    (table,) = struct.unpack_from("<Q", data, 40)
    (count,) = struct.unpack_from("<H", data, 60)
    for at in range(table, table + 64 * count, 64):
        places += range(at, at + 64)
        (kind,) = struct.unpack_from("<I", data, at + 4)
        offset, size = struct.unpack_from("<QQ", data, at + 24)
        if kind in (2, 3, 4):
            places += range(offset, offset + size)
    return places


def changed_files(seed: int, times: int) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", CASES, str(seed), str(times)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(["src", *filter(None, sys.path)])},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    refused, linked = map(int, done.stdout.split())
    assert refused > 0
    assert linked > 0


@needs_linker
def test_a_changed_file_is_linked_or_refused() -> None:
    changed_files(0, 1)


@needs_linker
@pytest.mark.slow
def test_many_changed_files_are_linked_or_refused() -> None:
    for seed in range(1, 6):
        changed_files(seed, 10)


#: What is changed in a file, and what is said of it: (offset, format, value).
CHANGES = {
    "another format": (0, "<I", 0xFEEDFACF),
    "another processor": (18, "<H", 8),
    "headers beyond the end": (40, "<Q", 1 << 62),
    "more headers than there are": (60, "<H", 60_000),
    "names in a section that is not there": (62, "<H", 999),
}


@needs_linker
@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_entry_of_the_cache_is_made_anew(
    change: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    no_llvm: None,
) -> None:
    cache = DiskCache(tmp_path / "code")
    monkeypatch.setattr(compiler, "disk_cache", lambda: cache)
    compiler.link(TEXT, c_function)
    (path,) = cache.entries()
    key, start = path.stem, len(header_of("", b"", b""))
    whole = path.read_bytes()
    offset, kind, value = CHANGES[change]
    code = bytearray(whole[start:])
    struct.pack_into(kind, code, offset, value)
    path.write_bytes(header_of(key, bytes(code), cache.secret()) + code)
    assert results(compiler.link(TEXT, c_function)) == EXPECTED
    assert "cannot be linked" in caplog.text
    assert path.read_bytes() == whole


# AArch64: what the code of another processor does is computed here.

ARM = Target("aarch64-unknown-linux-gnu", "generic", frozenset({"+neon"}))
ARM_TEXT = """
@far = external global i8
@kept = internal global [4 x i64] zeroinitializer, align 64
@table = internal constant [2 x ptr] [ptr @called, ptr @far]
declare void @outside()

define ptr @called() noinline { ret ptr @kept }
define ptr @third() { ret ptr getelementptr (i64, ptr @kept, i64 2) }
define ptr @looked_up() { ret ptr @far }
define ptr @jumps() { %x = tail call ptr @called() ret ptr %x }
define void @leaves() { tail call void @outside() ret void }
define void @calls() { call void @outside() call void @outside() ret void }
define ptr @listed() { %p = getelementptr ptr, ptr @table, i64 1
  %x = load volatile ptr, ptr %p
  ret ptr %x }
"""
OUTSIDE = {"far": 0x1234_5678_9ABC_DEF0, "outside": 0xFEDC_BA98_7654_3210}


@pytest.fixture
def arm() -> bytes:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    with targets.aimed_at(ARM):
        return codegen.generate(ARM_TEXT)


class Arm:
    """As much of the processor as it takes to see where functions go and what they return."""

    def __init__(self, image: bytes, base: int) -> None:
        self.image, self.base = image, base
        self.x = [0] * 32

    def word(self, address: int, kind: str = "<I") -> int:
        result: int = struct.unpack_from(kind, self.image, address - self.base)[0]
        return result

    def run(self, at: int) -> int:
        """Where the first instruction lies that is not in this memory."""
        self.x[30] = 4
        while self.base <= at < self.base + len(self.image):
            code = self.word(at)
            register, other = code & 31, code >> 5 & 31
            after = at + 4
            if code >> 23 == 0b110100101:  # movz
                self.x[register] = (code >> 5 & 0xFFFF) << (code >> 21 & 3) * 16
            elif code >> 23 == 0b111100101:  # movk
                shift = (code >> 21 & 3) * 16
                kept = self.x[register] & ~(0xFFFF << shift)
                self.x[register] = kept | (code >> 5 & 0xFFFF) << shift
            elif code >> 26 & 0b11111 == 0b00101:  # b, bl
                if code >> 31:
                    self.x[30] = after
                after = at + 4 * ((code & 0x3FFFFFF ^ 0x2000000) - 0x2000000)
            elif code >> 24 & 0b10011111 == 0b10010000:  # adrp
                pages = (code >> 5 & 0x7FFFF) << 2 | code >> 29 & 3
                self.x[register] = (at >> 12) + (pages ^ 0x100000) - 0x100000 << 12
            elif code >> 22 == 0b1111100101:  # ldr, so far from a register
                self.x[register] = self.word(self.x[other] + 8 * (code >> 10 & 0xFFF), "<Q")
            elif code >> 24 == 0b01011000:  # ldr, so far from here
                self.x[register] = self.word(at + 4 * (code >> 5 & 0x7FFFF), "<Q")
            elif code & 0xFF9FFC1F == 0xD61F0000:  # br, ret
                after = self.x[other]
            elif code >> 22 not in (0b1111100100, 0b1010100010, 0b1010100110, 0b1010100011):
                # (What is stored is not needed, nor what is loaded in pairs.)
                assert code in (0xF81F0FFE, 0xF84107FE), hex(code)
            at = after
        return at


def test_aarch64_code_goes_where_it_should(arm: bytes) -> None:
    module = linking.prepared(arm, compiler.defined(ARM_TEXT), OUTSIDE.get, elf.AARCH64)
    kinds = {relocation.kind for relocation in module.file.relocations}
    assert kinds == set(linking._FORMS[elf.AARCH64])
    base = 0x7F12_3456_7000
    image = bytes(linking.image(module, base))
    (kept,) = [
        base + module.offsets[symbol.section] + symbol.offset
        for symbol in module.file.symbols.values()
        if symbol.name == "kept"
    ]
    assert kept % 64 == 0

    def outcome(name: str) -> tuple[int, int]:
        arm = Arm(image, base)
        left = arm.run(base + module.exports[name])
        return left, arm.x[0]

    for name, value in {
        "called": kept,
        "third": kept + 16,
        "looked_up": OUTSIDE["far"],
        "listed": OUTSIDE["far"],
        "jumps": kept,
    }.items():
        assert outcome(name) == (4, value), name
    for name in ("leaves", "calls"):
        assert outcome(name)[0] == OUTSIDE["outside"]


def test_another_processors_code_is_refused_here(arm: bytes) -> None:
    if linking._processor() != elf.AARCH64:
        with pytest.raises(Unlinkable, match="for processor 183"):
            linking.prepared(arm, [], OUTSIDE.get)


# What is known of the processor without LLVM.

SECOND = textwrap.dedent(
    """
    import sys
    import graphwright as tf
    f = tf.function(lambda x: tf.nn.softmax(x @ x), jit_compile=True)
    print(f(tf.ones([3, 3])).numpy().tolist(), "llvmlite" in sys.modules)
    """
)


@needs_linker
def test_a_second_process_does_without_llvm(tmp_path: Path) -> None:
    environment = {**os.environ, "GRAPHWRIGHT_CACHE_DIR": str(tmp_path / "code")}
    result = [
        subprocess.run(
            [sys.executable, "-W", "ignore", "-c", SECOND],
            env=environment | {"PYTHONPATH": os.pathsep.join(filter(None, ["src", *sys.path]))},
            check=True,
            capture_output=True,
            text=True,
        ).stdout.rpartition(" ")
        for _ in range(2)
    ]
    assert result[0][0] == result[1][0]
    assert [loaded.strip() for _, _, loaded in result] == ["True", "False"]


@pytest.fixture
def described(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How often LLVM was asked."""
    asked: list[int] = []
    really, cache = targets.described, DiskCache(tmp_path / "code")
    monkeypatch.setattr(targets, "disk_cache", lambda: cache)
    monkeypatch.setattr(targets, "described", lambda: asked.append(1) or really())
    return asked


def test_a_description_is_asked_for_once(described: list[int]) -> None:
    ask = targets.description.__wrapped__
    if targets._circumstances() is None:
        pytest.skip("nothing tells whether it is the same processor")
    assert ask() == ask() == targets.described()
    assert len(described) == 2


def test_a_damaged_description_is_made_anew(
    described: list[int], caplog: pytest.LogCaptureFixture
) -> None:
    ask, cache = targets.description.__wrapped__, targets.disk_cache()
    assert cache is not None
    result = ask()
    for path in cache.entries():
        cache.put(path.stem, b"nothing of the kind")
    assert ask() == result
    if targets._circumstances() is not None:
        assert "describes no processor" in caplog.text


def test_another_processor_is_described_anew(
    described: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = targets.description.__wrapped__
    ask()
    features = dict(targets._multiarray_umath.__cpu_features__)
    for name in ("AVX512F", "ASIMD"):
        features[name] = not features.get(name, False)
    monkeypatch.setattr(targets._multiarray_umath, "__cpu_features__", features)
    ask()
    assert len(described) == 2
    monkeypatch.setattr(targets, "_circumstances", lambda: None)
    ask()
    assert len(described) == 3
