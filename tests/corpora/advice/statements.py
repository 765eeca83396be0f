"""Advice about control flow that a tensor decides."""

from __future__ import annotations

from corpora.advice.program import advised

advised(
    "await_outside",
    "stage a function without `async`",
    """
    @tf.function
    async def f(x):
        return x + 1
    result = f(tf.constant(1))
    """,
    ("async def", "def"),
    result=2,
)
advised(
    "list_in_a_loop_of_the_graph",
    "`array = array.write(array.size(), value)`",
    """
    @tf.function
    def f(n):
        array = []
        for i in tf.range(n):
            array.append("turn")
        return array
    result = f(tf.constant(3))
    """,
    ("array = []", "array = tf.TensorArray(tf.string, size=0, dynamic_size=True)"),
    ('array.append("turn")', 'array = array.write(array.size(), "turn")'),
    ("return array", "return array.stack()"),
    result=[b"turn"] * 3,
)
advised(
    "tensor_and_list_together",
    "make the other one a tensor too",
    """
    @tf.function
    def f(v):
        total = 0.0
        for a, b in zip(v, [1.0, 2.0]):
            total += a * b
        return total
    result = f(tf.constant([3.0, 4.0]))
    """,
    ("[1.0, 2.0]", "tf.constant([1.0, 2.0])"),
    result=11.0,
)
advised(
    "list_of_pairs",
    "Use a `for` statement",
    """
    @tf.function
    def f(v):
        total = 0.0
        for a, b in list(zip(v, v)):
            total += a * b
        return total
    result = f(tf.constant([3.0, 4.0]))
    """,
    ("list(zip(v, v))", "zip(v, v)"),
    result=25.0,
)
advised(
    "name_in_one_branch",
    "assign it before the `if`",
    """
    @tf.function
    def f(x):
        if x > 0:
            y = x * 2
        return y
    result = f(tf.constant(3))
    """,
    ("    if x", "    y = x\n    if x"),
    result=6,
)
advised(
    "name_of_a_closure",
    "assign it before the statement",
    """
    @tf.function
    def f(n):
        table = [lambda: t]
        if n > 0:
            t = n + 1
        return table[0]() + 1
    result = f(tf.constant(3))
    """,
    ("    table", "    t = 0\n    table"),
    result=5,
)
advised(
    "none_or_a_tensor",
    "return a tensor on each path",
    """
    @tf.function
    def f(x):
        if x > 0:
            return x
        return None
    result = f(tf.constant(3))
    """,
    ("return x\n", "return x, True\n"),
    ("return None", "return -1, False"),
    result=[3, True],
)
advised(
    "none_in_a_branch",
    "begin with one that stands for it",
    """
    @tf.function
    def f(x):
        best = None
        if x > 0:
            best = x
        return best
    result = f(tf.constant(3))
    """,
    ("best = None", "best = tf.constant(-1)"),
    result=3,
)
advised(
    "other_keys_in_a_branch",
    "give both the same keys and as many items",
    """
    @tf.function
    def f(x):
        if x > 0:
            d = {"a": x}
        else:
            d = {"a": x, "b": x}
        return d["a"]
    result = f(tf.constant(3))
    """,
    ('d = {"a": x}\n', 'd = {"a": x, "b": x}\n'),
    result=3,
)
advised(
    "other_dtype_in_a_branch",
    "`tf.cast(..., tf.float32)` in the main branch",
    """
    @tf.function
    def f(x):
        if x > 0:
            y = x
        else:
            y = tf.constant(0.5)
        return y
    result = f(tf.constant(3))
    """,
    ("y = x", "y = tf.cast(x, tf.float32)"),
    result=3.0,
)
advised(
    "number_after_and",
    "write `b if a else c`",
    """
    @tf.function
    def f(x):
        return x > 0 and 5
    result = f(tf.constant(3))
    """,
    ("x > 0 and 5", "5 if x > 0 else 0"),
    result=5,
)
advised(
    "setter_in_a_loop",
    "Keep the value in a variable there, and assign the attribute after it",
    """
    class Meter:
        def __init__(self):
            self._level = 0
        @property
        def level(self):
            return self._level
        @level.setter
        def level(self, value):
            self._level = value + 1
    meter = Meter()
    @tf.function
    def f(n):
        while meter.level < n:
            meter.level = meter.level + 1
        return n
    f(tf.constant(3))
    result = 3
    """,
    ("    while meter.level < n", "    level = meter.level\n    while level < n"),
    ("meter.level = meter.level + 1", "level = level + 1"),
    ("return n", "meter.level = level\n    return n"),
    result=3,
)
advised(
    "none_before_a_loop",
    "Begin with a tensor that stands for it",
    """
    @tf.function
    def f(n):
        t = None
        def mark(i):
            nonlocal t
            t = i
        g = mark
        for i in tf.range(n):
            g(i)
        return t + 1
    result = f(tf.constant(3))
    """,
    ("t = None", "t = tf.constant(-1)"),
    result=3,
)
advised(
    "other_keys_in_a_loop",
    "give it the same keys and as many items before the loop",
    """
    @tf.function
    def f(n):
        d = (tf.constant(0),)
        for i in tf.range(n):
            d = (d[0] + i, i)
        return d
    result = f(tf.constant(3))
    """,
    ("(tf.constant(0),)", "(tf.constant(0), tf.constant(0))"),
    result=[3, 2],
)
advised(
    "object_in_a_loop",
    "begin with a tensor",
    """
    @tf.function
    def f(n):
        word = "start"
        for i in tf.range(n):
            word = object()
        return word
    result = f(tf.constant(3))
    """,
    ('"start"', 'tf.constant("a")'),
    ("word = object()", 'word = word + "b"'),
    result=b"abbb",
)
advised(
    "another_list_in_a_loop",
    "Begin with the list before, and change it where it is",
    """
    @tf.function
    def f(n):
        items = [tf.constant(1)]
        for i in tf.range(n):
            items.append(i)
        for i in tf.range(n):
            items = items + [i]
        return tf.stack(items)
    result = f(tf.constant(2))
    """,
    ("items = items + [i]", "items += [i]"),
    result=[1, 0, 1, 0, 1],
)
advised(
    "other_dtype_in_a_loop",
    "begin with `tf.cast(..., tf.float32)`",
    """
    @tf.function
    def f(n):
        last = 0
        for i in tf.range(n):
            last = tf.cast(i, tf.float32) / 2.0
        return last
    result = f(tf.constant(4))
    """,
    ("last = 0", "last = tf.cast(0, tf.float32)"),
    result=1.5,
)
advised(
    "other_shape_in_a_loop",
    "tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])",
    """
    @tf.function
    def f(x):
        for i in tf.range(2):
            x = tf.concat([x, x], 0)
        return x
    result = f(tf.constant([1]))
    """,
    (
        "        x = tf.concat",
        "        tf.autograph.experimental.set_loop_options(shape_invariants="
        "[(x, tf.TensorShape([None]))])\n        x = tf.concat",
    ),
    result=[1, 1, 1, 1],
)
advised(
    "walrus_that_a_tensor_decides",
    "Assign in a statement before",
    """
    @tf.function
    def f(x):
        if x > 0 and (y := x * 2) > 3:
            return y
        return x
    result = f(tf.constant(3))
    """,
    ("    if x > 0 and (y := x * 2)", "    y = x * 2\n    if x > 0 and y"),
    result=6,
)
advised(
    "items_of_a_comprehension",
    "`tf.boolean_mask(items, mask)`",
    """
    @tf.function
    def f(x):
        return [i for i in (1, 2, 3) if x > i]
    result = f(tf.constant(2))
    """,
    ("[i for i in (1, 2, 3) if x > i]", "tf.boolean_mask([1, 2, 3], x > [1, 2, 3])"),
    result=[1],
)
advised(
    "match_of_a_tensor",
    "Write `if` and `elif`",
    """
    @tf.function
    def f(x):
        match x:
            case 1:
                y = x * 10
            case _:
                y = x
        return y
    result = f(tf.constant(1))
    """,
    ("match x:\n        case 1:", "if True:\n        if x == 1:"),
    ("case _:", "else:"),
    result=10,
)
advised(
    "list_filled_in_a_loop",
    "`array = array.write(array.size(), value)` inside",
    """
    @tf.function
    def f(n):
        array = []
        for i in tf.range(n):
            array.append(i * 2)
        return tf.stack(array)
    result = f(tf.constant(3))
    """,
    ("array = []", "array = tf.TensorArray(tf.int32, size=0, dynamic_size=True)"),
    ("array.append(i * 2)", "array = array.write(array.size(), i * 2)"),
    ("tf.stack(array)", "array.stack()"),
    result=[0, 2, 4],
)
advised(
    "item_read_after_a_loop",
    "`array.size()` and `array.stack()` after it",
    """
    @tf.function
    def f(n):
        array = []
        for i in tf.range(n):
            array.append(i * 2)
        return len(array)
    result = f(tf.constant(3))
    """,
    ("array = []", "array = tf.TensorArray(tf.int32, size=0, dynamic_size=True)"),
    ("array.append(i * 2)", "array = array.write(array.size(), i * 2)"),
    ("len(array)", "array.size()"),
    result=3,
)
advised(
    "endless_python_loop",
    "Loop over a tensor, such as tf.range, instead",
    """
    import itertools
    @tf.function
    def f(n):
        i = 0
        for i in itertools.count():
            if i > n:
                break
        return i
    result = f(tf.constant(3))
    """,
    ("itertools.count()", "tf.range(2**31 - 1)"),
    result=4,
)
advised(
    "vector_as_condition",
    "tf.reduce_all or tf.reduce_any of it",
    """
    @tf.function
    def f(x):
        if x > 0:
            return x
        return -x
    result = f(tf.constant([1, 2]))
    """,
    ("if x > 0", "if tf.reduce_all(x > 0)"),
    result=[1, 2],
)
advised(
    "number_as_condition",
    "by a comparison: `x != 0`",
    """
    @tf.function
    def f(x):
        if x:
            return x
        return -x
    result = f(tf.constant(2))
    """,
    ("if x", "if x != 0"),
    result=2,
)
advised(
    "loop_that_may_not_run",
    "loop must iterate at least once to initialize y",
    """
    @tf.function
    def f(n):
        for i in tf.range(n):
            y = i * 2
        return y
    result = f(tf.constant(0))
    """,
    ("f(tf.constant(0))", "f(tf.constant(3))"),
    result=4,
)
advised(
    "key_of_a_sort",
    "pass a key that gives a scalar for each item",
    """
    @tf.function
    def f(x):
        return sorted(x, key=lambda row: row)
    result = f(tf.constant([[2, 1], [1, 5]]))
    """,
    ("row: row)", "row: row[0])"),
    result=[[1, 5], [2, 1]],
)
advised(
    "not_of_a_number",
    "compare it, as in `x == 0`",
    """
    @tf.function
    def f(x):
        return not x
    result = f(tf.constant(2))
    """,
    ("not x", "x == 0"),
    result=False,
)
advised(
    "cond_of_a_number",
    "compare it, as in `pred != 0`",
    """
    @tf.function
    def f(x):
        return tf.cond(x, lambda: x, lambda: -x)
    result = f(tf.constant(2))
    """,
    ("tf.cond(x,", "tf.cond(x != 0,"),
    result=2,
)
advised(
    "loop_variable_of_while_loop",
    "type should remain constant",
    """
    @tf.function
    def f(n):
        return tf.while_loop(lambda i: i < 3.0, lambda i: tf.cast(i, tf.float64) + 1.0, [n])
    result = f(tf.constant(0.0))
    """,
    ("tf.cast(i, tf.float64)", "i"),
    result=[3.0],
)
advised(
    "large_unrolled_loop",
    "Loop over a tensor (`for i in tf.range(n)`)",
    """
    @tf.function
    def f(x):
        for i in range(1500):
            x = x + 1
        return x
    result = f(tf.constant(0))
    """,
    ("in range(1500)", "in tf.range(1500)"),
    result=1500,
)
advised(
    "truth_without_autograph",
    "Make `f` without `autograph=False`, and AutoGraph stages it",
    """
    @tf.function(autograph=False)
    def f(x):
        if x > 0:
            return x
        return -x
    result = f(tf.constant(-2))
    """,
    ("(autograph=False)", ""),
    result=2,
)
advised(
    "truth_without_autograph_by_cond",
    "`tf.cond(x > 0, lambda: ..., lambda: ...)`",
    """
    @tf.function(autograph=False)
    def f(x):
        return x if x > 0 else -x
    result = f(tf.constant(-2))
    """,
    ("x if x > 0 else -x", "tf.cond(x > 0, lambda: x, lambda: -x)"),
    result=2,
)
advised(
    "range_without_autograph",
    "Make `f` without `autograph=False`",
    """
    @tf.function(autograph=False)
    def f(n):
        total = 0
        for i in range(n):
            total += i
        return total
    result = f(tf.constant(4))
    """,
    ("(autograph=False)", ""),
    result=6,
)
advised(
    "truth_in_code_that_is_left_out",
    "write `tf.cond(x > 0, lambda: ..., lambda: ...)`",
    """
    @tf.autograph.experimental.do_not_convert
    def size(x):
        return x if x > 0 else -x
    f = tf.function(lambda x: size(x))
    result = f(tf.constant(-2))
    """,
    ("x if x > 0 else -x", "tf.cond(x > 0, lambda: x, lambda: -x)"),
    result=2,
)
advised(
    "range_in_code_that_is_left_out",
    "Use `tf.map_fn(lambda i: ..., tf.range(n))`",
    """
    @tf.autograph.experimental.do_not_convert
    def squares(n):
        return tf.stack([i * i for i in range(n)])
    f = tf.function(lambda n: squares(n))
    result = f(tf.constant(3))
    """,
    ("tf.stack([i * i for i in range(n)])", "tf.map_fn(lambda i: i * i, tf.range(n))"),
    result=[0, 1, 4],
)
advised(
    "comprehension_over_a_range",
    "`tf.map_fn(lambda i: i * 2, tf.range(n))`",
    """
    @tf.function
    def f(n):
        return tf.stack([i * 2 for i in range(n)])
    result = f(tf.constant(3))
    """,
    ("tf.stack([i * 2 for i in range(n)])", "tf.map_fn(lambda i: i * 2, tf.range(n))"),
    result=[0, 2, 4],
)
advised(
    "comprehension_over_a_tensor",
    "`tf.map_fn(lambda item: item + 1, x)`",
    """
    @tf.function
    def f(x):
        return [item + 1 for item in x]
    result = f(tf.constant([3, 4]))
    """,
    ("[item + 1 for item in x]", "tf.map_fn(lambda item: item + 1, x)"),
    result=[4, 5],
)
advised(
    "unpacking_of_a_tensor",
    "`tf.unstack(x)` where its length is known",
    """
    @tf.function
    def f(x):
        a, b = x
        return a * b
    result = f(tf.constant([3, 4]))
    """,
    ("a, b = x", "a, b = tf.unstack(x)"),
    result=12,
)
advised(
    "items_that_a_loop_adds",
    "give it the same keys and as many items before the loop",
    """
    @tf.function
    def f(n):
        last = (tf.constant(0),)
        for i in tf.range(n):
            last = (i, i * 2)
        return last[-1] + 1
    result = f(tf.constant(3))
    """,
    ("last = (tf.constant(0),)", "last = (tf.constant(0), tf.constant(0))"),
    result=5,
)
advised(
    "recursion_that_a_tensor_ends",
    "Loop, or let a Python value end it",
    """
    @tf.function
    def f(n):
        if n <= 1:
            return 1
        return n * f(n - 1)
    result = f(tf.constant(5))
    """,
    ("f(tf.constant(5))", "f(5)"),
    result=120,
)
advised(
    "batch_jacobian_of_an_unknown_rank",
    "fix it with tf.ensure_shape",
    """
    @tf.function(input_signature=[tf.TensorSpec(None)])
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        return tape.batch_jacobian(y, x)
    result = f(tf.constant([[1.0, 2.0]])).numpy().tolist()
    """,
    ("with tf.Grad", "x = tf.ensure_shape(x, [None, 2])\n    with tf.Grad"),
    result=[[[2.0, 0.0], [0.0, 4.0]]],
)
advised(
    "ngrams_of_an_unknown_rank",
    "Rank of data must be known: fix it with tf.ensure_shape",
    """
    @tf.function(input_signature=[tf.TensorSpec(None, tf.string)])
    def f(x):
        return tf.strings.ngrams(x, 2)
    result = f(tf.constant(["a", "b"])).numpy().tolist()
    """,
    ("ngrams(x, 2)", "ngrams(tf.ensure_shape(x, [None]), 2)"),
    result=[b"a b"],
)
advised(
    "a_tensor_without_a_session",
    "No default session is registered",
    """
    graph = tf.Graph()
    with graph.as_default():
        tensor = tf.constant(3) + 1
    result = int(tensor.eval())
    """,
    ("eval()", "eval(session=tf.compat.v1.Session(graph=graph))"),
    result=4,
)
advised(
    "a_path_without_a_return",
    "Add a `return` to the end of the function",
    """
    @tf.function
    def f(x):
        if x > 0.0:
            return x
    result = f(tf.constant(1.0))
    """,
    ("        return x", "        return x\n    return -x"),
    result=1.0,
)
for name, says, uses, result in (
    ("decided_by_a_constant", "or a check that it passed, so no closure can give another: pass it "
     "as an argument, or use a variable", "x * 10.0 if k.numpy() > 3.0 else x",
     [0.0, 1.0, 2.0, 3.0]),
    ("shapes_of_a_constant", "shapes in the trace follow from the value of",
     "tf.reshape(x, [tf.cast(k, tf.int32), -1])", [[0.0, 1.0], [2.0, 3.0]]),
):  # fmt: skip
    advised(
        name,
        says,
        f"""
        k = tf.constant(4.0)
        c = tf.function(lambda x: {uses}).get_concrete_function(tf.TensorSpec([4]))
        c.replace_capture_with_deferred_capture(k, lambda: tf.constant(2.0), tf.TensorSpec([]))
        result = c(tf.range(4.0))
        """,
        ("tf.constant(4.0)", "tf.Variable(4.0)"),
        (
            "c.replace_capture_with_deferred_capture(k, lambda: tf.constant(2.0), tf.TensorSpec([]))",
            "k.assign(2.0)",
        ),
        *([("k.numpy() > 3.0", "k > 3.0")] if "numpy" in uses else []),
        result=result,
    )
