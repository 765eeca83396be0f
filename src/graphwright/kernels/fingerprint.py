"""Hashes of byte strings that mean the same everywhere.

FarmHash's Fingerprint64, MurmurHash64A and SipHash-2-4.

Sources: Pike and Alakuijala, FarmHash (the "na" variant, which Fingerprint64 is fixed to); Aumasson
and Bernstein, "SipHash: a fast short-input PRF" (2012). All arithmetic is modulo 2**64.
"""

from __future__ import annotations

import struct
from functools import partial

_MASK = (1 << 64) - 1
_K0, _K1, _K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F


def fingerprint64(text: bytes) -> int:
    """FarmHash's fingerprint."""
    size = len(text)
    if size <= 16:
        return _to_16(text, size)
    if size <= 32:
        return _to_32(text, size)
    if size <= 64:
        return _to_64(text, size)
    return _long(text, size)


def hash64(text: bytes, seed: int = 0xDECAFCAFFE) -> int:
    """MurmurHash64A (Appleby, 2008)."""
    factor = 0xC6A4A7935BD1E995
    result = seed ^ (len(text) * factor & _MASK)
    whole = len(text) & ~7
    for (word,) in struct.iter_unpack("<Q", text[:whole]):
        word = word * factor & _MASK
        word = (word ^ word >> 47) * factor & _MASK
        result = (result ^ word) * factor & _MASK
    if len(text) > whole:
        result = (result ^ int.from_bytes(text[whole:], "little")) * factor & _MASK
    result = (result ^ result >> 47) * factor & _MASK
    return result ^ result >> 47


def siphash(key: tuple[int, int], text: bytes) -> int:
    """SipHash-2-4 under a key of two 64-bit words."""
    k0, k1 = key[0] & _MASK, key[1] & _MASK
    state = (
        k0 ^ 0x736F6D6570736575,
        k1 ^ 0x646F72616E646F6D,
        k0 ^ 0x6C7967656E657261,
        k1 ^ 0x7465646279746573,
    )
    tail = len(text) % 8
    padded = text + bytes(7 - tail) + bytes([len(text) & 0xFF])
    for (word,) in struct.iter_unpack("<Q", padded):
        a, b, c, d = state
        a, b, c, d = _sip_round(*_sip_round(a, b, c, d ^ word))
        state = a ^ word, b, c, d
    a, b, c, d = state
    c ^= 0xFF
    for _ in range(4):
        a, b, c, d = _sip_round(a, b, c, d)
    return a ^ b ^ c ^ d


def _sip_round(a: int, b: int, c: int, d: int) -> tuple[int, int, int, int]:
    a = (a + b) & _MASK
    c = (c + d) & _MASK
    b = _left(b, 13) ^ a
    d = _left(d, 16) ^ c
    a = _left(a, 32)
    c = (c + b) & _MASK
    a = (a + d) & _MASK
    b = _left(b, 17) ^ c
    d = _left(d, 21) ^ a
    return a, b, _left(c, 32), d


def _left(value: int, by: int) -> int:
    return (value << by | value >> 64 - by) & _MASK


def _right(value: int, by: int) -> int:
    value &= _MASK
    return (value >> by | value << 64 - by) & _MASK


def _word(text: bytes, at: int) -> int:
    return int.from_bytes(text[at : at + 8], "little")


def _half(text: bytes, at: int) -> int:
    return int.from_bytes(text[at : at + 4], "little")


def _fold(value: int) -> int:
    value &= _MASK
    return value ^ value >> 47


def _mix(u: int, v: int, multiplier: int) -> int:
    a = _fold(((u ^ v) & _MASK) * multiplier)
    return _fold(((v & _MASK) ^ a) * multiplier) * multiplier & _MASK


