"""The linker: puts an object file in memory as code that runs.

Sections are laid out one after the other in a block of memory: code, constants and variables, each
on pages of their own. Places that depend on addresses are filled in. Then the pages of code may be
executed and no longer written; no memory allows both. The block is freed with its `Library`.

A process that finds its code on the disk loads no LLVM, and takes 46 MiB less. Its time to native
is a part of that with LLVM's linker: 0.6 (one function), 0.8 (a step of training) or 0.88 (many
functions, P2). `python -m benchmarks.alternatives` measures it.

LLVM writes its code for addresses of 64 bits. On x86-64 an instruction holds a whole address, on
AArch64 four instructions hold 16 bits each. There, calls have 26 bits. So calls of other libraries
go through a *veneer*: a jump to an address that stands beside it. So do addresses in tables.
"""

from __future__ import annotations

import ctypes
import functools
import mmap
import os
import platform
import struct
import sys
import weakref
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from graphwright.base.named_tuples import NamedTuple
from graphwright.machine.elf import (
    AARCH64,
    EXECUTE,
    WRITE,
    X86_64,
    ObjectFile,
    Relocation,
    Section,
    Symbol,
    Unlinkable,
    read,
)

#: More than any module needs, and all of it in the reach of an AArch64 call.
_LARGEST = 64 << 20

#: Writes an address into an image: (image, offset in it, the address of this place, the target).
Patch: TypeAlias = Callable[[bytearray, int, int, int], None]


class Library:
    """The addresses of functions by name; they stay in memory as long as this object."""

    def __init__(self, addresses: dict[str, int], free: Callable[..., None], *block: Any) -> None:
        self.addresses = addresses
        # Not at the end of the process, while threads that nobody waits for may be in the code.
        weakref.finalize(self, free, *block).atexit = False


class LinkedModule(NamedTuple):
    """An object file that can be linked: laid out, with the addresses that it refers to."""

    file: ObjectFile
    offsets: dict[int, int]  # of sections
    veneers: dict[int, int]  # offsets, of the symbols that have one
    ends: tuple[int, int, int]  # of code, of constants, of variables
    outside: dict[int, int]  # addresses of symbols
    exports: dict[str, int]  # offsets of functions


def is_known() -> bool:
    """Whether the object files of this system and processor are known here."""
    return _processor() is not None


@functools.cache
def _processor() -> int | None:
    if os.name != "posix" or sys.platform == "darwin" or sys.maxsize < 2**32:
        return None
    processors = {"x86_64": X86_64, "amd64": X86_64, "aarch64": AARCH64}
    processor = processors.get(platform.machine().lower())
    return None if processor == AARCH64 and _clear_cache() is None else processor


def prepared(
    data: bytes,
    names: Iterable[str],
    resolve: Callable[[str], int | None],
    processor: int | None = None,
) -> LinkedModule:
    """An object file that defines `names`, ready to be loaded; `resolve` gives addresses of names.

    `Unlinkable` if the file is damaged, is for another processor, or needs more than this linker.
    """
    file = read(data)
    if file.processor != (processor or _processor()):
        raise Unlinkable(f"it is for processor {file.processor}")
    outside: dict[int, int] = {}
    veneers: dict[int, int] = {}
    for relocation in file.relocations:
        if _needs_veneer(file, relocation):
            veneers[relocation.symbol] = 0
        symbol = file.symbols[relocation.symbol]
        if not symbol.section and relocation.symbol not in outside:
            address = resolve(symbol.name)
            if address is None:
                raise Unlinkable(f"{symbol.name!r} has no address")
            outside[relocation.symbol] = address
    offsets, ends = _laid_out(file.sections, veneers)
    exports = {
        symbol.name: offsets[symbol.section] + symbol.offset
        for symbol in file.symbols.values()
        if symbol.is_global and file.sections.get(symbol.section, _NOTHING).flags & EXECUTE
    }
    missing = [name for name in names if name not in exports]
    if missing:
        raise Unlinkable(f"it does not define {', '.join(missing)}")
    return LinkedModule(file, offsets, veneers, ends, outside, exports)


_NOTHING = Section(0, 0, 1, b"")


