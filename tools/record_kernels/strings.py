"""Strings: bytes, UTF-8, RE2, numbers, hashes."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

TEXTS = [
    "",
    "a",
    "Hello",
    "  two words\t",
    "h\u00e9llo",
    "stra\u00dfe \u0149",
    "a,b,,c",
    ",",
    "\U0001f600x",
]
BROKEN = [b"h\xc3\xa9\xff\xfez", b"\xe2\x82", b"\xf0\x9f\x98\x8a!"]
# (pattern, rewrite, text)
REGEXES = (
    ("b*", "-", "abc"), ("x*", "-", "abc"), ("(a)(b)?", r"[\2\1\0]", "abac"), ("$", "!", "ab\n"),
    ("^", "!", "a\nb"), ("(?m)^", "!", "a\nb"), ("(?m)b$", "!", "ab\ncb"), (".", "X", "\u00e9\n"),
    (r"\d", "D", "\u06611"), ("[[:alpha:]]+", "A", "ab1\u00e9"), (r"\pL", "L", "a\u00e91"),
    (r"\Qa.b\E", "Q", "a.bacb"), ("(?i)AB", "z", "abAB"), ("a{2,}", "z", "aaaa"),
    ("a{,2}", "z", "a{,2}"),
    (r"\x{e9}", "z", "\u00e9"), ("(?P<n>a)", r"<\1>", "ba"), (r"\z", "E", "ab"),
    ("a+?", "z", "aaa"),
    ("[^a]", "z", "a\u00e9\n"), ("(a|ab)(c|bcd)", "z", "abcd"), (r"\s", "_", "a\vb c"),
    ("\\b\u00e9", "z", "\u00e9 a\u00e9"), ("(?s).", "z", "\n"), ("(?U)a+", "z", "aaa"),
    ("(?i)\u00e9", "z", "\u00c9"), (r"\w+", "w", "a\u00e9_1"),
    (r"[\w.-]+@(\w+)", r"\1", "x.y@z q@r"),
    ("a(?i)b|c", "z", "aB C ab"), ("(?:a|b)+", r"\\", "abc"), (r"[^\d\s]", "z", "a1 \u00e9"),
    ("[]a]", "z", "]a["), ("[a-c-]", "z", "b-d"), (r"[\]\-]", "z", "]-a"),
    (r"\p{Lu}", "U", "aB\u00c9"),
    (r"\PL", "n", "a1 "), (r"[[:^digit:]]", "z", "1a\u00e9"), (r"\W", "z", "a \u00e9"),
    (r"[\S]", "z", "a \v"),
    (r"a\.b|\[", "z", "a.b["), (r"\101\t", "z", "A\t"), ("", "-", "ab"), ("[&&~~]", "z", "a&~"),
)  # fmt: skip
NUMBERS = ["1", " 12 ", "+3", "007", "\t7\n"]
REALS = [
    "1e3", "-Inf", "0x10", ".5", "5.", "1e400", "1e-400", "infinity", "0x1p3", "-0",
    "3.14159265358979",
]  # fmt: skip
FORMATS: tuple[dict[str, Any], ...] = (
    {}, {"precision": 2}, {"scientific": True}, {"shortest": True}, {"width": 10},
    {"width": 10, "fill": "0"}, {"width": 10, "fill": "-"}, {"fill": " "}, {"fill": "+"},
    {"precision": 3, "scientific": True, "width": 12}, {"precision": 3, "shortest": True},
)  # fmt: skip


def record(recorder: Any) -> None:
    """All cases of the family."""
    _texts(recorder)
    _regexes(recorder)
    _numbers(recorder)
    _unicode(recorder)
    _hashes(recorder)


def _strings(items: Any) -> Any:
    return tf.constant(items).numpy()


def _texts(recorder: Any) -> None:
    texts = _strings(TEXTS)
    mixed = _strings([text.encode() for text in TEXTS] + BROKEN)
    for unit in ("BYTE", "UTF8_CHAR"):
        result = tf.strings.length(mixed, unit=unit)
        recorder.case(f"length-{unit}", "strings.length", result, mixed, unit)
        for start, count in ((0, 2), (-1, 5), (1, -1)):
            some = mixed[[1, 2, 3, 4, 5, 6, 8]] if start <= 0 else mixed[[2, 3, 4, 5, 6]]
            result = tf.strings.substr(some, start, count, unit=unit)
            args = (some, np.array(start), np.array(count), unit)
            recorder.case(f"substr-{unit}-{start}-{count}", "strings.substr", result, *args)
    for encoding in ("", "utf-8"):
        for kind in ("upper", "lower"):
            result = getattr(tf.strings, kind)(texts, encoding)
            recorder.case(f"{kind}-{encoding}", f"strings.{kind}", result, texts, encoding)
    recorder.case("strip", "strings.strip", tf.strings.strip(texts), texts)
    other = texts[::-1].copy()
    result = tf.strings.join([texts, other, "z"], "-")
    parts = [texts, other, _strings("z")]
    recorder.case("join", "strings.join", result, _all(parts), b"-")
    grid = _strings([[["a", "b"], ["c", "d"]], [["e", "f"], ["g", "h"]]])
    for axes in ([0], [1, 2], [2, 0], [-1]):
        for keep in (False, True):
            result = tf.strings.reduce_join(grid, axes, keep, "+")
            args = (grid, axes, keep, b"+")
            recorder.case(f"reduce_join-{axes}-{keep}", "strings.reduce_join", result, *args)
    for separator in ("", ",", "l"):
        for limit in (-1, 1):
            ragged = tf.strings.split(texts, separator or None, limit)
            args = (texts, separator.encode(), limit)
            recorder.case(f"split-{separator}-{limit}", "strings.split", _ragged(ragged), *args)


def _all(parts: list[Any]) -> list[Any]:
    return [np.asarray(part, object) for part in parts]


def _ragged(ragged: Any) -> tuple[Any, Any]:
    return ragged.values.numpy(), ragged.row_lengths().numpy()


def _regexes(recorder: Any) -> None:
    for pattern, rewrite, text in REGEXES:
        array = _strings([text])
        for everywhere in (True, False):
            result = tf.strings.regex_replace(array, pattern, rewrite, everywhere)
            args = (array, pattern.encode(), rewrite.encode(), everywhere)
            name = f"regex-{pattern}-{everywhere}"
            recorder.case(name, "strings.regex_replace", result, *args)
        result = tf.strings.regex_full_match(array, pattern)
        name = f"match-{pattern}"
        recorder.case(name, "strings.regex_full_match", result, array, pattern.encode())
    broken = _strings(BROKEN)
    for pattern in (".", "[^a]", "(?s)."):
        result = tf.strings.regex_replace(broken, pattern, "z")
        args = (broken, pattern.encode(), b"z")
        recorder.case(f"regex-broken-{pattern}", "strings.regex_replace", result, *args)


def _numbers(recorder: Any) -> None:
    for dtype in (tf.float32, tf.float64, tf.int32, tf.int64, tf.uint32, tf.uint64):
        texts = _strings(NUMBERS + (REALS if dtype.is_floating else []))
        result = tf.strings.to_number(texts, dtype)
        args = (texts, np.dtype(dtype.as_numpy_dtype))
        recorder.case(f"to_number-{dtype.name}", "strings.to_number", result, *args)
    reals = [0.1, -1.5, 1e20, 1e-7, 123456.789, np.inf, -np.inf, np.nan]
    for place, options in enumerate(FORMATS):
        for dtype in (tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.complex64):
            array = tf.cast(tf.constant(reals, tf.float64), dtype)
            result = tf.strings.as_string(array, **options)
            name = f"as_string-{dtype.name}-{place}"
            recorder.case(name, "strings.as_string", result, array, **options)
        if "precision" in options or "scientific" in options or "shortest" in options:
            continue
        for dtype in (tf.int8, tf.uint8, tf.int32, tf.int64, tf.bool):
            if dtype.is_unsigned and options.get("fill") in ("+", " "):
                continue
            array = tf.cast([0, 1, 120, -3 if not dtype.is_unsigned else 3], dtype)
            result = tf.strings.as_string(array, **options)
            name = f"as_string-{dtype.name}-{place}"
            recorder.case(name, "strings.as_string", result, array, **options)


def _unicode(recorder: Any) -> None:
    mixed = _strings([text.encode() for text in TEXTS] + BROKEN)
    for errors in ("replace", "ignore"):
        for target in ("UTF-8", "UTF-16-BE", "UTF-32-BE"):
            result = tf.strings.unicode_transcode(mixed, "UTF-8", target, errors)
            args = (mixed, "UTF-8", target, errors)
            name = f"transcode-{target}-{errors}"
            recorder.case(name, "strings.unicode_transcode", result, *args)
        points = tf.ragged.constant([[104, 233, 0xD800], [], [0x1F600, -1, 0x110000]], tf.int32)
        result = tf.strings.unicode_encode(points, "UTF-8", errors)
        args = (*_ragged(points), "UTF-8", errors)
        recorder.case(f"encode-{errors}", "strings.unicode_encode", result, *args)


def _hashes(recorder: Any) -> None:
    sizes = (*range(34), 40, 63, 64, 65, 100, 127, 128, 129, 200, 256, 1000)
    texts = _strings([bytes((7 * i + j) % 256 for j in range(n)) for i, n in enumerate(sizes)])
    for buckets in (10, 2**63 - 1):
        result = tf.strings.to_hash_bucket_fast(texts, buckets)
        recorder.case(f"fast-{buckets}", "strings.hash_bucket_fast", result, texts, buckets)
        result = tf.strings.to_hash_bucket_strong(texts, buckets, [1, -2])
        args = (texts, buckets, (1, -2))
        recorder.case(f"strong-{buckets}", "strings.hash_bucket_strong", result, *args)
