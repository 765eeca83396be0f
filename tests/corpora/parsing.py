"""What is parsed out of messages and scores: expressions evaluated with either package (`tf`)."""

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
io.parse_example([ex, other, ex], {'a': V(i64), 'c': V(s), 'q': V(f32)})
io.parse_single_example(ex, {'a': V(i64), 'q': V(f32)})
io.parse_example([ex, other], {'b': V(i64)})
io.parse_example([ex, other], {'a': io.RaggedFeature(i64), 'c': io.RaggedFeature(s)})
io.parse_example([ex, other], {'r': io.RaggedFeature(i64, value_key='a')})
io.parse_example([ex, other], {'r': io.RaggedFeature(i64, 'a', row_splits_dtype=i64)})
io.parse_single_example(ex, {'a': io.RaggedFeature(i64)})
io.parse_example([sp, sp], {'p': io.SparseFeature('i', 'v', f32, 10)})
io.parse_example([sp, sp], {'p': io.SparseFeature('i', 'v', f32, 10, True)})
io.parse_single_example(sp, {'p': io.SparseFeature(['i', 'j'], 'v', f32, [10, 4])})
io.parse_example([ex], {'a': V(i64), 'b': F([], f32), 'c': io.RaggedFeature(s)})
list(io.parse_example([ex], {'b': F([], f32), 'c': io.RaggedFeature(s), 'a': V(i64)}))
list(io.parse_example([ex], {'a': io.RaggedFeature(i64), 'b': F([], f32), 'c': V(s)}))
io.parse_example([ex], {'a': F([2], i64), 'z': io.SparseFeature('a', 'b', f32, 9)})
io.parse_example([ex], {'a': F([2], i64), 'z': io.RaggedFeature(i64, 'a')})
io.parse_single_example(ex, {'a': V(i64), 'z': io.RaggedFeature(i64, 'a')})
list(io.parse_single_example(sp, {'a': io.SparseFeature('i', 'v', f32, 10), 'j': F([], i64, 1), 'k': V(i64)}))
io.parse_sequence_example([s1, s2], {'n': F([], i64)}, {'a': Q([2], i64), 'b': Q([], f32, True)})
io.parse_sequence_example([s1, s2], {'n': F([], i64), 'w': V(s)}, {'a': V(i64), 'b': V(f32), 'z': V(s)})
io.parse_sequence_example([s1, s2], {'w': R(s), 'z': R(f32)}, {'a': R(i64), 'b': R(f32, row_splits_dtype=i64)})
io.parse_sequence_example([s1, s2], None, {'a': Q([1], i64)})
io.parse_sequence_example([s1, s2], None, {'a': Q([2], f32)})
io.parse_sequence_example([s1, s2], None, {'b': Q([], f32)})
io.parse_sequence_example([s1, s2], None, {'b': Q([], f32, True, 3.0)})
io.parse_sequence_example([s1, s2], None, {'b': F([], f32)})
io.parse_sequence_example([s1, s2], {'n': Q([], i64)}, None)
io.parse_sequence_example([s1, s2], {'n': F([2], i64)}, None)
io.parse_sequence_example([s1, s2], {'m': F([2], i64, [8, 9])}, None)
io.parse_sequence_example([s1, s2])
io.parse_sequence_example([s1, b'zzz'], {'n': F([], i64)})
io.parse_sequence_example(s1, {'n': F([], i64)}, {'a': Q([2], i64), 'b': V(f32)})
io.parse_sequence_example([s1, s2], {}, {'r': R(f32, 'b', [R.RowLengths('l')])})
io.parse_sequence_example([s1, s2], {}, {'r': R(f32, 'b', [R.RowLengths('l')], validate=True)})
io.parse_single_sequence_example(s1, {'n': F([], i64), 'w': V(s)}, {'a': Q([2], i64), 'b': V(f32), 'z': V(s)})
io.parse_single_sequence_example(s1, {'w': R(s)}, {'a': R(i64), 'b': R(f32, row_splits_dtype=i64)})
io.parse_single_sequence_example(s1, {'n': F([], i64)}, {'a': Q([1, 2], i64)})
io.parse_single_sequence_example(s2, {'n': F([], i64)}, {'b': Q([], f32)})
io.parse_single_sequence_example([s1], {'n': F([], i64)})
io.parse_single_sequence_example(s1)
io.parse_example([rg, rg], {'x': R(f32, 'v', [R.RowSplits('sp')])})
io.parse_example([rg, rg], {'x': R(f32, 'v', [R.RowLengths('le')])})
io.parse_example([rg, rg], {'x': R(f32, 'v', [R.RowStarts('st')])})
io.parse_example([rg, rg], {'x': R(f32, 'v', [R.RowLimits('li')])})
io.parse_example([rg, rg], {'x': R(f32, 'v', [R.ValueRowIds('id')])})
io.parse_example([rg, rg], {'x': R(f32, 'v', [R.UniformRowLength(2)])})
io.parse_example([rg, rg], {'x': R(f32, 'v', [R.UniformRowLength(5)])})
io.parse_example([rg, rg], {'x': R(f32, 'v', [R.RowLengths('o'), R.RowLengths('le')])})
io.parse_example([rg, rg], {'x': R(f32, 'v', [R.UniformRowLength(1), R.RowLengths('le')], i64, True)})
io.parse_example([rg, ex], {'x': R(f32, 'v', [R.RowLengths('le')])})
io.parse_example([rg], {'x': R(f32, 'v', [R.RowLengths('bad')], validate=True)})
io.parse_single_example(rg, {'x': R(f32, 'v', [R.RowSplits('sp')])})
io.parse_single_example(rg, {'x': R(f32, 'v', [R.ValueRowIds('id')])})
io.parse_single_example(rg, {'x': R(f32, 'v', [R.UniformRowLength(2)])})
io.parse_single_example(rg, {'x': R(f32, 'v', [R.RowLengths('o'), R.RowLengths('le')])})
io.parse_single_example(io.decode_json_example('{"features": {"feature": {"a": {"int64List": {"value": [1, 2]}}}}}'), {'a': F([2], i64)})
io.decode_json_example(['{}', '{"features": {}}'])
io.decode_json_example('{bad')
io.decode_json_example('{"nothing": 1}')
io.decode_proto([i2, i0], 'tensorflow.Int64List', ['value'], [i64])
io.decode_proto(i2, 'tensorflow.Int64List', ['value'], [i64])
io.decode_proto([[i2], [i0]], 'tensorflow.Int64List', ['value'], [i64])
io.decode_proto([i2], 'tensorflow.Int64List', ['value'], [f32])
io.decode_proto([i2], 'tensorflow.Int64List', ['nothing'], [i64])
io.decode_proto([i2], 'tensorflow.Nothing', ['value'], [i64])
io.decode_proto([b'zzz'], 'tensorflow.Int64List', ['value'], [i64])
io.decode_proto([fl], 'tensorflow.FloatList', ['value'], [f32])
io.decode_proto([fl], 'tensorflow.FloatList', ['value'], [tf.float64])
io.decode_proto([bl], 'tensorflow.BytesList', ['value'], [s])
io.decode_proto([ft, ft2], 'tensorflow.Feature', ['int64_list', 'float_list'], [s, s])
io.decode_proto([tp], 'tensorflow.TensorShapeProto', ['dim', 'unknown_rank'], [s, tf.bool])
io.decode_proto(['value: 3 value: 4'], 'tensorflow.Int64List', ['value'], [i64], message_format='text')
io.decode_proto([i2], 'tensorflow.Int64List', [], [])
io.encode_proto([[2], [1]], [tf.constant([[4, 5], [6, 7]], i64)], ['value'], 'tensorflow.Int64List')
io.encode_proto([[1, 2]], [tf.constant([[True]]), tf.constant([[b'\x08\x02', b'']])], ['unknown_rank', 'dim'], 'tensorflow.TensorShapeProto')
io.encode_proto([2], [tf.constant([4, 5], i64)], ['value'], 'tensorflow.Int64List')
io.encode_proto([[3]], [tf.constant([[4, 5]], i64)], ['value'], 'tensorflow.Int64List')
io.encode_proto([[2]], [tf.constant([[4.0, 5.0]])], ['value'], 'tensorflow.Int64List')
io.encode_proto([[2]], [tf.constant([[4, 5]], i64)], ['nothing'], 'tensorflow.Int64List')
io.encode_proto([[2, 1]], [tf.constant([[4, 5]], i64)], ['value'], 'tensorflow.Int64List')
io.VarLenFeature(i64)
io.SparseFeature('i', 'v', f32, 10)
io.RaggedFeature(i64)
tf.nn.ctc_greedy_decoder(x, [5, 3])
tf.nn.ctc_greedy_decoder(x, [5, 3], False)
tf.nn.ctc_greedy_decoder(x, [5, 0], True, 0)
tf.nn.ctc_greedy_decoder(x, [5, 3], True, -2)
tf.nn.ctc_greedy_decoder(x, [5, 3], True, 9)
tf.nn.ctc_greedy_decoder(x, [5, 7])
tf.nn.ctc_greedy_decoder(x, [5])
tf.nn.ctc_greedy_decoder(x[0], [5])
tf.nn.ctc_beam_search_decoder(x, [5, 3])[0]
tf.nn.ctc_beam_search_decoder(x, [5, 3], 4, 2)[0]
tf.nn.ctc_beam_search_decoder(x, [5, 3], 1)[0]
tf.nn.ctc_beam_search_decoder(long, [12, 9, 4], 10, 3)[0]
tf.round(tf.nn.ctc_beam_search_decoder(long, [12, 9, 4], 10, 3)[1] * 1000)
tf.nn.ctc_beam_search_decoder(x, [5, 7])
tf.nn.ctc_beam_search_decoder(x, [5, 3], 1, 2)
seeded(lambda: tf.random.uniform_candidate_sampler([[1, 2], [3, 0]], 2, 5, True, 9, seed=3))
seeded(lambda: tf.random.uniform_candidate_sampler([[1, 2], [3, 0]], 2, 5, False, 8, seed=3))
seeded(lambda: tf.random.log_uniform_candidate_sampler([[1, 2]], 2, 5, True, 9, seed=3))
seeded(lambda: tf.random.log_uniform_candidate_sampler([[1, 2]], 2, 5, False, 9, seed=3))
seeded(lambda: tf.random.learned_unigram_candidate_sampler([[1, 2]], 2, 5, True, 9, seed=3))
seeded(lambda: tf.random.fixed_unigram_candidate_sampler([[1]], 1, 3, True, 4, unigrams=[1.0, 2.0, 3.0, 9.0], seed=3))
seeded(lambda: tf.random.fixed_unigram_candidate_sampler([[2]], 1, 3, False, 5, unigrams=[1.0, 2.0, 3.0, 9.0], num_reserved_ids=1, distortion=0.5, seed=3))
seeded(lambda: tf.random.all_candidate_sampler([[1, 2]], 2, 5, True))
seeded(lambda: tf.random.uniform_candidate_sampler([[1]], 1, 9, True, 4))
seeded(lambda: tf.random.uniform_candidate_sampler([[5]], 1, 3, True, 4))
seeded(lambda: tf.random.uniform_candidate_sampler([[1, 2]], 1, 3, True, 4))
tuple(tf.nn.compute_accidental_hits([[1, 2], [3, 0]], [3, 1, 7], 2))
seeded(lambda: tf.round(1000 * tf.nn.nce_loss(w, w[:, 0], tf.constant([[1], [3]]), w[:2], 4, 6)))
seeded(lambda: tf.round(1000 * tf.nn.nce_loss(w, w[:, 0], tf.constant([[1, 0], [3, 5]]), w[:2], 4, 6, 2, remove_accidental_hits=True)))
seeded(lambda: tf.round(1000 * tf.nn.sampled_softmax_loss(w, w[:, 0], tf.constant([[1], [3]]), w[:2], 4, 6, seed=2)))
seeded(lambda: tf.round(1000 * tf.nn.sampled_softmax_loss(w, w[:, 0], tf.constant([[1, 0], [3, 5]]), w[:2], 4, 6, 2, remove_accidental_hits=False)))
'''


def names(tf: Any) -> dict[str, Any]:
    """What the expressions use."""
    import gzip
    import zlib

    import numpy as np

    rng = np.random.default_rng(0)

    def seeded(draw: Any) -> Any:
        tf.random.set_seed(1)
        return tuple(draw()) if isinstance(draw(), tuple) else draw()

    train = tf.train

    def numbers(*values: int) -> Any:
        return train.Feature(int64_list=train.Int64List(value=values))

    features = {
        "a": train.Feature(int64_list=train.Int64List(value=[1, 2])),
        "b": train.Feature(float_list=train.FloatList(value=[0.5])),
        "c": train.Feature(bytes_list=train.BytesList(value=[b"x"])),
        "e": train.Feature(),
    }
    one = {"a": train.Feature(int64_list=train.Int64List(value=[3, 4, 5]))}
    pairs = {
        "i": train.Feature(int64_list=train.Int64List(value=[7, 2])),
        "j": train.Feature(int64_list=train.Int64List(value=[0, 3])),
        "v": train.Feature(float_list=train.FloatList(value=[0.5, 1.5])),
    }
    ex, other, sp = (
        train.Example(features=train.Features(feature=f)).SerializeToString(deterministic=True)
        for f in (features, one, pairs)
    )
    rows = {
        "v": train.Feature(float_list=train.FloatList(value=[0.5, 1.5, 2.5, 3.5])),
        "sp": numbers(0, 1, 1, 4), "le": numbers(1, 0, 3), "st": numbers(0, 1, 1),
        "li": numbers(1, 1, 4), "id": numbers(0, 2, 2, 2), "o": numbers(2, 1),
        "bad": numbers(1, 1),
    }  # fmt: skip
    rg = train.Example(features=train.Features(feature=rows)).SerializeToString(deterministic=True)

    def steps(*each: Any) -> Any:
        return train.FeatureList(feature=list(each))

    def floats(*values: float) -> Any:
        return train.Feature(float_list=train.FloatList(value=values))

    lists = [
        {"a": steps(numbers(1, 2), numbers(3, 4), numbers(5, 6)), "l": steps(numbers(2), numbers(1)),
         "b": steps(floats(0.5, 1.5), floats(2.5))},
        {"a": steps(numbers(7, 8))},
    ]  # fmt: skip
    owns = [{"n": numbers(9), "w": features["c"]}, {"n": numbers(8)}]
    s1, s2 = (
        train.SequenceExample(
            context=train.Features(feature=own),
            feature_lists=train.FeatureLists(feature_list=each),
        ).SerializeToString(deterministic=True)
        for own, each in zip(owns, lists)
    )
    texts = {
        "i2": train.Int64List(value=[4, -5]), "i0": train.Int64List(),
        "fl": train.FloatList(value=[0.5, 1.5]), "bl": train.BytesList(value=[b"a", b"\xff"]),
        "ft": numbers(3), "ft2": floats(0.5),
    }  # fmt: skip
    return {
        **{name: message.SerializeToString() for name, message in texts.items()},
        "tp": b"\x12\x02\x08\x02\x12\x02\x08\x05", "R": tf.io.RaggedFeature, "rg": rg, "s1": s1, "s2": s2,
        "tf": tf, "io": tf.io, "i64": tf.int64, "f32": tf.float32, "s": tf.string, "ex": ex,
        "other": other, "sp": sp, "V": tf.io.VarLenFeature, "F": tf.io.FixedLenFeature, "Q": tf.io.FixedLenSequenceFeature,
        "zlib": zlib, "gzip": gzip, "seeded": seeded,
        "x": rng.normal(size=(5, 2, 4)).astype(np.float32) * 2,
        "long": rng.normal(size=(12, 3, 6)).astype(np.float32) * 2,
        "w": tf.constant(rng.normal(size=(6, 3)).astype(np.float32)),
    }  # fmt: skip


def show(value: Any) -> Any:
    """A result as JSON holds it."""
    if isinstance(value, dict):
        return {key: show(value[key]) for key in sorted(value)}
    if type(value) in (list, tuple):
        return [show(v) for v in value]
    if hasattr(value, "dense_shape"):
        return ["sparse", show(value.indices), show(value.values), show(value.dense_shape)]
    if hasattr(value, "row_splits"):
        return ["ragged", show(value.values), show(value.row_splits)]
    if not hasattr(value, "numpy"):
        return repr(value)
    array = value.numpy()
    if value.dtype.is_floating:  # the last digits are the library's
        return f"{value.dtype.name}{list(value.shape)} {digits(array.tolist())}"
    plain = array if isinstance(array, bytes) else array.tolist()
    return f"{value.dtype.name}{list(value.shape)} {plain}"


def digits(numbers: Any) -> Any:
    """Numbers to four digits."""
    if isinstance(numbers, list):
        return [digits(n) for n in numbers]
    return float(f"{numbers:.4g}")


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
        if "Feature(" in line or "V(" in line or "seeded(" in line:
            continue
        traced = tf.function(lambda line=line: eval(line, known))
        graph = show(traced())
        assert graph == found[line], (line, graph)
    return found