def _needs_veneer(file: ObjectFile, relocation: Relocation) -> bool:
    """Whether a place refers to its symbol through a veneer; `Unlinkable` if it does not fit."""
    known = _FORMS[file.processor].get(relocation.kind)
    if known is None:
        raise Unlinkable(f"a place is of kind {relocation.kind}")
    section, symbol = file.sections[relocation.section], file.symbols.get(relocation.symbol)
    if relocation.offset + known.size > len(section.content) or relocation.offset % known.step:
        raise Unlinkable(f"a place at {relocation.offset} of a section of {section.size} bytes")
    if symbol is None or not (symbol.section in file.sections or _is_outside(symbol)):
        raise Unlinkable(f"a place refers to symbol {relocation.symbol}")
    if known.reach is None:
        return False
    if relocation.addend:
        raise Unlinkable(f"a place refers to {relocation.addend} bytes beyond {symbol.name!r}")
    return known.reach == "table" or not symbol.section


def _is_outside(symbol: Symbol) -> bool:
    return symbol.is_global and not symbol.section


def _laid_out(
    sections: dict[int, Section], veneers: dict[int, int]
) -> tuple[dict[int, int], tuple[int, int, int]]:
    """The offsets of sections, and the ends of code, constants and variables.

    Sets the offsets of veneers, which come after the code.
    """
    offsets: dict[int, int] = {}
    ends: list[int] = []
    end = 0
    for kind in (EXECUTE, 0, WRITE):
        for i, section in sections.items():
            if section.flags & (EXECUTE | WRITE) == kind:
                if section.alignment > mmap.PAGESIZE:
                    raise Unlinkable(f"a section is aligned to {section.alignment}")
                offsets[i] = end = _up(end, section.alignment)
                end += section.size
        if kind == EXECUTE:
            for symbol in veneers:
                veneers[symbol] = end = _up(end, len(_VENEER))
                end += len(_VENEER)
        end = _up(end, mmap.PAGESIZE)
        ends.append(end)
        if end > _LARGEST:
            raise Unlinkable(f"it takes {end} bytes")
    code, constants, variables = ends
    return offsets, (code, constants, variables)


def _up(number: int, step: int) -> int:
    return -(-number // step) * step


def image(module: LinkedModule, base: int) -> bytearray:
    """The content of the memory from an address on."""
    file = module.file
    content = bytearray(module.ends[-1])
    for i, section in file.sections.items():
        place = module.offsets[i]
        content[place : place + len(section.content)] = section.content
    addresses = module.outside | {
        i: base + module.offsets[symbol.section] + symbol.offset
        for i, symbol in file.symbols.items()
        if symbol.section in file.sections
    }
    for i, place in module.veneers.items():
        content[place : place + len(_VENEER)] = _VENEER[:8] + struct.pack("<Q", addresses[i])
    for relocation in file.relocations:
        form = _FORMS[file.processor][relocation.kind]
        place = module.offsets[relocation.section] + relocation.offset
        target = addresses[relocation.symbol] + relocation.addend
        if form.reach is not None and relocation.symbol in module.veneers:
            target = base + module.veneers[relocation.symbol] + (8 if form.reach == "table" else 0)
        form.patch(content, place, base + place, target)
    return content


def load(module: LinkedModule) -> Library:
    """The functions of a module in memory; `OSError` where the system refuses that."""
    code, constants, size = module.ends
    base = _new_block(size)
    try:
        ctypes.memmove(base, bytes(image(module, base)), size)
        _protect(base, code, mmap.PROT_READ | mmap.PROT_EXEC)
        _protect(base + code, constants - code, mmap.PROT_READ)
    except BaseException:
        _free(base, size)
        raise
    if module.file.processor == AARCH64:
        _clear_cache()(base, base + code)
    addresses = {name: base + offset for name, offset in module.exports.items()}
    return Library(addresses, _free, base, size)


# The system: memory, and the functions of its C library.


@functools.cache
def c_function(name: str) -> int | None:
    """The address of a function of this process's C library; None if it has none of the name."""
    library = ctypes.CDLL("ucrtbase" if sys.platform == "win32" else None)
    try:
        return ctypes.cast(getattr(library, name), ctypes.c_void_p).value
    except AttributeError:
        return None


@functools.cache
def _system() -> ctypes.CDLL:
    library = ctypes.CDLL(None, use_errno=True)
    place, size, number = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    library.mmap.restype = place
    library.mmap.argtypes = [place, size, number, number, number, ctypes.c_long]
    library.mprotect.argtypes = [place, size, number]
    library.munmap.argtypes = [place, size]
    return library


def _new_block(size: int) -> int:
    usage = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    block = _system().mmap(None, size, mmap.PROT_READ | mmap.PROT_WRITE, usage, -1, 0)
    if block == ctypes.c_void_p(-1).value:
        raise _refusal()
    return int(block)


def _protect(start: int, size: int, protection: int) -> None:
    if size and _system().mprotect(start, size, protection):
        raise _refusal()


def _refusal() -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))