def _to_16(text: bytes, size: int) -> int:
    multiplier = (_K2 + size * 2) & _MASK
    if size >= 8:
        a, b = (_word(text, 0) + _K2) & _MASK, _word(text, size - 8)
        c = _right(b, 37) * multiplier + a
        d = (_right(a, 25) + b) * multiplier
        return _mix(c, d, multiplier)
    if size >= 4:
        return _mix(size + (_half(text, 0) << 3), _half(text, size - 4), multiplier)
    if size:
        y = text[0] + (text[size >> 1] << 8)
        z = size + (text[-1] << 2)
        return _fold(y * _K2 ^ z * _K0) * _K2 & _MASK
    return _K2


def _to_32(text: bytes, size: int) -> int:
    multiplier = (_K2 + size * 2) & _MASK
    a, b = _word(text, 0) * _K1 & _MASK, _word(text, 8)
    c, d = _word(text, size - 8) * multiplier, _word(text, size - 16) * _K2
    u = _right(a + b, 43) + _right(c, 30) + d
    return _mix(u, a + _right(b + _K2, 18) + c, multiplier)


def _to_64(text: bytes, size: int) -> int:
    multiplier = (_K2 + size * 2) & _MASK
    a, b = _word(text, 0) * _K2 & _MASK, _word(text, 8)
    c, d = _word(text, size - 8) * multiplier, _word(text, size - 16) * _K2
    y = _right(a + b, 43) + _right(c, 30) + d
    z = _mix(y, a + _right(b + _K2, 18) + c, multiplier)
    e, f = _word(text, 16) * multiplier & _MASK, _word(text, 24)
    g = (y + _word(text, size - 32)) * multiplier
    h = (z + _word(text, size - 24)) * multiplier
    u = _right(e + f, 43) + _right(g, 30) + h
    return _mix(u, e + _right(f + a, 18) + g, multiplier)


def _long(text: bytes, size: int) -> int:
    """64 bytes a step, and the last 64 bytes once more."""
    word = partial(_word, text)
    x, y = 81, 81 * _K1 + 113
    z = _fold(y * _K2 + 113) * _K2 & _MASK
    v, w = (0, 0), (0, 0)
    x = x * _K2 + word(0)
    for at in range(0, (size - 1) // 64 * 64, 64):
        x = _right(x + y + v[0] + word(at + 8), 37) * _K1
        y = _right(y + v[1] + word(at + 48), 42) * _K1
        x = (x & _MASK) ^ w[1]
        y = (y + v[0] + word(at + 40)) & _MASK
        z = _right(z + w[0], 33) * _K1 & _MASK
        v = _weak(text, at, v[1] * _K1, x + w[0])
        w = _weak(text, at + 32, z + w[1], y + word(at + 16))
        z, x = x, z
    multiplier = (_K1 + ((z & 0xFF) << 1)) & _MASK
    at = size - 64
    w = (w[0] + (size - 1 & 63), w[1])
    v = (v[0] + w[0], v[1])
    w = (w[0] + v[0], w[1])
    x = _right(x + y + v[0] + word(at + 8), 37) * multiplier
    y = _right(y + v[1] + word(at + 48), 42) * multiplier
    x = (x & _MASK) ^ w[1] * 9 & _MASK
    y = (y + v[0] * 9 + word(at + 40)) & _MASK
    z = _right(z + w[0], 33) * multiplier & _MASK
    v = _weak(text, at, v[1] * multiplier, x + w[0])
    w = _weak(text, at + 32, z + w[1], y + word(at + 16))
    z, x = x, z
    first = _mix(v[0], w[0], multiplier) + _fold(y) * _K0 + z
    return _mix(first, _mix(v[1], w[1], multiplier) + x, multiplier)


def _weak(text: bytes, at: int, a: int, b: int) -> tuple[int, int]:
    """Two words from 32 bytes and two seeds."""
    a = (a + _word(text, at)) & _MASK
    b = _right(b + a + _word(text, at + 24), 21)
    c = a
    a += _word(text, at + 8) + _word(text, at + 16)
    b += _right(a, 44)
    return (a + _word(text, at + 24)) & _MASK, (b + c) & _MASK
