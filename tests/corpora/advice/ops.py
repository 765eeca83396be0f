"""Advice about ops, tensors, variables, pipelines and files."""

from __future__ import annotations

from corpora.advice.program import advised


def call(name: str, says: str, wrong: str, right: str, result: object, before: str = "") -> None:
    """Adds a program of one call."""
    advised(name, says, f"{before}\nresult = {wrong}", (f"result = {wrong}", f"result = {right}"),
            result=result)  # fmt: skip


call("matmul_of_pictures", "tf.reshape(x, [2, 4]) fits", "tf.matmul(x, w)",
     "tf.matmul(tf.reshape(x, [2, 4]), w)", [[4.0], [4.0]],
     "x, w = tf.ones([2, 2, 2]), tf.ones([4, 1])")  # fmt: skip
call("matmul_of_a_picture", "tf.reshape(x, [1, 4]) fits", "x @ w", "tf.reshape(x, [1, 4]) @ w",
     [[4.0]], "x, w = tf.ones([2, 2]), tf.ones([4, 1])")  # fmt: skip
call("matmul_of_any_number_of_pictures", "tf.reshape(x, [-1, 4]) fits",
     "tf.function(lambda x: tf.matmul(x, w), input_signature=spec)(tf.ones([3, 2, 2]))",
     "tf.function(lambda x: tf.matmul(tf.reshape(x, [-1, 4]), w), input_signature=spec)"
     "(tf.ones([3, 2, 2]))", [[4.0], [4.0], [4.0]],
     "w, spec = tf.ones([4, 1]), [tf.TensorSpec([None, 2, 2])]")  # fmt: skip
call("matmul_of_rows_and_rows", "tf.transpose(w) fits", "tf.matmul(x, w)",
     "tf.matmul(x, tf.transpose(w))", [[2.0, 2.0, 2.0]],
     "x, w = tf.ones([1, 2]), tf.ones([3, 2])")  # fmt: skip
call("matmul_of_columns", "tf.transpose(x) fits", "x @ w", "tf.transpose(x) @ w",
     [[2.0, 2.0], [2.0, 2.0], [2.0, 2.0]], "x, w = tf.ones([2, 3]), tf.ones([2, 2])")  # fmt: skip
call("matmul_of_batches", "tf.linalg.matrix_transpose(w) fits", "x @ w",
     "x @ tf.linalg.matrix_transpose(w)", [[[2.0, 2.0, 2.0]]],
     "x, w = tf.ones([1, 1, 2]), tf.ones([1, 3, 2])")  # fmt: skip
call("matmul_with_a_vector", "tf.linalg.matvec(x, v) multiplies them", "tf.matmul(x, v)",
     "tf.linalg.matvec(x, v)", [2.0], "x, v = tf.ones([1, 2]), tf.ones([2])")  # fmt: skip
call("matmul_of_a_vector", "tf.linalg.matvec(w, v, transpose_a=True) multiplies them", "v @ w",
     "tf.linalg.matvec(w, v, transpose_a=True)", [2.0],
     "v, w = tf.ones([2]), tf.ones([2, 1])")  # fmt: skip
call("matmul_of_vectors", "tf.tensordot(v, v, 1) multiplies them", "v @ v",
     "tf.tensordot(v, v, 1)", 2.0, "v = tf.ones([2])")  # fmt: skip
call("matmul_with_a_layer_of_another_width", "tf.matmul(x, tf.zeros([2, 1], tf.float64)) fits",
     "tf.matmul(x, w)", "tf.matmul(x, tf.zeros([2, 1], tf.float64))", [[0.0]],
     "x, w = tf.ones([1, 2], tf.float64), tf.ones([5, 1], tf.float64)")  # fmt: skip
call("table_of_small_numbers", "Give the initializer `value_dtype=tf.int64`",
     "tf.lookup.StaticVocabularyTable(build(['a'], [0]), 1)[tf.constant('a')]",
     "tf.lookup.StaticVocabularyTable(build(['a'], [0], value_dtype=tf.int64), 1)[tf.constant('a')]",
     0, "build = tf.lookup.KeyValueTensorInitializer")  # fmt: skip
call("sum_of_a_column", "tf.expand_dims(w, -1) fits", "x * w", "x * tf.expand_dims(w, -1)",
     [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]], "x, w = tf.ones([2, 3]), tf.constant([1.0, 2.0])",
     )  # fmt: skip
call("sum_of_numbers_of_pictures", "tf.reshape(w, [2, 1, 1]) fits", "tf.add(w, x)",
     "tf.add(tf.reshape(w, [2, 1, 1]), x)", [[[2.0, 2.0, 2.0]], [[3.0, 3.0, 3.0]]],
     "x, w = tf.ones([2, 1, 3]), tf.constant([1.0, 2.0])")  # fmt: skip