advised(
    "a_small_constant_of_integers",
    "Small tensors of integers, bools and strings are constants of a trace: pass it as an argument",
    """
    k = tf.constant(4)
    c = tf.function(lambda x: x * k).get_concrete_function(tf.TensorSpec([], tf.int32))
    spec = tf.TensorSpec([], tf.int32)
    c.replace_capture_with_deferred_capture(k, lambda: tf.constant(5), spec)
    result = c(tf.constant(3))
    """,
    ("tf.constant(4)", "tf.Variable(4)"),
    ("c.replace_capture_with_deferred_capture(k, lambda: tf.constant(5), spec)", "k.assign(5)"),
    result=15,
)
advised(
    "raise_in_a_branch",
    "Use `tf.debugging.assert_greater`",
    """
    @tf.function
    def f(x):
        if x <= 0:
            raise ValueError("not positive")
        return x
    result = f(tf.constant(2))
    """,
    (
        'if x <= 0:\n        raise ValueError("not positive")',
        'tf.debugging.assert_greater(x, 0, "not positive")',
    ),
    result=2,
)
advised(
    "membership_among_tensors",
    "write `tf.reduce_any(tf.stack(known) == x)`",
    """
    @tf.autograph.experimental.do_not_convert
    def is_among(x, known):
        return x in known
    f = tf.function(lambda x, y: is_among(x, [y, x]))
    result = f(tf.constant(2), tf.constant(3))
    """,
    ("x in known", "tf.reduce_any(tf.stack(known) == x)"),
    result=True,
)
advised(
    "no_membership_among_tensors",
    "write `tf.reduce_all(tf.stack(known) != x)`",
    """
    @tf.autograph.experimental.do_not_convert
    def is_new(x, known):
        return x not in known
    f = tf.function(lambda x, y: is_new(x, [y, x]))
    result = f(tf.constant(2), tf.constant(3))
    """,
    ("x not in known", "tf.reduce_all(tf.stack(known) != x)"),
    result=False,
)
