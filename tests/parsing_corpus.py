"""What is parsed out of messages: expressions evaluated with either package (`tf`)."""

from __future__ import annotations

from typing import Any

EXPRESSIONS = r'''
io.parse_single_example(ex, {'a': F([2], i64), 'b': F([], f32), 'c': F([1], s)})
io.parse_single_example(ex, {'a': F([2, 1], i64)})
io.parse_single_example(ex, {'a': F([3], i64)})
io.parse_single_example(ex, {'a': F([2], f32)})
io.parse_single_example(ex, {'a': F([2], tf.int32)})
io.parse_single_example(ex, {'z': F([2], f32)})
io.parse_single_example(ex, {'z': F([2], f32, [1, 2])})
io.parse_single_example(ex, {})
io.parse_single_example(ex, {'a': 3})
io.parse_single_example([ex], {'a': F([2], i64)})
io.parse_single_example(b'zzz', {'a': F([2], i64)})
io.parse_single_example(ex, {'a': Q([], i64, True)})
io.parse_single_example(ex, {'a': Q([2], i64, True), 'q': Q([3], s, True)})
io.parse_example(ex, {'a': F([2], i64)})
io.parse_example(tf.constant([], s), {'a': F([2], i64), 'b': Q([], f32, True)})
io.parse_example([ex, other], {'b': F([], f32, 7)})
io.parse_example([ex, other], {'a': F([2], i64)})
io.parse_example([ex, other, ex], {'a': Q([], i64, True), 'c': F([], s, 'none')})
io.parse_example([ex, other, ex], {'a': Q([], i64, True, 9), 'c': Q([], s, True, 'x')})
io.parse_example([ex, other], {'a': Q([2], i64, True)})
io.parse_example([ex, ex], {'a': Q([2], i64, True), 'q': Q([2], f32, True)})
io.parse_example([ex], {'a': Q([], i64)})
io.parse_example([[ex]], {'a': F([2], i64)})
io.parse_example([ex], {'z': F([2], i64, 7)})
io.parse_example([ex], {'z': F([2], i64, [7.5, 1])})
io.parse_example([ex], {'z': F([], s, default_value='q')})
io.parse_example([ex], {'z': F(None, i64)})
io.parse_example([ex], {'z': F([None], i64)})
io.parse_example([ex], {'z': F([2], None)})
io.parse_example([ex, b'zzz'], {'a': F([2], i64)}, example_names=['one', 'two'])
io.FixedLenFeature([2], i64)
io.FixedLenSequenceFeature([], f32, True, 1)
io.decode_csv(['1,2.5,a', '3,,"b,""c"""'], [[0], [1.0], ['x']])
io.decode_csv([['1'], ['2']], [tf.constant([], tf.int64)])
io.decode_csv('a,b', [[''], ['']])
io.decode_csv(['1', ','], [[0]])
io.decode_csv('1', [tf.constant([], tf.int32)])
io.decode_csv('1,', [[0], tf.constant([], tf.int32)])
io.decode_csv('', [tf.constant([], tf.int32)])
io.decode_csv('1,2', [[0]])
io.decode_csv('x', [[0]])
io.decode_csv('3000000000', [[0]])
io.decode_csv('1.5', [[0]])
io.decode_csv('"a"b,c', [[''], ['']])
io.decode_csv('"a', [['']])
io.decode_csv('"a","b c"', [[''], ['']])
io.decode_csv('a"b,c', [[''], ['']])
io.decode_csv('a"b,c', [[''], ['']], use_quote_delim=False)
io.decode_csv('\na,b', [[''], ['']])
io.decode_csv('a,b\n', [[''], ['']])
io.decode_csv('a,', [['d'], ['e']])
io.decode_csv('a|NA', [['d'], ['e']], field_delim='|', na_value='NA')
io.decode_csv('1;2', [[0], [0]], ';')
io.decode_csv('1,2,3,4', [[0], [0]], select_cols=[1, 3])
io.decode_csv('1,2,3,4', [[0], [0]], select_cols=[3, 1])
io.decode_csv('1,2,3,4', [[0], [0]], select_cols=[1])
io.decode_csv('1,2,3,4', [[0], [0]], select_cols=[1, 9])
io.decode_csv(' 1 , 2.5 ', [[0], [0.0]])
io.decode_csv('1,2', [[0, 1], [0]])
io.decode_csv('1,2', [[[0]], [0]])
io.decode_csv('1,2', [0, True])
io.decode_csv('1,2', [0, 0], field_delim=';;')
io.decode_compressed([zlib.compress(b'abc'), zlib.compress(b'')], 'ZLIB')
io.decode_compressed([gzip.compress(b'abc' * 99)], 'GZIP')
io.decode_compressed(b'abc')
io.decode_compressed(b'abc', 'ZLIB')
io.decode_compressed(b'abc', 'BROTLI')
'''


def names(tf: Any) -> dict[str, Any]:
    """What the expressions use."""
    import gzip
    import zlib

    train = tf.train
    features = {
        "a": train.Feature(int64_list=train.Int64List(value=[1, 2])),
        "b": train.Feature(float_list=train.FloatList(value=[0.5])),
        "c": train.Feature(bytes_list=train.BytesList(value=[b"x"])),
        "e": train.Feature(),
    }
    one = {"a": train.Feature(int64_list=train.Int64List(value=[3, 4, 5]))}
    ex, other = (
        train.Example(features=train.Features(feature=f)).SerializeToString(deterministic=True)
        for f in (features, one)
    )
    return {
        "tf": tf, "io": tf.io, "i64": tf.int64, "f32": tf.float32, "s": tf.string, "ex": ex,
        "other": other, "F": tf.io.FixedLenFeature, "Q": tf.io.FixedLenSequenceFeature,
        "zlib": zlib, "gzip": gzip,
    }  # fmt: skip


def show(value: Any) -> Any:
    """A result as JSON holds it."""
    if isinstance(value, dict):
        return {key: show(value[key]) for key in sorted(value)}
    if type(value) in (list, tuple):
        return [show(v) for v in value]
    if not hasattr(value, "numpy"):
        return repr(value)
    return f"{value.dtype.name}{list(value.shape)} {value.numpy().tolist()}"


def outcomes(tf: Any) -> dict[str, Any]:
    """What each expression gives, eagerly and in a graph, or the class of its error."""
    known = names(tf)
    found: dict[str, Any] = {}
    for line in EXPRESSIONS.strip().splitlines():
        try:
            found[line] = show(eval(line, known))
        except Exception as error:  # noqa: BLE001 - which error is what is compared
            found[line] = f"! {type(error).__name__}"
            continue
        if "Feature(" in line:
            continue
        traced = tf.function(lambda line=line: eval(line, known))
        graph = show(traced())
        assert graph == found[line], (line, graph)
    return found