call("traced_sum_of_a_column", "tf.expand_dims(x[0], -1) fits",
     "tf.function(lambda x, y: tf.add(x[0], y))(tf.ones([1, 2]), tf.ones([2, 3]))",
     "tf.function(lambda x, y: tf.add(tf.expand_dims(x[0], -1), y))"
     "(tf.ones([1, 2]), tf.ones([2, 3]))", [[2.0, 2.0, 2.0], [2.0, 2.0, 2.0]])  # fmt: skip
call("reshape_to_too_many", "tf.reshape(x, [-1, 2]) fits", "tf.reshape(x, [4, 2])",
     "tf.reshape(x, [-1, 2])", [[1, 2], [3, 4]], "x = tf.constant([1, 2, 3, 4])")  # fmt: skip
call("convolution_of_grey_pictures", "tf.expand_dims(x, -1) fits",
     "tf.nn.conv2d(x, tf.ones([1, 1, 1, 1]), 1, 'SAME')",
     "tf.nn.conv2d(tf.expand_dims(x, -1), tf.ones([1, 1, 1, 1]), 1, 'SAME')",
     [[[[1.0], [1.0]]]], "x = tf.ones([1, 1, 2])")  # fmt: skip
call("convolution_of_a_picture", "tf.expand_dims(x, 0) fits",
     "tf.nn.conv2d(x, tf.ones([1, 1, 3, 1]), 1, 'SAME')",
     "tf.nn.conv2d(tf.expand_dims(x, 0), tf.ones([1, 1, 3, 1]), 1, 'SAME')", [[[[3.0]]]],
     "x = tf.ones([1, 1, 3])")  # fmt: skip
call("axis_of_a_sum", "tf.reduce_sum(x, axis=-1) fits", "tf.reduce_sum(x, axis=2)",
     "tf.reduce_sum(x, axis=-1)", [3, 7], "x = tf.constant([[1, 2], [3, 4]])")  # fmt: skip
call("axes_of_a_mean", "tf.reduce_mean(x, [0, 1]) fits", "tf.reduce_mean(x, [0, 1, 2])",
     "tf.reduce_mean(x, [0, 1])", 2.5, "x = tf.constant([[1.0, 2.0], [3.0, 4.0]])")  # fmt: skip
call("axis_of_the_greatest", "tf.argmax(x, -1) fits", "tf.argmax(x, 2)", "tf.argmax(x, -1)",
     [1, 0], "x = tf.constant([[1, 2], [4, 3]])")  # fmt: skip
call("axis_of_a_softmax", "tf.nn.softmax(x, axis=-1) fits", "tf.nn.softmax(x, axis=1)",
     "tf.nn.softmax(x, axis=-1)", [0.5, 0.5], "x = tf.constant([1.0, 1.0])")  # fmt: skip
call("axis_of_a_cumulative_sum", "tf.cumsum(x, axis=-1) fits", "tf.cumsum(x, axis=1)",
     "tf.cumsum(x, axis=-1)", [1, 3], "x = tf.constant([1, 2])")  # fmt: skip
call("axis_of_items", "tf.gather(x, [1], axis=-1) fits", "tf.gather(x, [1], axis=1)",
     "tf.gather(x, [1], axis=-1)", [2], "x = tf.constant([1, 2])")  # fmt: skip
call("axis_of_a_concatenation", "tf.concat([x, x], -1) fits", "tf.concat([x, x], 1)",
     "tf.concat([x, x], -1)", [1, 2, 1, 2], "x = tf.constant([1, 2])")  # fmt: skip
call("axis_along_which_operands_differ", "tf.concat([x, y], axis=0) fits",
     "tf.concat([x, y], axis=1)", "tf.concat([x, y], axis=0)", [[1, 2], [3, 4], [5, 6]],
     "x, y = tf.constant([[1, 2]]), tf.constant([[3, 4], [5, 6]])")  # fmt: skip
call("row_beside_rows", "tf.expand_dims(row, 0) fits", "tf.concat([rows, row], 0)",
     "tf.concat([rows, tf.expand_dims(row, 0)], 0)", [[1, 2], [3, 4]],
     "rows, row = tf.constant([[1, 2]]), tf.constant([3, 4])")  # fmt: skip
call("axis_of_a_stack", "tf.stack([x, x], axis=-1) fits", "tf.stack([x, x], axis=2)",
     "tf.stack([x, x], axis=-1)", [[1, 1], [2, 2]], "x = tf.constant([1, 2])")  # fmt: skip