def _free(base: int, size: int) -> None:
    _system().munmap(base, size)


@functools.cache
def _clear_cache() -> Any:
    """The function after which an AArch64 processor sees new instructions.

    None where the compiler's run-time library is missing.
    """
    for name in (None, "libgcc_s.so.1"):
        try:
            clear = ctypes.CDLL(name).__clear_cache
        except (OSError, AttributeError):
            continue
        clear.restype, clear.argtypes = None, [ctypes.c_void_p, ctypes.c_void_p]
        return clear
    return None


# Places that depend on addresses, as the processors' supplements to the ELF format describe them.


class _Form(NamedTuple):
    size: int
    step: int  # its offset is a multiple of it
    patch: Patch
    reach: str | None = None  # "call": other libraries by a veneer; "table": the address in one


def _word(image: bytearray, offset: int, place: int, target: int) -> None:
    struct.pack_into("<Q", image, offset, target & 0xFFFFFFFFFFFFFFFF)


def _bits(image: bytearray, offset: int, first: int, count: int, value: int) -> None:
    """Sets bits of an instruction."""
    (instruction,) = struct.unpack_from("<I", image, offset)
    mask = ((1 << count) - 1) << first
    struct.pack_into("<I", image, offset, instruction & ~mask | value << first & mask)


def _move(part: int) -> _Form:
    """The form of 16 bits that an instruction moves into a register."""

    def patch(image: bytearray, offset: int, place: int, target: int) -> None:
        _bits(image, offset, 5, 16, target >> 16 * part)

    return _Form(4, 4, patch)


def _branch(image: bytearray, offset: int, place: int, target: int) -> None:
    _bits(image, offset, 0, 26, (target - place) >> 2)


def _page(image: bytearray, offset: int, place: int, target: int) -> None:
    """Writes the page of the target, relative to that of the instruction."""
    pages = (target >> 12) - (place >> 12)
    _bits(image, offset, 29, 2, pages)
    _bits(image, offset, 5, 19, pages >> 2)


def _in_page(image: bytearray, offset: int, place: int, target: int) -> None:
    """Writes which word of its page a load reads."""
    _bits(image, offset, 10, 12, (target & 0xFFF) >> 3)


#: ldr x16, 8; br x16; the address
_VENEER = struct.pack("<IIQ", 0x58000050, 0xD61F0200, 0)

_FORMS: dict[int, dict[int, _Form]] = {
    X86_64: {1: _Form(8, 1, _word)},  # R_X86_64_64
    AARCH64: {
        257: _Form(8, 1, _word),  # R_AARCH64_ABS64
        264: _move(0),  # R_AARCH64_MOVW_UABS_G0_NC
        266: _move(1),  # R_AARCH64_MOVW_UABS_G1_NC
        268: _move(2),  # R_AARCH64_MOVW_UABS_G2_NC
        269: _move(3),  # R_AARCH64_MOVW_UABS_G3
        282: _Form(4, 4, _branch, "call"),  # R_AARCH64_JUMP26
        283: _Form(4, 4, _branch, "call"),  # R_AARCH64_CALL26
        311: _Form(4, 4, _page, "table"),  # R_AARCH64_ADR_GOT_PAGE
        312: _Form(4, 4, _in_page, "table"),  # R_AARCH64_LD64_GOT_LO12_NC
    },
}
