"""Relocatable object files in the ELF format: a compiler's output for a linker.

The bytes come from a file that may be damaged. So every offset and every size is checked before
use; `Unlinkable` says which one does not fit.
"""

from __future__ import annotations

import struct

from graphwright.base.named_tuples import NamedTuple

#: Processors, as the header names them.
X86_64, AARCH64 = 62, 183

#: Flags of a section that is loaded.
WRITE, LOADED, EXECUTE = 0x1, 0x2, 0x4

_BEGIN = b"\x7fELF\x02\x01\x01"  # 64 bits, little endian, the one version that there is
_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")

_RELOCATABLE = 1  # the kind of file
_CONTENT, _SYMBOLS, _STRINGS, _RELOCATIONS, _ZEROS = 1, 2, 3, 4, 8  # kinds of sections
_KNOWN_FLAGS = 0x10000000 | 0x30 | LOADED | WRITE | EXECUTE  # far away; equal items, strings
_LOCAL, _GLOBAL = 0, 1
_UNTYPED, _OBJECT, _FUNCTION, _OF_SECTION, _OF_FILE = range(5)  # kinds of symbols


class Unlinkable(Exception):
    """An object file that is damaged, or needs a linker that knows more."""


class Section(NamedTuple):
    """A section to load into memory."""

    flags: int
    size: int
    alignment: int
    content: bytes  # none: zeros


class Symbol(NamedTuple):
    """A place in a section, or (section 0) a name that is defined elsewhere."""

    name: str
    section: int
    offset: int
    is_global: bool


class Relocation(NamedTuple):
    """A place in the code that depends on a symbol's address."""

    section: int
    offset: int
    kind: int
    symbol: int
    addend: int


class ObjectFile(NamedTuple):
    """The loaded parts of an object file; sections and symbols by their numbers in the file."""

    processor: int
    sections: dict[int, Section]
    symbols: dict[int, Symbol]
    relocations: list[Relocation]


class _Header(NamedTuple):
    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry: int


def read(data: bytes) -> ObjectFile:
    """The content of an object file; `Unlinkable` where it departs from the format."""
    headers, processor, names = _headers(data)
    sections: dict[int, Section] = {}
    relocations: list[Relocation] = []
    tables: list[int] = []
    for i, header in enumerate(headers):
        # Nothing unwinds the stack through these functions, which raise no exceptions. A thread
        # that ends in one leaves by a jump, since no frames are described.
        if header.flags & LOADED and _string(names, header.name) != ".eh_frame":
            sections[i] = _section(data, header)
        elif header.kind == _SYMBOLS:
            tables.append(i)
    if len(tables) != 1:
        raise Unlinkable(f"it has {len(tables)} tables of symbols")
    symbols = _symbols(data, headers, tables[0])
    for header in headers:
        if header.info in sections and header.kind not in (_SYMBOLS, _CONTENT, _ZEROS, _STRINGS):
            if header.kind != _RELOCATIONS or header.link != tables[0]:
                raise Unlinkable(f"a section of kind {header.kind} belongs to a loaded one")
            for offset, info, addend in _entries(data, header, _RELOCATION):
                symbol, kind = info >> 32, info & 0xFFFFFFFF
                relocations.append(Relocation(header.info, offset, kind, symbol, addend))
    return ObjectFile(processor, sections, symbols, relocations)


def _headers(data: bytes) -> tuple[list[_Header], int, bytes]:
    """The headers of the sections, the processor, and the sections' names."""
    if len(data) < _HEADER.size:
        raise Unlinkable("it ends in its header")
    fields = _HEADER.unpack_from(data)
    begin, kind, processor = fields[:3]
    offset, size, count, named = fields[6], *fields[11:]
    if not begin.startswith(_BEGIN) or kind != _RELOCATABLE or size != _SECTION.size:
        raise Unlinkable("it is no relocatable ELF file of 64 bits")
    table = _part(data, offset, count * size)
    headers = [_Header(*fields) for fields in _SECTION.iter_unpack(table)]
    return headers, processor, _strings(data, headers, named)


def _part(data: bytes, offset: int, size: int) -> bytes:
    if offset > len(data) or size > len(data) - offset:
        raise Unlinkable(f"it ends before {size} bytes from {offset} on")
    return data[offset : offset + size]


def _entries(data: bytes, header: _Header, entry: struct.Struct) -> list[tuple[int, ...]]:
    """The rows of a section that is a table."""
    if header.entry != entry.size or header.size % entry.size:
        raise Unlinkable(f"a table of {header.size} bytes has entries of {header.entry}")
    return list(entry.iter_unpack(_part(data, header.offset, header.size)))


def _strings(data: bytes, headers: list[_Header], i: int) -> bytes:
    """A section of names, each of which ends with a zero."""
    if i >= len(headers) or headers[i].kind != _STRINGS:
        raise Unlinkable(f"section {i} has no names")
    return _part(data, headers[i].offset, headers[i].size)


def _string(names: bytes, start: int) -> str:
    end = names.find(b"\0", start)
    if start >= len(names) or end < 0:
        raise Unlinkable(f"no name begins at {start}")
    try:
        return names[start:end].decode("ascii")
    except UnicodeDecodeError:
        raise Unlinkable(f"the name at {start} is no text") from None


def _section(data: bytes, header: _Header) -> Section:
    if header.kind not in (_CONTENT, _ZEROS) or header.flags & ~_KNOWN_FLAGS:
        raise Unlinkable(f"a section of kind {header.kind} has flags {header.flags:#x}")
    if header.flags & WRITE and header.flags & EXECUTE:
        raise Unlinkable("a section is code that may be written")
    alignment = max(header.alignment, 1)
    if alignment & (alignment - 1):
        raise Unlinkable(f"a section is aligned to {alignment}")
    content = b""
    if header.kind == _CONTENT:
        content = _part(data, header.offset, header.size)
    return Section(header.flags, header.size, alignment, content)


def _symbols(data: bytes, headers: list[_Header], table: int) -> dict[int, Symbol]:
    """The symbols, without the names of source files."""
    names = _strings(data, headers, headers[table].link)
    symbols: dict[int, Symbol] = {}
    for i, (name, info, _, section, offset, _) in enumerate(
        _entries(data, headers[table], _SYMBOL)
    ):
        binding, kind = info >> 4, info & 0xF
        if not i or kind == _OF_FILE:
            continue
        if binding not in (_LOCAL, _GLOBAL) or kind > _OF_SECTION or section >= len(headers):
            raise Unlinkable(f"symbol {i} is of kind {info:#x} in section {section:#x}")
        if section and offset > headers[section].size:
            raise Unlinkable(f"symbol {i} lies beyond its section")
        symbols[i] = Symbol(_string(names, name), section, offset, binding == _GLOBAL)
    return symbols