call("stack_of_unequal_rows", "tf.ragged.stack([x, y]) takes them", "tf.stack([x, y])",
     "tf.ragged.stack([x, y])", [[1, 2], [3]], "x, y = tf.constant([1, 2]), tf.constant([3])",
     )  # fmt: skip
call("axis_of_slices", "tf.unstack(x, axis=-1) fits", "tf.unstack(x, axis=1)",
     "tf.unstack(x, axis=-1)", [1, 2], "x = tf.constant([1, 2])")  # fmt: skip
call("axis_of_a_new_dimension", "tf.expand_dims(x, -1) fits", "tf.expand_dims(x, 2)",
     "tf.expand_dims(x, -1)", [[1], [2]], "x = tf.constant([1, 2])")  # fmt: skip
call("axis_to_squeeze", "tf.squeeze(x, 1) fits", "tf.squeeze(x, 0)", "tf.squeeze(x, 1)", [1, 2],
     "x = tf.constant([[1], [2]])")  # fmt: skip
call("axis_that_nothing_squeezes", "tf.squeeze(x, axis=1) fits", "tf.squeeze(x, axis=2)",
     "tf.squeeze(x, axis=1)", [1, 2], "x = tf.constant([[1], [2]])")  # fmt: skip
call("axis_to_reverse", "tf.reverse(x, [-1]) fits", "tf.reverse(x, [1])",
     "tf.reverse(x, [-1])", [2, 1], "x = tf.constant([1, 2])")  # fmt: skip
call("axis_of_a_roll", "tf.roll(x, 1, axis=-1) fits", "tf.roll(x, 1, axis=1)",
     "tf.roll(x, 1, axis=-1)", [2, 1], "x = tf.constant([1, 2])")  # fmt: skip
call("axis_of_indicators", "tf.one_hot(x, 2, axis=-1) fits", "tf.one_hot(x, 2, axis=2)",
     "tf.one_hot(x, 2, axis=-1)", [[0.0, 1.0]], "x = tf.constant([1])")  # fmt: skip
call("number_of_a_text", "tf.strings.to_number(x, tf.int32) converts it",
     "tf.cast(x, tf.int32)", "tf.strings.to_number(x, tf.int32)", 3,
     "x = tf.constant('3')")  # fmt: skip
call("shape_that_is_a_number", "tf.random.normal([2]) fits", "tf.random.normal(2)",
     "tf.random.normal([2]) * 0", [0.0, 0.0])  # fmt: skip
call("pieces_of_five", "tf.split(x, [3, 2]) fits", "tf.split(x, 2)", "tf.split(x, [3, 2])",
     [[0, 1, 2], [3, 4]], "x = tf.range(5)")  # fmt: skip
call("axis_of_pieces", "tf.split(x, 2, axis=-1) fits", "tf.split(x, 2, axis=1)",
     "tf.split(x, 2, axis=-1)", [[0], [1]], "x = tf.range(2)")  # fmt: skip
call("axis_of_a_repetition", "tf.repeat(x, 2, axis=-1) fits", "tf.repeat(x, 2, axis=1)",
     "tf.repeat(x, 2, axis=-1)", [7, 7], "x = tf.constant([7])")  # fmt: skip
call("transposed_batches", "tf.transpose(x, [0, 2, 1]) fits", "tf.transpose(x, [1, 0])",
     "tf.transpose(x, [0, 2, 1])", [[[1], [2]]], "x = tf.constant([[[1, 2]]])")  # fmt: skip
call("traced_axis", "tf.reduce_max(x, axis=-1) fits",
     "tf.function(lambda x: tf.reduce_max(x, axis=1))(tf.constant([1, 2]))",
     "tf.function(lambda x: tf.reduce_max(x, axis=-1))(tf.constant([1, 2]))", 2)  # fmt: skip
call("slices_of_unequal_rows",
     "tf.data.Dataset.zip(*map(tf.data.Dataset.from_tensor_slices, (x, y))) takes them",
     "list(tf.data.Dataset.from_tensor_slices((x, y)))",
     "list(tf.data.Dataset.zip(*map(tf.data.Dataset.from_tensor_slices, (x, y))))", [[1, 4]],
     "x, y = [1, 2, 3], [4]")  # fmt: skip
call("slices_of_unequal_columns",
     "tf.data.Dataset.zip({k: tf.data.Dataset.from_tensor_slices(v) for k, v in d.items()})",
     "list(tf.data.Dataset.from_tensor_slices(d))",
     "list(tf.data.Dataset.zip({k: tf.data.Dataset.from_tensor_slices(v) "
     "for k, v in d.items()}))", [{"a": 1, "b": 4}], "d = {'a': [1, 2, 3], 'b': [4]}")  # fmt: skip
