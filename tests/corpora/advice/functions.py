"""Advice about `tf.function`, variables, gradients and tensors of graphs."""

from __future__ import annotations

from corpora.advice.program import advised

advised(
    "two_gradients_of_one_tape",
    "Make it with persistent=True to ask again",
    """
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    result = [tape.gradient(y, x), tape.gradient(y, x)]
    """,
    ("GradientTape()", "GradientTape(persistent=True)"),
    result=[6.0, 6.0],
)
advised(
    "gradient_of_another_shape",
    "for instance with tf.reduce_sum(gradient)",
    """
    @tf.custom_gradient
    def scale(x):
        return x * tf.ones([3]), lambda gradient: gradient
    f = tf.function(lambda x: scale(x))
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    result = tape.gradient(y, x)
    """,
    ("lambda gradient: gradient", "lambda gradient: tf.reduce_sum(gradient)"),
    result=3.0,
)
advised(
    "gradients_outside_graphs",
    "Use tf.GradientTape instead",
    """
    x = tf.constant(3.0)
    result = tf.gradients(x * x, x)
    """,
    (
        "result = tf.gradients(x * x, x)",
        "with tf.GradientTape() as tape:\n    tape.watch(x)\n"
        "    y = x * x\nresult = tape.gradient(y, x)",
    ),
    result=6.0,
)
advised(
    "loss_from_numpy",
    "from the variables and not from their .numpy()",
    """
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        loss = tf.square(tf.constant(v.numpy()))
    tf.optimizers.SGD(0.1).apply_gradients([(tape.gradient(loss, v), v)])
    result = v
    """,
    ("tf.constant(v.numpy())", "v"),
    result=1.6,
)
advised(
    "gradients_without_variables",
    "Call `optimizer.build(trainable_variables)` first",
    """
    v = tf.Variable(2.0)
    optimizer = tf.optimizers.SGD(0.5)
    trainable_variables = [v]
    optimizer.apply([tf.constant(1.0)])
    result = v
    """,
    ("optimizer.apply", "optimizer.build(trainable_variables)\noptimizer.apply"),
    result=1.5,
)
advised(
    "atomic_function_with_captures",
    "Use call_with_captures instead",
    """
    v = tf.Variable(2.0)
    c = tf.function(lambda x: x * v).get_concrete_function(tf.TensorSpec([]))
    result = c.inference_fn(tf.constant(3.0))
    """,
    (
        "inference_fn(tf.constant(3.0))",
        "inference_fn.call_with_captures((tf.constant(3.0),), {}, c.captured_inputs)",
    ),
    result=6.0,
)
advised(
    "variable_in_each_call",
    "Make sure the tf.Variable is only created once",
    """
    @tf.function
    def f(x):
        v = tf.Variable(1.0)
        return v * x
    result = f(tf.constant(3.0))
    """,
    ("@tf.function", "v = tf.Variable(1.0)\n@tf.function"),
    ("    v = tf.Variable(1.0)\n    return", "    return"),
    result=3.0,
)
advised(
    "attribute_in_each_call",
    "if self.v is None:  # `__init__` sets self.v = None\n    self.v = tf.Variable(1.0)",
    """
    class Scale:
        def __init__(self):
            self.rate = 2.0
        def __call__(self, x):
            self.v = tf.Variable(1.0)
            return self.v * x
    f = tf.function(Scale())
    f(tf.constant(1.0))
    result = f(tf.constant(3.0))
    """,
    ("self.rate = 2.0", "self.v = None"),
    (
        "        self.v = tf.Variable(1.0)",
        "        if self.v is None:\n            self.v = tf.Variable(1.0)",
    ),
    result=3.0,
)
advised(
    "variable_of_each_argument",
    "v = tf.Variable(tf.zeros([], tf.float32))  # once, outside the function\nv.assign(x)  # inside",
    """
    @tf.function
    def f(x):
        v = tf.Variable(x)
        return v * 2.0
    f(tf.constant(1.0))
    result = f(tf.constant(3.0))
    """,
    ("@tf.function", "v = tf.Variable(tf.zeros([], tf.float32))\n@tf.function"),
    ("v = tf.Variable(x)", "v.assign(x)"),
    result=6.0,
)
advised(
    "optimizers_of_one_function",
    "optimizer.build(trainable_variables)  # once, outside the function",
    """
    w = tf.Variable(2.0)
    trainable_variables = [w]
    @tf.function
    def step(optimizer):
        optimizer.apply_gradients([(tf.constant(1.0), w)])
    for optimizer in tf.optimizers.SGD(0.5, 0.9), tf.optimizers.SGD(0.5, 0.9):
        step(optimizer)
    result = w
    """,
    ("    step(optimizer)", "    optimizer.build(trainable_variables)\n    step(optimizer)"),
    result=1.0,
)
advised(
    "variable_of_another_shape",
    "self.v = tf.Variable(tf.zeros([3], tf.float32))  # once, outside the function",
    """
    class Scale:
        v = None
        def __call__(self, x):
            if self.v is None or self.v.shape != x.shape:
                self.v = tf.Variable(tf.ones(x.shape))
            return self.v * x
    scale = Scale()
    f = tf.function(scale.__call__)
    f(tf.ones([2]))
    result = f(tf.ones([3]))
    """,
    ("f(tf.ones([2]))\n", "scale.v = tf.Variable(tf.zeros([3], tf.float32))\n"),
    ("if self.v is None or self.v.shape != x.shape:", "if True:"),
    ("self.v = tf.Variable(tf.ones(x.shape))", "self.v.assign(tf.ones(x.shape))"),
    result=[1.0, 1.0, 1.0],
)
advised(
    "variable_of_an_argument",
    "Create it outside of the function, and change it inside",
    """
    made = []
    @tf.function
    def inner(x):
        if not made:
            made.append(tf.Variable(x))
        return made[0] * 2.0
    f = tf.function(lambda x: inner(x + 1.0))
    result = f(tf.constant(3.0))
    """,
    ("made = []", "made = [tf.Variable(0.0)]"),
    ("if not made:\n        made.append(tf.Variable(x))", "made[0].assign(x)"),
    result=8.0,
)
advised(
    "table_of_an_element",
    "call its `insert(keys, values)` inside",
    """
    def f(x):
        initializer = tf.lookup.KeyValueTensorInitializer([x], [x * 2])
        table = tf.lookup.StaticHashTable(initializer, -1)
        return table.lookup(x)
    result = sum(tf.data.Dataset.range(4).map(f))
    """,
    (
        "def f(x):",
        "table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, -1)\ndef f(x):",
    ),
    ("initializer = tf.lookup.KeyValueTensorInitializer([x], [x * 2])\n    ", ""),
    ("table = tf.lookup.StaticHashTable(initializer, -1)\n", "table.insert([x], [x * 2])\n"),
    result=12,
)
advised(
    "method_of_an_object_that_is_gone",
    "keep a reference to it while its functions are used",
    """
    class Model:
        @tf.function
        def call(self, x):
            return x * 2
    keep = Model()
    keep.call(tf.constant(3))
    call = keep.call
    del keep
    result = call(tf.constant(3.0))
    """,
    ("del keep\n", ""),
    result=6.0,
)
advised(
    "method_of_an_object_with_slots",
    "give the class a slot `__weakref__`",
    """
    class Model:
        __slots__ = ("rate",)
        @tf.function
        def call(self, x):
            return x * 2
    result = Model().call(tf.constant(3))
    """,
    ('("rate",)', '("rate", "__weakref__")'),
    result=6,
)
advised(
    "shapes_that_change",
    "reduce_retracing=True",
    """
    @tf.function
    def f(x):
        return tf.reduce_sum(x)
    for n in range(1, 9):
        result = f(tf.ones([n]))
    """,
    ("@tf.function", "@tf.function(reduce_retracing=True)"),
    result=8.0,
)
advised(
    "shapes_that_change_by_a_signature",
    "@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])",
    """
    @tf.function
    def f(x):
        return tf.reduce_sum(x)
    for n in range(1, 9):
        result = f(tf.ones([n]))
    """,
    ("@tf.function", "@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])"),
    result=8.0,
)
advised(
    "numbers_that_change",
    "f(tf.constant(n))",
    """
    @tf.function
    def f(n):
        return n * 2
    for n in range(8):
        result = f(n)
    """,
    ("result = f(n)", "result = f(tf.constant(n))"),
    result=14,
)
advised(
    "recursion_over_a_number",
    "def fact(n): ...  # as it is, without tf.function",
    """
    @tf.function
    def fact(n):
        return 1 if n <= 1 else n * fact(n - 1)
    result = fact(8)
    """,
    ("@tf.function\n", ""),
    ("result = fact(8)", "@tf.function\ndef staged(n):\n    return fact(n)\nresult = staged(8)"),
    result=40320,
)
advised(
    "state_that_changes",
    "Make it a tf.Variable (rate = tf.Variable(2.0); rate.assign(3.0))",
    """
    rate = 2.0
    @tf.function(on_stale="warn")
    def f(x):
        return x * rate
    f(tf.constant(1.0))
    rate = 3.0
    result = f(tf.constant(1.0))
    """,
    ("rate = 2.0", "rate = tf.Variable(2.0)"),
    ("rate = 3.0", "rate.assign(3.0)"),
    result=3.0,
)
advised(
    "value_read_in_a_function",
    "`tf.py_function(lambda value: value.numpy(), [x], x.dtype)`",
    """
    @tf.function
    def f(x):
        return x.numpy() + 1
    result = f(tf.constant(3))
    """,
    ("x.numpy()", "tf.py_function(lambda value: value.numpy(), [x], x.dtype)"),
    result=4,
)
advised(
    "item_read_in_a_function",
    "Compute with `x` itself",
    """
    @tf.function
    def f(x):
        return x.item() + 1
    result = f(tf.constant(3))
    """,
    ("x.item()", "x"),
    result=4,
)
advised(
    "value_of_a_variable_in_a_function",
    "use the variable itself",
    """
    v = tf.Variable(3)
    @tf.function
    def f():
        return v.numpy() + 1
    result = f()
    """,
    ("v.numpy()", "v"),
    result=4,
)
advised(
    "tensor_that_leaked",
    "Use return values",
    """
    kept = []
    @tf.function
    def f(x):
        kept.append(x * 2)
        return x
    f(tf.constant(3))
    result = kept[0] + 1
    """,
    ("    kept.append(x * 2)\n    return x\nf(", "    return x * 2\nkept.append(f("),
    ("constant(3))", "constant(3)))"),
    result=7,
)
advised(
    "length_in_code_that_is_left_out",
    "tf.shape(x)[0]",
    """
    @tf.autograph.experimental.do_not_convert
    def rows(x):
        return len(x)
    f = tf.function(lambda x: rows(x))
    result = f(tf.constant([3, 4]))
    """,
    ("len(x)", "tf.shape(x)[0]"),
    result=2,
)
advised(
    "numpy_function_without_a_form",
    "`tf.numpy_function(numpy.linalg.det, [x], dtype)`",
    """
    import numpy
    dtype = tf.float32
    @tf.function
    def f(x):
        return numpy.linalg.det(x)
    result = f(tf.constant([[2.0, 0.0], [0.0, 3.0]]))
    """,
    ("numpy.linalg.det(x)", "tf.numpy_function(numpy.linalg.det, [x], dtype)"),
    result=6.0,
)
advised(
    "array_of_a_tensor",
    "`tf.numpy_function(function, [x], x.dtype)`",
    """
    def function(x):
        return np.asarray(x) + 1
    @tf.function
    def f(x):
        return function(x)
    result = f(tf.constant(3))
    """,
    ("return function(x)", "return tf.numpy_function(function, [x], x.dtype)"),
    result=4,
)
advised(
    "dot_of_other_ranks",
    "use `tf.tensordot` for others",
    """
    @tf.function
    def f(x, y):
        return np.dot(x, y)
    result = f(tf.constant([[1.0, 2.0]]), tf.constant([3.0, 4.0]))
    """,
    ("np.dot(x, y)", "tf.tensordot(x, y, 1)"),
    result=[11.0],
)
advised(
    "mismatch_of_dtypes",
    "tf.cast(steps, tf.float32) converts it",
    """
    steps = tf.constant(3)
    result = steps * tf.constant(2.5)
    """,
    ("steps * tf", "tf.cast(steps, tf.float32) * tf"),
    result=7.5,
)
advised(
    "mismatch_of_dtypes_in_a_function",
    "tf.cast(steps, tf.float32)",
    """
    @tf.function
    def f(rate, steps):
        return rate * steps
    result = f(tf.constant(2.5), tf.constant(3))
    """,
    ("rate * steps", "rate * tf.cast(steps, tf.float32)"),
    result=7.5,
)
advised(
    "item_of_another_dtype_in_a_list",
    "tf.cast(ids, tf.float32) converts it",
    """
    ids, rows = tf.constant([1]), tf.constant([0.5])
    result = tf.concat([rows, ids], 0)
    """,
    ("[rows, ids], 0", "[rows, tf.cast(ids, tf.float32)], 0"),
    result=[0.5, 1.0],
)
advised(
    "method_of_an_array",
    "write `tf.cast(x, dtype)`",
    """
    x, dtype = tf.constant(2.5), tf.int32
    result = x.astype(dtype)
    """,
    ("x.astype(dtype)", "tf.cast(x, dtype)"),
    result=2,
)
advised(
    "method_of_an_array_in_a_function",
    "write `tf.reduce_mean(x)`",
    """
    @tf.function
    def f(x):
        return x.mean()
    result = f(tf.constant([1.0, 2.0]))
    """,
    ("x.mean()", "tf.reduce_mean(x)"),
    result=1.5,
)
advised(
    "gradient_of_a_mapped_function",
    "take the gradient inside of the mapped function",
    """
    @tf.custom_gradient
    def square(x):
        return x * x, lambda gradient: gradient * 2.0 * x
    def row(x):
        return square(x)
    def rows(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.vectorized_map(row, x))
        return tape.gradient(y, x)
    result = rows(tf.constant([1.0, 3.0]))
    """,
    (
        "def row(x):\n    return square(x)",
        "def row(x):\n    with tf.GradientTape() as tape:\n"
        "        tape.watch(x)\n        y = square(x)\n    return tape.gradient(y, x)",
    ),
    (
        "y = tf.reduce_sum(tf.vectorized_map(row, x))\n    return tape.gradient(y, x)",
        "pass\n    return tf.vectorized_map(row, x)",
    ),
    result=[2.0, 6.0],
)
advised(
    "closure_for_a_number_of_a_trace",
    "pass it as an argument, or use a variable",
    """
    count = tf.constant(2)
    f = tf.function(lambda x: x * count)
    concrete = f.get_concrete_function(tf.TensorSpec([], tf.int32))
    concrete.replace_capture_with_deferred_capture(
        count, lambda: tf.constant(5), tf.TensorSpec([], tf.int32)
    )
    result = concrete(tf.constant(3))
    """,
    ("count = tf.constant(2)", "count = tf.Variable(2)"),
    ("count, lambda: tf.constant(5), tf.TensorSpec([], tf.int32)\n)", ""),
    ("concrete.replace_capture_with_deferred_capture(\n", "count.assign(5)"),
    result=15,
)
advised(
    "closure_for_what_shapes_rest_on",
    "pass it as an argument, or use a variable",
    """
    width = tf.constant(2.0)
    f = tf.function(lambda x: tf.fill([tf.cast(width, tf.int32)], x))
    concrete = f.get_concrete_function(tf.TensorSpec([], tf.float32))
    concrete.replace_capture_with_deferred_capture(
        width, lambda: tf.constant(3.0), tf.TensorSpec([], tf.float32)
    )
    result = concrete(tf.constant(1.0))
    """,
    ("width = tf.constant(2.0)", "width = tf.Variable(2.0)"),
    ("width, lambda: tf.constant(3.0), tf.TensorSpec([], tf.float32)\n)", ""),
    ("concrete.replace_capture_with_deferred_capture(\n", "width.assign(3.0)"),
    result=[1.0, 1.0, 1.0],
)
advised(
    "handle_of_an_iterator_before_its_begin",
    "Ensure that you have run the initializer operation",
    """
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        iterator = v1.data.make_initializable_iterator(tf.data.Dataset.range(3))
        handle = v1.placeholder(tf.string, [])
        x = v1.data.Iterator.from_string_handle(handle, tf.int64).get_next()
        feed = {handle: session.run(iterator.string_handle())}
        result = session.run(x, feed)
    """,
    ("    result", "    session.run(iterator.initializer)\n    result"),
    result=0,
)
advised(
    "iterator_of_sessions_without_a_graph",
    "take elements with a `for` loop over the dataset",
    """
    dataset = tf.data.Dataset.range(3)
    iterator = tf.compat.v1.data.Iterator.from_structure(tf.int64)
    result = [iterator.get_next()]
    """,
    ("iterator = tf.compat.v1.data.Iterator.from_structure(tf.int64)\n", ""),
    ("[iterator.get_next()]", "[x for x in dataset]"),
    result=[0, 1, 2],
)
