"""Expressions on ragged tensors whose outcomes TensorFlow recorded.

`tools/record_composite_goldens.py` evaluates them there, `tests/ragged/` here, eagerly and as the
body of a function. `R` is tf.RaggedTensor, `rc` tf.ragged.constant, `c` tf.constant.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

CONSTRUCTION = """
R.from_row_splits([3, 1, 4, 1, 5, 9, 2, 6], [0, 4, 4, 7, 8, 8])
R.from_row_splits([1, 2], np.array([0, 1, 2], np.int32))
R.from_row_splits([1, 2], [1, 2])
R.from_row_splits([1, 2], [0, 1])
R.from_row_splits([1, 2], [0, 2, 1, 2])
R.from_row_splits([1, 2], [0., 2.])
R.from_row_splits([1, 2], [[0, 2]])
R.from_row_splits(3, [0, 1])
R.from_row_splits([], [])
R.from_row_splits([], [0])
R.from_row_lengths([3, 1, 4, 1, 5, 9, 2, 6], [4, 0, 3, 1, 0])
R.from_row_lengths([1, 2], [1, 2])
R.from_row_lengths([1, 2], [-1, 3])
R.from_value_rowids([3, 1, 4, 1, 5, 9, 2, 6], [0, 0, 0, 0, 2, 2, 2, 3], nrows=5)
R.from_value_rowids([1, 2], [0, 2])
R.from_value_rowids([1, 2], [1, 0])
R.from_value_rowids([1, 2], [0, 1], nrows=1)
R.from_value_rowids([1, 2], [0, 1], nrows=-2)
R.from_row_starts([3, 1, 4, 1, 5, 9, 2, 6], [0, 4, 4, 7, 8])
R.from_row_starts([3, 1], [1])
R.from_row_limits([3, 1, 4, 1, 5, 9, 2, 6], [4, 4, 7, 8, 8])
R.from_row_limits([3, 1], [1])
R.from_uniform_row_length([[1, 2], [3, 4], [5, 6], [7, 8]], 2)
R.from_uniform_row_length(rc([[1], [2, 3], [4], []]), 2)
R.from_uniform_row_length(rc([[1], [2, 3], [4], []]), 3)
R.from_uniform_row_length(c([], tf.int32), 0, nrows=3)
R.from_uniform_row_length([1, 2], -1)
R.from_nested_row_splits([3, 1, 4, 1, 5, 9, 2, 6], [[0, 3, 3, 5], [0, 4, 4, 7, 8, 8]])
R.from_nested_row_lengths([3, 1, 4, 1, 5, 9, 2, 6], [[3, 0, 2], [4, 0, 3, 1, 0]])
R.from_nested_value_rowids([3, 1, 4, 1, 5, 9, 2, 6], [[0, 0, 0, 2, 2], [0, 0, 0, 0, 2, 2, 2, 3]], [4, 5])
R.from_nested_row_splits([1, 2], 3)
R.from_nested_row_splits([1, 2], [])
R.from_row_splits(rc([[1], [2, 3], []]), [0, 2, 3])
R.from_row_splits([[1, 2], [3, 4], [5, 6]], [0, 1, 3])
R.from_tensor([[5, 7, 0], [0, 3, 0], [6, 0, 0]])
R.from_tensor([[5, 7, 0], [0, 3, 0], [6, 0, 0]], lengths=[2, 0, 3])
R.from_tensor([[5, 7, 0], [0, 3, 0], [6, 0, 0]], padding=0)
R.from_tensor([[[1, 0], [0, 0]], [[2, 3], [0, 0]]], padding=[0, 0])
R.from_tensor([[[1, 0], [0, 0]], [[2, 3], [4, 0]]], padding=0, ragged_rank=2)
R.from_tensor([[[1, 0], [0, 0]], [[2, 3], [4, 0]]], ragged_rank=2)
R.from_tensor([[[1, 0], [0, 0]], [[2, 3], [4, 0]]], lengths=([2, 1], [1, 2, 0]))
R.from_tensor([[5, 7], [0, 3]], row_splits_dtype=tf.int32)
R.from_tensor([[5, 7], [0, 3]], lengths=[1, 1], padding=0)
R.from_tensor([1, 2])
R.from_tensor([[1, 2]], ragged_rank=0)
R.from_tensor([[1, 2]], ragged_rank=-1)
R.from_tensor(tf.zeros([2, 0]))
rc([[1, 2], [3]])
rc([[], [1.5]])
rc([])
rc([[], []])
rc([[[1], []], [[2, 3]]])
rc([[['a']], [['b', 'c'], []]])
rc([[1, 2], [3]], dtype=tf.float32)
rc([[1, 2], [3]], row_splits_dtype=tf.int32)
rc([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1)
rc([[[1, 2], [3, 4]], [[5, 6]]], inner_shape=(2,))
rc([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1, inner_shape=(2,))
rc([[[1, 2], [3]], [[5, 6]]], ragged_rank=1)
rc([[1, 2], 3])
rc([[[1]], [2]])
rc(3)
rc([1, 2])
rc([1, 2], ragged_rank=1)
rc([[1, 2], [3]], ragged_rank=2)
rc([[1, 2], ['a']])
rc([['a', 'b'], ['c']])
rc(np.array([[1, 2], [3, 4]]))
rc([np.array([1, 2]), np.array([3])])
rc([(1, 2), (3,)])
rc([[1, 2.5], [3]])
rc([[True], [False, True]])
rc([[], [[]]])
rc([], ragged_rank=2)
rc([[1, 2], [3]], dtype=tf.string)
tf.ragged.constant_value([[1, 2], [3]]).to_list()
tf.ragged.constant_value([[1, 2], [3]])
tf.ragged.constant_value([[[1], []], [[2, 3]]], dtype=np.float32).values.row_splits
tf.ragged.range([3, 5, 2])
tf.ragged.range([0, 5, 8], [3, 3, 12])
tf.ragged.range([0, 5, 8], [3, 3, 12], 2)
tf.ragged.range([0, 5, 8], [3, 3, 12], [1, -1, 3])
tf.ragged.range(0, [3, 2], 1)
tf.ragged.range([1.5, 2.0])
tf.ragged.range([3], deltas=0)
tf.ragged.range(5)
tf.ragged.range([2, 3], row_splits_dtype=tf.int32)
tf.ragged.row_splits_to_segment_ids([0, 3, 3, 5, 6, 9])
tf.ragged.row_splits_to_segment_ids([0, 3], out_type=tf.int32)
tf.ragged.segment_ids_to_row_splits([0, 0, 0, 2, 2, 3, 4, 4, 4])
tf.ragged.segment_ids_to_row_splits([0, 0, 2], num_segments=5)
tf.ragged.segment_ids_to_row_splits([0, 0, 2], num_segments=5, out_type=tf.int32)
R(1, 2)
tf.ragged.boolean_mask([1, 2, 3], [True, False, True])
tf.ragged.boolean_mask([[1, 2, 3], [4, 5, 6], [7, 8, 9]], [[True, False, True], [False, False, False], [True, False, False]])
tf.ragged.boolean_mask(rc([[1, 2, 3], [4], [5, 6]]), rc([[False, False, True], [False], [True, True]]))
tf.ragged.boolean_mask(rc([[1, 2, 3], [4], [5, 6]]), [True, False, True])
tf.ragged.boolean_mask([[1, 2], [3, 4]], [True, False])
tf.ragged.boolean_mask(rc([[1, 2], [3]]), True)
tf.ragged.boolean_mask(rc([[[1, 2], [3]], [[4]]]), rc([[True, False], [True]]))
tf.ragged.boolean_mask([1, 2, 3], [1, 0, 1])
tf.ragged.stack([rc([[1, 2], [3]]), rc([[4, 5]])])
tf.ragged.stack([rc([[1, 2], [3]]), rc([[4], [5, 6]])], axis=1)
tf.ragged.stack([c([1, 2]), c([3])])
tf.ragged.stack([c([1, 2]), c([3, 4])], axis=1)
tf.ragged.stack([rc([[1, 2], [3]])], axis=2)
tf.ragged.stack([])
tf.ragged.map_flat_values(tf.ones_like, rc([[1, 2, 3], [], [4, 5], [6]]))
tf.ragged.map_flat_values(tf.multiply, rc([[1, 2, 3], [], [4, 5], [6]]), rc([[1, 2, 3], [], [4, 5], [6]]))
tf.ragged.map_flat_values(tf.add, rc([[1, 2, 3], [], [4, 5], [6]]), 5)
tf.ragged.map_flat_values(tf.add, rc([[1, 2, 3]]), rc([[1], [2, 3]]))
tf.ragged.map_flat_values(tf.add, 1, 2)
tf.ragged.map_flat_values(lambda v: v[:1], rc([[1, 2, 3]]))
tf.ragged.stack_dynamic_partitions(['a', 'b', 'c', 'd', 'e'], [3, 0, 2, 2, 3], 5)
tf.ragged.stack_dynamic_partitions(rc([[1], [2, 3], []]), [1, 0, 1], 2)
tf.ragged.cross([rc([['a'], ['b', 'c']]), rc([['d'], ['e']]), c([['f'], ['g']])])
tf.ragged.cross([rc([['a', 'b'], ['c']]), rc([['x', 'y'], ['z', 'w']]), [['1'], ['2']]])
tf.ragged.cross([rc([[1, 2], [3]]), [['a'], ['b']]])
tf.ragged.cross_hashed([rc([[1, 2], [3]]), [['a'], ['b']]])
tf.ragged.cross_hashed([rc([[1, 2], [3]]), [['a'], ['b']]], num_buckets=10, hash_key=3)
tf.ragged.cross_hashed([rc([['a', 'b'], ['c']]), [[-1], [2]]], num_buckets=50)
tf.ragged.cross([])
tf.ragged.cross([rc([[1, 2], [3]]), rc([[1]])])
tf.ragged.cross([tf.sparse.from_dense([['a', 'b'], ['', 'c']]), rc([['x', 'y'], ['z']])])
tf.ragged.cross([[['a']], [['b', 'c']]])
tf.ragged.cross([rc([[[1]]])])
tf.ragged.cross([rc([[1, 2], [3]])])
tf.ragged.cross([rc([['a', 'b'], ['c']]), rc([[], ['q']], dtype=tf.string)])
tf.fingerprint(['a', 'bc'])
tf.fingerprint([[1, 2], [3, 4]])
tf.fingerprint([1.5])
tf.ragged.cross_hashed([rc([['a'], ['b', 'c']]), rc([['d'], ['e']])], num_buckets=100)
"""

PARTS = """
r
str(r)
repr(rc([['a', 'bc'], [], ['d']]))
repr(rc([[[1.5], []], [[2.0, 3.0]]]))
str(rc([[[1.5], []], [[2.0, 3.0]]]))
str(rc([[list(range(20))], [list(range(3))] * 20]))
r.values
r.flat_values
d.flat_values
d.values
r.row_splits
r.row_lengths()
d.row_lengths(axis=2)
d.row_lengths(axis=0)
d.row_lengths(axis=-1)
r.row_lengths(axis=2)
r.row_starts()
r.row_limits()
r.value_rowids()
r.nrows()
r.nrows(out_type=tf.int32)
r.shape
r.shape.rank
d.shape
u.shape
u.uniform_row_length
r.uniform_row_length
r.ragged_rank
d.ragged_rank
r.dtype
d.nested_row_splits
d.nested_row_lengths()
d.nested_value_rowids()
r.bounding_shape()
d.bounding_shape()
d.bounding_shape(axis=1)
d.bounding_shape(axis=[0, 2])
r.bounding_shape(out_type=tf.int32)
r.to_list()
d.to_list()
u.to_list()
r.numpy()
u.numpy()
rc([[1, 2], [3, 4]]).numpy()
d.numpy()
r.to_tensor()
r.to_tensor(default_value=-1)
r.to_tensor(default_value=-1, shape=[None, 2])
r.to_tensor(shape=[4, 5])
r.to_tensor(shape=[2, 2])
d.to_tensor()
d.to_tensor(-1)
u.to_tensor()
rc([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1).to_tensor([9, 9])
rc([['a', 'b'], []]).to_tensor()
rc([['a', 'b'], []]).to_tensor('?')
rc([[], []]).to_tensor()
r.to_tensor(default_value='a')
r.to_sparse()
d.to_sparse()
r.with_values(['a', 'b', 'c', 'd', 'e', 'f'])
r.with_values([1, 2])
d.with_flat_values(tf.range(6.))
r.with_flat_values(rc([[1], [2], [3], [4], [5], [6]]))
r.with_row_splits_dtype(tf.int32)
r.with_row_splits_dtype(tf.float32)
d.merge_dims(0, 1)
d.merge_dims(1, 2)
d.merge_dims(0, 2)
d.merge_dims(-2, -1)
d.merge_dims(1, 1)
d.merge_dims(2, 1)
r.merge_dims(0, 1)
u.merge_dims(0, 1)
rc([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1).merge_dims(1, 2)
rc([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1).merge_dims(0, 2)
r._type_spec
d._type_spec
u._type_spec
tf.type_spec_from_value(rc([[1, 2], [3]], row_splits_dtype=tf.int32))
tf.RaggedTensorSpec([None, None], tf.int32)
tf.RaggedTensorSpec([2, None], tf.int32, 1, tf.int32)
tf.RaggedTensorSpec([2, None, None], tf.string)
tf.RaggedTensorSpec([None, None, 3], tf.int32, ragged_rank=1)
tf.RaggedTensorSpec(None, tf.int32)
tf.RaggedTensorSpec(None, tf.int32, ragged_rank=2)
tf.RaggedTensorSpec([2], tf.int32)
tf.RaggedTensorSpec([2], tf.int32, 1)
tf.RaggedTensorSpec([None, None], tf.int32).is_compatible_with(r)
tf.RaggedTensorSpec([None, None], tf.float32).is_compatible_with(r)
tf.RaggedTensorSpec([4, None], tf.int32).is_compatible_with(r)
tf.RaggedTensorSpec([None, None], tf.int32).value_type.__name__
tf.RaggedTensorSpec.from_value(r)
tf.RaggedTensorSpec([None, None], tf.int32)._component_specs
r._type_spec.most_specific_common_supertype([rc([[1]])._type_spec])
r._type_spec.is_subtype_of(tf.RaggedTensorSpec([None, None], tf.int32))
tf.nest.flatten(d, expand_composites=True)
tf.nest.map_structure(lambda x: x, r, expand_composites=True)
tf.is_tensor(r)
isinstance(r, R)
len(r)
list(r)
[x for x in r]
bool(r)
r.consumers()
hash(r)
tf.convert_to_tensor(r)
tf.constant(r)
tf.identity(r)
tf.stop_gradient(r)
r.name
r.device
"""

INDEXING = """
r[0]
r[1]
r[-1]
r[10]
r[-10]
r[:]
r[1:]
r[:2]
r[1:3]
r[::2]
r[::-1]
r[-2:]
r[3:1]
r[:, 0:1]
r[:, 1:]
r[:, :2]
r[:, -1:]
r[:, :-1]
r[:, ::2]
r[:, ::-1]
r[:, 5:]
r[1:, :1]
r[0, 1]
r[2, -1]
r[2, 5]
r[:, 0]
r[0, 0:1]
r[..., 0:1]
r[...]
r[..., 0]
r[tf.newaxis]
r[:, tf.newaxis]
r[:, :, tf.newaxis]
r[0, tf.newaxis]
r[..., tf.newaxis]
r[tf.newaxis, 0]
d[0]
d[0, 0]
d[0, 0, 0]
d[:, 0:1]
d[:, 0:1, 0:1]
d[:, :, 0:1]
d[1, :, 1:]
d[1, 0, 1:]
d[:, 0]
d[:, :, 0]
d[..., 1:]
d[0:1, ..., tf.newaxis]
d[tf.newaxis, :, tf.newaxis, 1:]
u[0]
u[:, 0]
u[:, -1]
u[:, 1:]
u[:, 5]
u[:, 0, 0:1]
u[:, :, 0:1]
u[0, 1]
w[:, :, 0]
w[:, 0:1, 1]
w[0]
w[0, 0]
w[..., 0]
w[:, :, ::-1]
w[:, ::2, tf.newaxis, 0]
r[c(0)]
r[c(1):]
r[0.5]
r['a']
r[None]
r[[0, 1]]
r[:, c(0):c(2)]
r[0, 0, 0]
r[:, -5:-1]
r[:, 1:-1]
r[:, -2:5]
r[:, 2:0:-1]
r[:, -1::-2]
r[:, :-3:-1]
r[:, c(1):]
r[:, c(-2):c(-1)]
r[:, ::c(2)]
r[:, ::c(-1)]
r[:, c(2):c(0):c(-1)]
r[:, :c(-3):-1]
r[..., ...]
r[True]
r[0:1, ::0]
r[0:1][0]
"""

FUNCTIONS = """
r + 1
1 + r
r + r
r - r
r * 2
r + c([[1], [2], [3], [4]])
r + c([[1]])
r + c([1])
r + c([1, 2])
c([[1], [2], [3], [4]]) + r
c(10) - r
r + rc([[1, 2], [3]])
r + rc([[10], [], [20], [30]])
r + 1.5
f + 1.5
f / 2
f ** 2
-f
abs(-f)
f // 2
r % 2
r == r
r != r
r == 1
r < 3
3 < r
r >= r
~(r < 3)
(r < 3) & (r > 1)
(r < 3) | (r > 1)
(r < 3) ^ (r > 1)
d + d
d + c([[[1]], [[2]], [[3]]])
d + c([[[1]]])
rc([[1, 2], [3]]) + [[10], [20]]
rc([[1, 2], [3]]) > [[1], [5]]
divmod(r, 2)
round(f)
tf.reduce_sum(r, keepdims=True)
tf.reduce_sum(r, axis=(0, 1))
tf.reduce_mean(rc([[], [1.0]]), axis=1)
tf.concat([r, tf.zeros([4, 0], tf.int32)], axis=-1)
tf.map_fn(tf.sort, r)
d + r2
r2 + d
u + u
u + c([1, 2])[:, None, None]
u + r3
w + c([100, 200])
w + c([[1, 2]])
w + w
tf.add(r, r)
tf.add(r, 1)
tf.maximum(r, 2)
tf.minimum(f, f + 1)
tf.abs(-f)
tf.sqrt(f)
tf.exp(f)
tf.nn.relu(f - 2)
tf.nn.gelu(f)
tf.square(r)
tf.sign(r)
tf.cast(r, tf.float32)
tf.cast(f, tf.int32)
tf.clip_by_value(r, 2, 3)
tf.zeros_like(r)
tf.ones_like(r, dtype=tf.float32)
tf.math.is_nan(f)
tf.logical_not(r < 3)
tf.logical_and(r < 3, r > 1)
tf.equal(r, r)
tf.not_equal(r, 2)
tf.less(r, 2)
tf.pow(f, 2.0)
tf.math.atan2(f, f)
tf.math.squared_difference(f, 1.0)
tf.math.divide_no_nan(f, f - 1)
tf.strings.lower(rc([['A', 'bC'], []]))
tf.strings.length(s)
tf.strings.as_string(r)
tf.strings.to_number(rc([['1', '2.5'], []]))
tf.strings.substr(s, 0, 1)
tf.strings.regex_replace(s, 'a', 'z')
tf.strings.strip(rc([[' a'], []]))
tf.strings.to_hash_bucket_fast(s, 10)
tf.strings.join([s, s])
tf.strings.join([s, '!'], separator='-')
tf.strings.reduce_join(s, axis=1)
tf.strings.reduce_join(s, axis=-1, separator=' ')
tf.strings.reduce_join(s, axis=0)
tf.strings.reduce_join(s)
tf.strings.reduce_join(s, axis=1, keepdims=True)
tf.strings.format('{}', r)
tf.strings.split(['a b c', 'd', ''])
tf.strings.split('a b c')
tf.strings.split(['a,b', 'c'], sep=',')
tf.strings.split(['a,b,c', 'c'], sep=',', maxsplit=1)
tf.strings.split([['a b', 'c']])
tf.strings.split(s)
tf.strings.bytes_split(['hello', '', 'ab'])
tf.strings.bytes_split('hello')
tf.strings.bytes_split(s)
tf.strings.unicode_split(['G\\xf6', 'ab'], 'UTF-8')
tf.strings.unicode_split('G\\xf6', 'UTF-8')
tf.strings.unicode_split(s, 'UTF-8')
tf.strings.unicode_decode(['G\\xf6', 'ab'], 'UTF-8')
tf.strings.unicode_decode('G\\xf6', 'UTF-8')
tf.strings.unicode_decode_with_offsets(['G\\xf6', 'ab'], 'UTF-8')
tf.strings.unicode_split_with_offsets(['G\\xf6', 'ab'], 'UTF-8')
tf.strings.unicode_encode(rc([[71, 246], [97]]), 'UTF-8')
tf.strings.unicode_encode([71, 246], 'UTF-8')
tf.strings.unicode_encode([[71, 246], [97, 98]], 'UTF-16-BE')
tf.strings.unicode_transcode(s, 'UTF-8', 'UTF-16-BE')
tf.strings.unicode_script(rc([[65, 1080], []]))
tf.strings.ngrams(['a', 'b', 'c'], 2)
tf.strings.ngrams(['a', 'b', 'c'], [1, 2])
tf.strings.ngrams(s, 2)
tf.strings.ngrams(s, 2, separator='-', pad_values=('L', 'R'))
tf.strings.ngrams(rc([['a', 'b', 'c'], ['d']]), 2, preserve_short_sequences=True)
tf.strings.ngrams([['a', 'b'], ['c', 'd']], 2)
tf.strings.unicode_decode([b'\\xff\\xfea', 'b'], 'UTF-8')
tf.strings.unicode_decode([b'a\\xff'], 'UTF-8', errors='strict')
tf.strings.unicode_decode([b'a\\xff'], 'UTF-8', errors='ignore')
tf.strings.unicode_decode([b'a\\xff\\x01'], 'UTF-8', replacement_char=63, replace_control_characters=True)
tf.strings.unicode_decode(['a'], 'latin')
tf.strings.unicode_decode(['a'], 'UTF-8', errors='foo')
tf.strings.unicode_decode([[['ab']]], 'UTF-8')
tf.strings.unicode_decode_with_offsets(['ab'], 'UTF-16-BE')
tf.strings.unicode_decode_with_offsets([b'\\xe4\\xb8\\x80\\xffa'], 'UTF-8')
tf.strings.unicode_encode([1 << 21], 'UTF-8', errors='strict')
tf.strings.unicode_encode([0xD800, 65], 'UTF-8')
tf.strings.unicode_encode(rc([[[72], [105]], [[97]]]), 'UTF-8')
tf.strings.ngrams([['a', 'b'], ['c', 'd']], [1, 2], pad_values='_', padding_width=1)
tf.strings.ngrams('a', 2)
tf.strings.ngrams(['a'], 0)
tf.strings.ngrams(['a'], 2, padding_width=1)
tf.strings.ngrams(['a', 'b', 'c'], 3, pad_values=('<', '>'), padding_width=5)
tf.strings.ngrams(['a'], 2, preserve_short_sequences=True)
tf.strings.ngrams(rc([['a', 'b', 'c'], ['d'], []]), [3, 2], preserve_short_sequences=True, pad_values='x', padding_width=1)
tf.strings.split([['a b'], ['c']])
tf.strings.split(['a  b '], sep=' ')
tf.strings.split([1])
tf.strings.format('x {} {} {}', (rc([['a'], []]), rc([list(range(10))] * 9), c([1.5])))
tf.strings.format('x {}', (r, r))
printed(r, rc([['a'], []]))
printed({'a': rc([[1.5]])}, 'and', c([1]))
printed(rc([[1.5]]), sep='|')
tf.reduce_sum(r)
tf.reduce_sum(r, axis=0)
tf.reduce_sum(r, axis=1)
tf.reduce_sum(r, axis=-1)
tf.reduce_sum(r, axis=[0, 1])
tf.reduce_sum(r, axis=1, keepdims=True)
tf.reduce_sum(r, axis=0, keepdims=True)
tf.reduce_sum(r, axis=2)
tf.reduce_sum(d, axis=0)
tf.reduce_sum(d, axis=1)
tf.reduce_sum(d, axis=2)
tf.reduce_sum(d, axis=[1, 2])
tf.reduce_sum(d, axis=[0, 2])
tf.reduce_sum(d, axis=1, keepdims=True)
tf.reduce_sum(d, axis=2, keepdims=True)
tf.reduce_sum(d)
tf.reduce_sum(w, axis=2)
tf.reduce_sum(w, axis=1)
tf.reduce_sum(u, axis=1)
tf.reduce_sum(u, axis=2)
tf.reduce_prod(r, axis=1)
tf.reduce_max(r, axis=1)
tf.reduce_max(f, axis=1)
tf.reduce_min(r, axis=1)
tf.reduce_min(r, axis=0)
tf.reduce_mean(r, axis=1)
tf.reduce_mean(f, axis=1)
tf.reduce_mean(f, axis=0)
tf.reduce_mean(f)
tf.reduce_mean(d, axis=[1, 2])
tf.math.reduce_variance(f, axis=1)
tf.math.reduce_std(f, axis=1)
tf.reduce_any(r > 2, axis=1)
tf.reduce_all(r > 2, axis=1)
tf.reduce_all(r > 2)
tf.reduce_any(d > 2, axis=2)
tf.concat([r, r], axis=0)
tf.concat([r, r], axis=1)
tf.concat([r, r], axis=-1)
tf.concat([r, c([[1], [2], [3], [4]])], axis=1)
tf.concat([r, c([[1, 2]])], axis=0)
tf.concat([d, d], axis=0)
tf.concat([d, d], axis=1)
tf.concat([d, d], axis=2)
tf.concat([r, rc([[1]])], axis=1)
tf.concat([r, rc([[[1]]])], axis=0)
tf.concat([r], axis=0)
tf.concat([r, r], axis=2)
tf.stack([r, r])
tf.stack([r, r], axis=1)
tf.stack([r, r], axis=2)
tf.stack([r, rc([[1]])])
tf.tile(r, [2, 1])
tf.tile(r, [1, 2])
tf.tile(r, [2, 2])
tf.tile(d, [1, 1, 2])
tf.tile(d, [2, 1, 1])
tf.tile(d, [1, 2, 1])
tf.tile(r, [0, 1])
tf.gather(r, [2, 0])
tf.gather(r, 2)
tf.gather(r, [[0, 1], [2, 3]])
tf.gather(c([10, 20, 30]), rc([[2, 0], [1]]))
tf.gather(r, rc([[3, 0], [2]]))
tf.gather(d, [1, 0])
tf.gather(c([[1, 2], [3, 4]]), rc([[1], [0, 1]]))
tf.gather(r, [9])
tf.gather(r, [0], axis=1)
tf.gather(r, rc([[0], [], [1], [0]]), batch_dims=1)
tf.gather(r, [[0], [0], [1], [0]], batch_dims=1)
tf.gather_nd(r, [[0, 1], [2, 0]])
tf.gather_nd(r, [[2], [0]])
tf.gather_nd(d, [[0, 0], [1, 0]])
tf.gather_nd(c([[1, 2], [3, 4]]), rc([[[0, 1]], [[1, 1], [0, 0]]], ragged_rank=1))
tf.expand_dims(r, 0)
tf.expand_dims(r, 1)
tf.expand_dims(r, 2)
tf.expand_dims(r, -1)
tf.expand_dims(r, 3)
tf.squeeze(tf.expand_dims(r, 0))
tf.squeeze(tf.expand_dims(r, 0), 0)
tf.squeeze(tf.expand_dims(r, 2), [2])
tf.squeeze(r, 1)
tf.squeeze(rc([[[1, 2]], [[3]]]), 1)
tf.squeeze(rc([[[1, 2]], [[3]]]), 2)
tf.squeeze(rc([[[1], [2]], [[3]]]), -1)
tf.squeeze(rc([[1], [2]]), [1])
tf.squeeze(rc([[[[1], [2]]], [[[3]]]]), [1, 3])
tf.bitcast(r, tf.uint32)
tf.bitcast(r, tf.uint8)
tf.where(r > 2, r, -r)
tf.where(r > 2, r, 0)
tf.where(r > 2)
tf.where(d > 2)
tf.where(rc([[True], [False, True]]), rc([[1], [2, 3]]), rc([[10], [20, 30]]))
tf.where([True, False, True, False], r, r * 10)
tf.boolean_mask(r, [True, False, True, False])
tf.boolean_mask(r, r > 2)
tf.reverse(r, [0])
tf.reverse(r, [1])
tf.reverse(r, [0, 1])
tf.reverse(d, [-1])
tf.one_hot(r, 3)
tf.size(r)
tf.size(d)
tf.size(r, out_type=tf.int64)
tf.rank(r)
tf.rank(d)
tf.shape(r)
tf.shape(r)[0]
tf.shape(d)
tf.shape(u)
tf.shape(r, out_type=tf.int32).row_partitions[0].row_splits()
tf.nn.softmax(f)
tf.nn.softmax(f, axis=-1)
tf.nn.softmax(rc([[1., 2.], [3.]]))
tf.matmul(wf, c([[1., 2.], [3., 4.]]))
tf.matmul(rc([[[1., 2.], [3., 4.]], [[5., 6.]]], ragged_rank=1), rc([[[1.], [2.]], [[3.], [4.]]], ragged_rank=1))
tf.py_function(lambda x: x * 2, [r], tf.RaggedTensorSpec([None, None], tf.int32))
tf.py_function(lambda x: tf.reduce_sum(x, 1), [r], tf.int32)
tf.py_function(lambda x: tf.constant(1), [r], tf.RaggedTensorSpec([None, None], tf.int32))
tf.py_function(lambda x: x, [tf.sparse.from_dense([[1, 0]])], tf.SparseTensorSpec([None, None], tf.int32)).values
tf.strings.to_hash_bucket(['', 'abcdefgh', 'abcdefghi', 'hello world, this is long'], 1 << 60)
tf.strings.to_hash_bucket(s, 1000)
tf.add_n([r, r])
tf.zeros(tf.shape(r))
tf.ones(tf.shape(d), tf.int32)
tf.fill(tf.shape(r), 7)
tf.broadcast_to([[1], [2], [3], [4]], tf.shape(r))
tf.broadcast_to(5, tf.shape(d))
tf.broadcast_to([[1, 2], [3, 4]], tf.shape(r))
tf.reshape([1, 2, 3, 4, 5, 6], tf.shape(r))
tf.reshape(r, tf.shape(r))
tf.unstack(rc([[1], [2, 3]]))
tf.map_fn(lambda x: tf.reduce_sum(x), r)
tf.map_fn(tf.reduce_mean, f)
tf.map_fn(lambda x: x * 2, r)
tf.map_fn(lambda x: x + 1, r, fn_output_signature=tf.RaggedTensorSpec([None], tf.int32))
tf.map_fn(lambda x: tf.range(x), c([3, 0, 2]), fn_output_signature=tf.RaggedTensorSpec([None], tf.int32))
tf.map_fn(lambda x: tf.size(x), d, fn_output_signature=tf.int32)
tf.map_fn(lambda x: x[:1], d, fn_output_signature=tf.RaggedTensorSpec([None, None], tf.int32))
tf.map_fn(lambda x: (tf.reduce_sum(x), x), r, fn_output_signature=(tf.int32, tf.RaggedTensorSpec([None], tf.int32)))
tf.dynamic_partition(r, [0, 1, 0, 1], 2)
tf.split(r, 2)
tf.split(r, [1, 3])
tf.split(r, 2, axis=1)
tf.math.segment_sum(r, [0, 0, 1, 1])
tf.math.unsorted_segment_sum(r, [0, 1, 0, 1], 2)
tf.math.unsorted_segment_max(r, [0, 1, 0, 1], 3)
tf.sort(r)
tf.argsort(r)
tf.math.top_k(r)
tf.nn.embedding_lookup(c([[1., 2.], [3., 4.], [5., 6.]]), rc([[0, 1], [2]]))
tf.nn.dropout(f, 0.0)
tf.bitwise.bitwise_and(r, 1)
tf.math.bincount(r)
tf.math.bincount(r, axis=-1)
tf.math.bincount(r, axis=-1, minlength=3, maxlength=4)
tf.debugging.assert_equal(r, r)
tf.math.reduce_euclidean_norm(f, axis=1)
tf.math.l2_normalize(f)
tf.cumsum(r, axis=1)
tf.math.cumsum(r)
tf.random.shuffle(r[:1])
tf.transpose(r)
tf.reshape(r, [-1])
tf.sequence_mask(r)
tf.math.reduce_logsumexp(f, axis=1)
tf.image.resize(r, [2, 2])
tf.strings.unicode_encode([[[72, 105]], [[97]]], 'UTF-8')
tf.sparse.to_dense(r.to_sparse())
R.from_sparse(r.to_sparse())
"""

TRACED = """
tf.function(lambda x: x)(r)
tf.function(lambda x: tf.reduce_sum(x, axis=1))(r)
tf.function(lambda x: x * 2 + tf.cast(tf.size(x), tf.int32))(r)
tf.function(lambda x: x.to_tensor())(d)
tf.function(lambda x: x[1:, :1])(r)
tf.function(lambda x: tf.concat([x, x], 1))(r)
traces(tf.function(lambda x: tf.reduce_sum(x, axis=1)), r, rc([[1], [2], [], [4, 5, 6]]), rc([[1]]))
traces(tf.function(lambda x: tf.reduce_sum(x, axis=1), input_signature=[tf.RaggedTensorSpec([None, None], tf.int32)]), r, rc([[1], [2], [], [4, 5, 6]]), rc([[1]]))
traces(tf.function(lambda x: tf.reduce_sum(x, axis=1), reduce_retracing=True), r, rc([[1], [2]]), rc([[1]]), rc([[1], [], []]))
tf.function(lambda x: x, input_signature=[tf.RaggedTensorSpec([None, None], tf.int32)])(f)
tf.function(lambda x: x, input_signature=[tf.RaggedTensorSpec([None, None], tf.int32)])(c([1]))
str(tf.function(lambda x: x).get_concrete_function(r))
str(tf.function(lambda x: tf.reduce_sum(x, 1)).get_concrete_function(tf.RaggedTensorSpec([None, None], tf.float32)))
tf.function(lambda x: x).get_concrete_function(r).structured_outputs
tf.function(lambda p: tf.cond(p, lambda: r, lambda: r * 2))(c(False))
tf.function(lambda p: tf.cond(p, lambda: r, lambda: rc([[5], []])))(c(False))
tf.function(lambda: tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x + 1), (0, r)))()
tf.function(lambda x: tf.while_loop(lambda i, x: i < 2, lambda i, x: (i + 1, x[:, :-1]), (0, x)))(r)
tf.function(lambda x: tf.while_loop(lambda i, x: i < 2, lambda i, x: (i + 1, tf.concat([x, x], 0)), (0, x)))(r)
tf.function(lambda x: tf.while_loop(lambda i, x: i < 2, lambda i, x: (i + 1, tf.concat([x, x], 0)), (0, x), shape_invariants=(tf.TensorShape([]), tf.RaggedTensorSpec([None, None], tf.int32))))(r)
tf.function(lambda x: tf.while_loop(lambda i, x: i < 2, lambda i, x: (i + 1, tf.concat([x, x], 0)), (0, x), shape_invariants=(tf.TensorShape([]), tf.TensorShape([None, None]))))(r)
tf.while_loop(lambda i, x: i < 2, lambda i, x: (i + 1, tf.concat([x, x], 0)), (0, r))
tf.function(lambda p, x: tf.cond(p, lambda: x[1:], lambda: x * 2))(c(True), r)
rows(r)
rows(d)
built(c(3))
gradient(f, lambda x: tf.reduce_sum(x * x))
gradient(f, lambda x: tf.reduce_sum(tf.reduce_sum(x, axis=1) ** 2))
gradient(f, lambda x: x * 3)
gradient(f, lambda x: tf.reduce_sum(x.to_tensor() ** 2))
gradient(f, lambda x: tf.reduce_max(x, axis=1))
gradient(f, lambda x: x[:, :1] * 2)
gradient(f, lambda x: c(1.0))
gradient(f, lambda x: tf.py_function(lambda y: y * y, [x], tf.RaggedTensorSpec([None, None], tf.float32)))
gradient(f, lambda x: tf.reduce_sum(tf.concat([x, x * 2], 1)))
gradient(f, lambda x: tf.reduce_mean(x, axis=1))
gradient(f, lambda x: tf.gather(x, [0, 0, 2]) ** 2)
gradient(f, lambda x: x + c([[1.0], [2.0], [3.0], [4.0]]))
gradient(f, lambda x: tf.nn.softmax(x) * x)
"""


def lines(text: str) -> list[str]:
    return text.strip().splitlines()


AREAS = {
    "construction": lines(CONSTRUCTION),
    "parts": lines(PARTS),
    "indexing": lines(INDEXING),
    "functions": lines(FUNCTIONS),
    "traced": lines(TRACED),
}


def scope(tf: Any) -> dict[str, Any]:
    """The names that the expressions use."""
    rc = tf.ragged.constant

    def traces(function: Any, *arguments: Any) -> int:
        for argument in arguments:
            function(argument)
        return int(function.experimental_get_tracing_count())

    @tf.function
    def rows(x: Any) -> Any:
        total = 0
        for row in x:
            total += tf.reduce_sum(row) * tf.cast(tf.size(row), tf.int32)
        return total

    @tf.function
    def built(n: Any) -> Any:
        x = rc([[1, 2], [3]])
        for _ in tf.range(n):
            x = x + 1
        return x

    def printed(*values: Any, **options: Any) -> str:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "printed"
            tf.print(*values, output_stream=f"file://{path}", **options)
            return path.read_text()

    def gradient(x: Any, function: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x)

    return {
        "np": np,
        "tf": tf,
        "R": tf.RaggedTensor,
        "rc": rc,
        "c": tf.constant,
        "traces": traces,
        "rows": rows,
        "built": built,
        "gradient": gradient,
        "printed": printed,
        "r": rc([[3, 1], [], [4, 1, 5], [2]]),
        "f": rc([[3.0, 1.0], [], [4.0, 1.0, 5.0], [2.0]]),
        "d": rc([[[3], [1, 4]], [], [[1, 5, 9]]]),
        "s": rc([["hello", "a"], [], ["bc", "d", "a b"]]),
        "u": tf.RaggedTensor.from_uniform_row_length(rc([[1], [2, 3], [4], []]), 2),
        "w": rc([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1),
        "wf": rc([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0]]], ragged_rank=1),
        "r2": rc([[1, 2], [], [3]]),
        "r3": rc([[1, 2, 3], [4, 5, 6]]),
    }


def outcome(expression: str, tf: Any, names: dict[str, Any]) -> Any:
    """What an expression gives: a description of its value, or the class of the error."""
    try:
        return describe(eval(expression, dict(names)))
    except Exception as error:  # noqa: BLE001 - any error is an outcome
        return f"error {type(error).__name__}"


def traced(expression: str, tf: Any, names: dict[str, Any]) -> Any:
    """What the expression gives as the body of a function."""
    return outcome(f"tf.function(lambda: {expression})()", tf, names)


def describe(value: Any) -> Any:
    """A value as JSON can hold it, the same from both libraries."""
    if hasattr(value, "to_list") and hasattr(value, "row_splits"):
        spec = getattr(value, "_type_spec", None)
        return {"ragged": rounded(value.to_list()), "spec": "" if spec is None else repr(spec)}
    if hasattr(value, "numpy") and hasattr(value, "dtype"):
        found = value.numpy()
        return {
            "tensor": rounded(np.asarray(found).tolist()),
            "dtype": value.dtype.name,
            "shape": list(value.shape),
        }
    if hasattr(value, "indices") and hasattr(value, "dense_shape"):
        return {"sparse": [describe(v) for v in (value.indices, value.values, value.dense_shape)]}
    if isinstance(value, np.ndarray):
        return {"array": describe([describe(v) for v in value]), "dtype": str(value.dtype)}
    if isinstance(value, (list, tuple)):
        return [describe(item) for item in value]
    return rounded(value)


def rounded(value: Any) -> Any:
    """Plain values; floats to six digits, bytes as text."""
    if isinstance(value, list):
        return [rounded(item) for item in value]
    if isinstance(value, (float, np.floating)):
        return f"{value:.6g}"
    if isinstance(value, (bytes, bool, np.bool_, int, np.integer)):
        return str(value)
    return str(value) if isinstance(value, str) else repr(value).split(" at 0x")[0]