call("slices_of_a_ragged_list", "tf.ragged.constant(rows) takes it",
     "[x.numpy().tolist() for x in tf.data.Dataset.from_tensor_slices(rows)]",
     "[x.numpy().tolist() for x in tf.data.Dataset.from_tensor_slices(tf.ragged.constant(rows))]",
     [[1, 2], [3]], "rows = [[1, 2], [3]]")  # fmt: skip
call("integers_for_a_signature_of_floats", "tf.cast(x, tf.float32)", "f(x)",
     "f(tf.cast(x, tf.float32))", 2.0,
     "f = tf.function(lambda x: x * 2, input_signature=[tf.TensorSpec([], tf.float32)])\n"
     "x = tf.constant(1)")  # fmt: skip
call("one_row_for_a_signature_of_rows", "tf.expand_dims(row, 0)", "f(x=row)",
     "f(x=tf.expand_dims(row, 0))", [[2.0, 2.0]],
     "f = tf.function(lambda x: x * 2, input_signature=[tf.TensorSpec([None, 2], tf.float32)])\n"
     "row = tf.ones([2])")  # fmt: skip
advised(
    "rows_longer_than_a_signature",
    "tf.TensorSpec([None, None], tf.float32)",
    """
    spec = tf.TensorSpec([None, 2], tf.float32)
    f = tf.function(lambda x: x * 2, input_signature=[spec])
    result = f(tf.ones([1, 3]))
    """,
    ("tf.TensorSpec([None, 2], tf.float32)", "tf.TensorSpec([None, None], tf.float32)"),
    result=[[2.0, 2.0, 2.0]],
)
advised(
    "float_for_a_signature_of_integers",
    "tf.TensorSpec([], tf.float32)",
    """
    spec = tf.TensorSpec([], tf.int32)
    f = tf.function(lambda x: x * 2, input_signature=[spec])
    result = f(2.5)
    """,
    ("tf.TensorSpec([], tf.int32)", "tf.TensorSpec([], tf.float32)"),
    result=5.0,
)
call("labels_and_logits_exchanged",
     "tf.nn.sparse_softmax_cross_entropy_with_logits(y, x) takes them",
     "tf.nn.sparse_softmax_cross_entropy_with_logits(x, y)",
     "tf.nn.sparse_softmax_cross_entropy_with_logits(y, x)", [0.0],
     "x, y = tf.constant([[1.0]]), tf.constant([0])")  # fmt: skip
call("lower_case_of_a_tensor", "write `tf.strings.lower(text)`", "f(lambda text: text.lower())",
     "f(lambda text: tf.strings.lower(text))", b"a",
     "f = lambda g: tf.function(g)(tf.constant('A'))")  # fmt: skip
call("array_whose_new_value_is_dropped", "`array = array.write(i, value)`", "f(False)", "f(True)",
     [5], "def f(keeps):\n"
     "    @tf.function\n"
     "    def g(i, value):\n"
     "        array = tf.TensorArray(tf.int32, 1)\n"
     "        written = array.write(i, value)\n"
     "        array = written if keeps else array\n"
     "        return array.stack()\n"
     "    return g(0, tf.constant(5))")  # fmt: skip
call("classes_in_a_column", "tf.squeeze(y, -1) fits",
     "float(tf.nn.sparse_softmax_cross_entropy_with_logits(y, tf.zeros([1, 1]))[0])",
     "float(tf.nn.sparse_softmax_cross_entropy_with_logits(tf.squeeze(y, -1), "
     "tf.zeros([1, 1]))[0])", 0.0, "y = tf.constant([[0]])")  # fmt: skip
call("classes_that_are_probabilities",
     "tf.nn.softmax_cross_entropy_with_logits(y, x) takes them",
     "float(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=x)[0])",
     "float(tf.nn.softmax_cross_entropy_with_logits(y, x)[0])", 0.0,
     "x, y = tf.zeros([1, 2]), tf.zeros([1, 2])")  # fmt: skip
call("rows_of_several_lengths", "tf.ragged.constant([[1, 2], [3]]) takes it",
     "tf.constant([[1, 2], [3]])", "tf.ragged.constant([[1, 2], [3]])[0]", [1, 2])  # fmt: skip
call("variable_in_a_function", "created outside tf.function",
     "[f(), f()][-1].numpy()", "[g(), g()][-1].numpy()", 2.0,
     "f = tf.function(lambda: tf.Variable(0.0).assign_add(1.0))\n"
     "v = tf.Variable(0.0)\n"
     "g = tf.function(lambda: v.assign_add(1.0))")  # fmt: skip
call("range_out_of_float32", "Give a dtype that holds it, such as tf.float64.",
     "tf.constant([1e300])", "tf.constant([1e300], tf.float64)", [1e300])  # fmt: skip
call("constant_of_another_dtype", "use tf.cast", "tf.constant(x, tf.float32)",
     "tf.cast(x, tf.float32)", 3.0, "x = tf.constant(3)")  # fmt: skip
call("shape_of_a_graph_tensor", "use tf.reshape",
     "tf.function(lambda x: tf.constant(x, shape=[2, 1]))(tf.constant([1, 2]))",
     "tf.function(lambda x: tf.reshape(x, [2, 1]))(tf.constant([1, 2]))", [[1], [2]])  # fmt: skip
call("truth_of_several_elements", "Use tf.reduce_any(t) or tf.reduce_all(t).", "bool(t)",
     "bool(tf.reduce_any(t))", True, "t = tf.constant([True, False])")  # fmt: skip
call("tensor_as_a_key", "use tensor.ref() as the key", "{tensor: 1}[tensor]",
     "{tensor.ref(): 1}[tensor.ref()]", 1, "tensor = tf.constant(1)")  # fmt: skip
call("variable_as_a_key", "use variable.ref() as the key", "{variable: 1}[variable]",
     "{variable.ref(): 1}[variable.ref()]", 1, "variable = tf.Variable(1)")  # fmt: skip
call("unknown_number_of_tensors", "Pass it: tf.unstack(value, num=...)",
     "f(tf.constant([1, 2]))", "g(tf.constant([1, 2]))", [1, 2],
     "spec = [tf.TensorSpec([None], tf.int32)]\n"
     "f = tf.function(lambda value: tf.unstack(value), input_signature=spec)\n"
     "g = tf.function(lambda value: tf.unstack(value, num=2), input_signature=spec)")  # fmt: skip
call("sort_of_sparse_indices", "Use `tf.sparse.reorder`",
     "tf.sparse.to_dense(s)", "tf.sparse.to_dense(tf.sparse.reorder(s))", [4, 3],
     "s = tf.SparseTensor([[1], [0]], [3, 4], [2])")  # fmt: skip
call("strings_format", "ensure the number of placeholders in template matches",
     "tf.strings.format('{} {}', (1,))", "tf.strings.format('{}', (1,))", b"1")  # fmt: skip
call("casts_of_add_n", "Try casting the input to the desired type.",
     "tf.math.accumulate_n([x, x], tensor_dtype=tf.float32)",
     "tf.math.accumulate_n([tf.cast(x, tf.float32)] * 2, tensor_dtype=tf.float32)", 6.0,
     "x = tf.constant(3)")  # fmt: skip
call("order_of_a_sort", "Pass order=None", "tf.experimental.numpy.sort([3, 1], order='a')",
     "tf.experimental.numpy.sort([3, 1], order=None)", [1, 3])  # fmt: skip
call("buckets_of_a_static_table", "use StaticHashTable", "make(0)", "static()", 7,
     "init = tf.lookup.KeyValueTensorInitializer(tf.constant(['a']), tf.constant([7], tf.int64))\n"
     "make = lambda n: tf.lookup.StaticVocabularyTable(init, n).lookup(tf.constant('a'))\n"
     "static = lambda: tf.lookup.StaticHashTable(init, -1).lookup(tf.constant('a'))")  # fmt: skip
call("nested_critical_section", "Call nested functions without `execute`",
     "section.execute(lambda: section.execute(lambda: tf.constant(1)))",
     "section.execute(lambda: tf.constant(1))", 1, "section = tf.CriticalSection()")  # fmt: skip
call("placeholder", "Use an argument of a `tf.function` in its place",
     "tf.compat.v1.placeholder(tf.float32, [2])",
     "tf.function(lambda x: x * 2, input_signature=[tf.TensorSpec([2], tf.float32)])([1.0, 2.0])",
     [2.0, 4.0])  # fmt: skip
call("name_of_an_operation", "write the operation's name and the number of its output",
     "c.graph.get_tensor_by_name('x').name", "c.graph.get_tensor_by_name('x:0').name", "x:0",
     "c = tf.function(lambda x: x + 1).get_concrete_function(tf.TensorSpec([], name='x'))",
     )  # fmt: skip
call("message_of_a_spec", "Use `pickle.dumps(spec)`", "spec.experimental_as_proto()",
     "pickle.loads(pickle.dumps(spec)).element_spec.dtype.name", "int64",
     "import pickle\nspec = tf.data.DatasetSpec(tf.TensorSpec([], tf.int64))")  # fmt: skip
call("length_in_a_graph", "Use `tf.data.Dataset.cardinality()` instead",
     "tf.function(lambda: tf.data.Dataset.range(3).__len__())()",
     "tf.function(lambda: tf.data.Dataset.range(3).cardinality())()", 3)  # fmt: skip
call("initializable_iterator", "Use Python-style iteration instead",
     "tf.compat.v1.data.make_initializable_iterator(d)", "[x for x in d]", [0, 1],
     "d = tf.data.Dataset.range(2)")  # fmt: skip
call("rebatch_of_scalars", "adding the `batch` transformation", "list(d.rebatch(2))",
     "list(d.batch(3).rebatch(2))", [[0, 1], [2]], "d = tf.data.Dataset.range(3)")  # fmt: skip
call("padded_shapes_without_room", "padded_batch(2, padded_shapes=[None]) has room",
     "list(d.padded_batch(2, padded_shapes=[1]))", "list(d.padded_batch(2, padded_shapes=[None]))",
     [[[1, 0], [2, 2]]],
     "d = tf.data.Dataset.range(1, 3).map(lambda x: tf.fill([x], x))")  # fmt: skip
call("padded_shapes_of_floats", "Give integers, or None for the largest size in a batch",
     "list(d.padded_batch(2, padded_shapes=[2.0]))",
     "list(d.padded_batch(2, padded_shapes=[None]))", [[[1, 0], [2, 2]]],
     "d = tf.data.Dataset.range(1, 3).map(lambda x: tf.fill([x], x))")  # fmt: skip
call("save_slice_info", "as in SaveSliceInfo('table', [8, 2], [4, 0], [4, 2])",
     "tf.Variable.SaveSliceInfo(save_slice_info_def=object()).full_name",
     "tf.Variable.SaveSliceInfo('table', [8, 2], [4, 0], [4, 2]).full_name", "table")  # fmt: skip
call("ragged_constructor", "use one of the factory methods", "tf.RaggedTensor([1], [0, 1])",
     "tf.RaggedTensor.from_row_lengths([1], [1])", [[1]])  # fmt: skip
call("transform_of_unknown_rank", "fix it with tf.ensure_shape", "f(x)", "g(x)", [4, 0, 0, 0],
     "spec, x = [tf.TensorSpec(None, tf.complex64)], tf.ones([4], tf.complex64)\n"
     "f = tf.function(lambda x: tf.signal.fftnd(x, [4], [0]), input_signature=spec)\n"
     "g = tf.function(lambda x: tf.signal.fftnd(tf.ensure_shape(x, [4]), [4], [0]), "
     "input_signature=spec)")  # fmt: skip
call("least_squares", "Try setting fast=False", "tf.linalg.lstsq(a, b)",
     "tf.linalg.lstsq(a, b, fast=False)", [[0.5], [0.5]],
     "a, b = tf.ones([2, 2]), tf.ones([2, 1])")  # fmt: skip
call("summary_graph_in_a_function", "call it outside functions",
     "tf.function(lambda: tf.summary.graph(g))()", "2", 2,
     "g = tf.function(lambda: 1).get_concrete_function().graph")  # fmt: skip

advised(
    "item_of_a_tensor",
    "`x = tf.tensor_scatter_nd_update(x, [[i]], [value])`",
    """
    x, i, value = tf.constant([1, 2]), 0, 5
    x[i] = value
    result = x
    """,
    ("x[i] = value", "x = tf.tensor_scatter_nd_update(x, [[i]], [value])"),
    result=[5, 2],
)
advised(
    "row_of_a_ragged_tensor",
    "as of rows by `tf.concat`",
    """
    x = tf.ragged.constant([[1], [2, 3]])
    x[0] = [5]
    result = x
    """,
    ("x[0] = [5]", "x = tf.concat([tf.ragged.constant([[5]]), x[1:]], 0)"),
    result=[[5], [2, 3]],
)
advised(
    "sum_into_a_variable",
    "use `variable.assign_add(value)`",
    """
    variable, value = tf.Variable(1), 2
    variable += value
    result = variable
    """,
    ("variable += value", "variable.assign_add(value)"),
    result=3,
)
advised(
    "difference_into_a_variable",
    "use `variable.assign_sub(value)`",
    """
    variable, value = tf.Variable(1), 2
    variable -= value
    result = variable
    """,
    ("variable -= value", "variable.assign_sub(value)"),
    result=-1,
)
advised(
    "checkpoint_of_nothing",
    "by `_trackable_children` or `_serialize_to_tensors`",
    """
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        tf.train.Checkpoint(model=tf.Module()).write(f"{folder}/c")
    result = 1
    """,
    ("model=tf.Module()", "model=tf.Variable(1)"),
    result=1,
)
advised(
    "ragged_shape_as_an_array",
    "use a function that takes ragged shapes",
    """
    shape = tf.experimental.DynamicRaggedShape.from_lengths([2, (2, 1)])
    result = np.asarray(shape)
    """,
    ("np.asarray(shape)", "shape.static_lengths()"),
    result=[2, [2, 1]],
)
SPARSE = """
    s = tf.SparseTensor([[0, 0], [1, 1]], [3.0, 4.0], [2, 2])
    values = s.values
    with tf.GradientTape() as tape:
        tape.watch(values)
        y = {reduction}
    result = tape.gradient(y, values)
    """
advised(
    "greatest_of_a_sparse_tensor",
    "take tf.reduce_max of tf.sparse.to_dense",
    SPARSE.format(reduction="tf.sparse.reduce_max(s.with_values(values))"),
    (
        "tf.sparse.reduce_max(s.with_values(values))",
        "tf.reduce_max(tf.sparse.to_dense(s.with_values(values)))",
    ),
    result=[0.0, 1.0],
)
advised(
    "sparse_sum_of_a_sparse_tensor",
    "sum with tf.sparse.reduce_sum to a dense result",
    SPARSE.format(
        reduction="tf.sparse.reduce_sum(s.with_values(values), output_is_sparse=True).values"
    ),
    (", output_is_sparse=True).values", ")"),
    result=[1.0, 1.0],
)
advised(
    "weights_of_a_count",
    "add weights up with tf.math.unsorted_segment_sum",
    """
    x, weights = tf.constant([0, 1, 1]), tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(weights)
        y = tf.math.bincount(x, weights)
    result = tape.gradient(y, weights)
    """,
    ("tf.math.bincount(x, weights)", "tf.math.unsorted_segment_sum(weights, x, 2)"),
    result=[1.0, 1.0, 1.0],
)
call("rank_of_ragged_rows", "tf.ragged.stack needs to know how many axes its values have",
     "f(tf.constant([1, 2]))", "g(tf.constant([1, 2]))", [[1, 2], [1, 2]],
     "spec = [tf.TensorSpec(None, tf.int32)]\n"
     "f = tf.function(lambda x: tf.ragged.stack([x, x]).to_tensor(), input_signature=spec)\n"
     "g = tf.function(lambda x: tf.ragged.stack([tf.ensure_shape(x, [None])] * 2).to_tensor(),\n"
     "                input_signature=spec)")  # fmt: skip
call("annotation_of_an_extension_type", "Define it before the first use of the type",
     "make(False)", "make(True)", 3,
     "def make(is_defined):\n"
     "    class Pair(tf.experimental.ExtensionType):\n"
     "        value: 'Late'\n"
     "    if is_defined:\n"
     "        Late = tf.Tensor\n"
     "        Pair.__annotations__['value'] = Late\n"
     "    return Pair(tf.constant(3)).value")  # fmt: skip
call("cross_of_truths", "round them with tf.cast(..., tf.int64)",
     "tf.ragged.cross([rows, rows]).to_list()",
     "tf.ragged.cross([tf.cast(rows, tf.int64)] * 2).to_list()", [[b"1_X_1"]],
     "rows = tf.ragged.constant([[True]])")  # fmt: skip
call("float_times_integers", "tf.cast(steps, tf.float32) converts it", "steps * 0.5",
     "tf.cast(steps, tf.float32) * 0.5", [0.5, 1.0], "steps = tf.constant([1, 2])")  # fmt: skip
call("integers_after_a_float", "tf.cast(steps, tf.float32) converts it", "0.5 - steps",
     "0.5 - tf.cast(steps, tf.float32)", [-0.5, -1.5], "steps = tf.constant([1, 2])")  # fmt: skip
call("size_that_a_graph_lacks", "a size that x.shape[0] does not know is tf.shape(x)[0]",
     "f(lambda x: tf.zeros([x.shape[0]]))", "f(lambda x: tf.zeros([tf.shape(x)[0]]))", [0.0, 0.0],
     "spec = tf.TensorSpec([None])\n"
     "f = lambda g: tf.function(g, input_signature=[spec])(tf.ones([2]))")  # fmt: skip
call("none_in_a_shape", "a size that x.shape[0] does not know is tf.shape(x)[0]",
     "tf.zeros([None])", "tf.zeros([tf.shape(x)[0]])", [0.0], "x = tf.ones([1])")  # fmt: skip
call("several_items_of_a_vector", "tf.gather(x, [0, 1]) takes several items",
     "x[[0, 1]]", "tf.gather(x, [0, 1])", [7, 8], "x = tf.constant([7, 8, 9])")  # fmt: skip
advised("assignment_to_a_former_variable", "`v.assign_add(1)` changes the variable",
        "v = tf.Variable(3)\nv = v + 1\nresult = v.assign(v * 2)",
        ("v = v + 1", "v.assign_add(1)"), result=8)  # fmt: skip
call("digits_of_a_traced_tensor", "tf.strings.as_string(x, precision=2) gives its digits",
     "f(lambda x: tf.constant(f'{x:.2f}'))", "f(lambda x: tf.strings.as_string(x, precision=2))",
     b"1.50", "f = lambda g: tf.function(g)(tf.constant(1.5))")  # fmt: skip
advised(
    "gradient_of_a_glimpse",
    "cut with tf.image.crop_and_resize",
    """
    x = tf.ones([1, 4, 4, 1])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.image.extract_glimpse(x, [2, 2], [[0.0, 0.0]])
    result = tf.reduce_sum(tape.gradient(y, x))
    """,
    (
        "extract_glimpse(x, [2, 2], [[0.0, 0.0]])",
        "crop_and_resize(x, [[0.0, 0, 1, 1]], [0], [2, 2])",
    ),
    result=4.0,
)
call("lengths_and_padding", "Specify argument `lengths` or `padding`",
     "tf.RaggedTensor.from_tensor(x, [1, 2], 0)", "tf.RaggedTensor.from_tensor(x, [1, 2])",
     [[1], [2, 3]], "x = tf.constant([[1, 0], [2, 3]])")  # fmt: skip
call("weights_of_what_occurs", "Please specify only one",
     "tf.sparse.bincount([1], [2.0], binary_output=True).values",
     "tf.sparse.bincount([1], [2.0]).values", [2.0])  # fmt: skip
call("summary_without_a_step", "Please specify one either through the `step` argument",
     "write(None)", "write(0)", False,
     "def write(step):\n"
     "    with tf.summary.create_noop_writer().as_default():\n"
     "        return tf.summary.scalar('loss', 1.0, step=step)")  # fmt: skip
call("shape_of_a_batch", "Give the shape of one matrix, without batches",
     "tf.sparse.sampled_addmm(i, v, [1, 2, 2], x, x)[1]",
     "tf.sparse.sampled_addmm(i, v, [2, 2], x, x)[1]", [[3.0]],
     "i, v, x = [[[0, 1]]], [[1.0]], tf.ones([1, 2, 2])")  # fmt: skip
advised(
    "op_of_a_graph_that_has_a_session",
    "before there is a monitored session",
    """
    with tf.Graph().as_default():
        x = tf.constant(2.0)
        with tf.compat.v1.train.MonitoredSession() as session:
            y = x * 3.0
            result = session.run(y)
    """,
    (
        "    with tf.compat.v1.train.MonitoredSession() as session:\n        y = x * 3.0\n",
        "    y = x * 3.0\n    with tf.compat.v1.train.MonitoredSession() as session:\n",
    ),
    result=6.0,
)
_PROMOTING = """
from graphwright.library.numpy.behavior import restore
numpy, value, stop = tf.experimental.numpy, tf.constant([1.5])[0], tf.constant(3, tf.int64)
variable = tf.Variable(1, dtype=tf.int32)
try:
    numpy.experimental_enable_numpy_behavior(dtype_conversion_mode="{mode}")
    result = np.asarray({expression}).tolist()
finally:
    restore()
"""


def promoting(
    mode: str, name: str, says: str, expression: str, edit: tuple[str, str], result: object
) -> None:
    """Adds a program of one expression in a promotion mode."""
    program = _PROMOTING.format(mode=mode, expression=expression)
    advised(name, says, program, edit, result=result)


promoting("every", "promotion_mode_of_a_wrong_name",
          "one of the followings: 'off', 'legacy', 'safe' or 'all'",
          "tf.constant(1, tf.int8) + 1", ('"every"', '"all"'), 2)  # fmt: skip
promoting("all", "variable_of_a_narrower_dtype_in_a_promotion_mode",
          "tf.cast(value, variable.dtype)", "variable.assign_add(value)",
          ("add(value)", "add(tf.cast(value, variable.dtype))"), 2)  # fmt: skip
promoting("all", "arange_of_ends_of_two_dtypes_in_a_promotion_mode", "or give dtype=",
          "numpy.arange(tf.constant(0), stop)", ("0), stop)", "0), stop, dtype=tf.int64)"),
          [0, 1, 2])  # fmt: skip
advised(
    "array_of_objects",
    "Give an array of numbers a dtype: `array.astype(np.float32)`",
    """
    array = np.array([1, None], dtype=object)
    result = tf.constant(array)[:1]
    """,
    ("tf.constant(array)", "tf.constant(array.astype(np.float32))"),
    result=[1.0],
)
