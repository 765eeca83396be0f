"""Advice about lists that a loop of the graph has changed."""

from __future__ import annotations

from corpora.advice.program import advised

GROWN = """
    @tf.function
    def f(n):
        items = [tf.constant(7)]
        for i in tf.range(n):
            items.append(i)
        {last}
    result = f(tf.constant(2))
    """


def after(name: str, says: str, wrong: str, right: str, result: object) -> None:
    """Adds a program that uses the list after the loop."""
    advised(name, says, GROWN.format(last=wrong), (wrong, right), result=result)


for _name, _says, _asks, _result in (
    ("truth_of_a_list", "Ask for it by `if`", "True if items else False", True),
    ("length_of_a_list", "Call `len`, in a function that AutoGraph converts", "len(items)", 3),
    ("item_in_a_list", "Use it, in a function that AutoGraph converts", "1 in items", True),
):
    advised(
        _name, _says,
        f"""
    @tf.autograph.experimental.do_not_convert
    def ask(items):
        return {_asks}
{GROWN.format(last="return ask(items)")}
    """,
        ("@tf.autograph.experimental.do_not_convert\n", ""), result=_result,
    )  # fmt: skip
after("iteration_over_a_list", "Use a `for` statement, or `tf.stack`",
      "return [i for i in items]", "return tf.stack(items)", [7, 0, 1])  # fmt: skip
after("comparison_of_a_list", "`tf.stack` makes one of the list", "return items == [7, 0, 1]",
      "return tf.stack(items) == [7, 0, 1]", [True, True, True])  # fmt: skip
after("sort_of_a_list", "Use `append`, `extend`, `pop`, `clear`, `copy` and items, or `tf.stack`",
      "items.sort(); return tf.stack(items)", "return tf.sort(tf.stack(items))",
      [0, 1, 7])  # fmt: skip
after("slice_assignment", "Assign its items one by one.", "items[0:1] = [5]; return items[0]",
      "items[0] = 5; return items[0]", 5)  # fmt: skip
advised(
    "list_without_items",
    "Append one before, or begin with one.",
    """
    LISTS = tf.autograph.experimental.Feature.LISTS
    @tf.function(experimental_autograph_options=LISTS)
    def f(n):
        items = []
        for i in tf.range(n):
            i += items[0]
            items.append(i)
        return items
    result = f(tf.constant(2))
    """,
    ("items = []", "items = [tf.constant(7)]"),
    result=[7, 7, 8],
)
advised(
    "object_in_a_list",
    "Keep other objects out",
    """
    LISTS = tf.autograph.experimental.Feature.LISTS
    @tf.function(experimental_autograph_options=LISTS)
    def f(n):
        items = []
        for i in tf.range(n):
            items.append(object())
            items.append(i)
        return items
    result = f(tf.constant(2))
    """,
    ("        items.append(object())\n", ""),
    result=[0, 1],
)
advised(
    "item_of_another_structure",
    "Append an item like the others.",
    """
    @tf.function
    def f(n):
        items = [tf.constant(7)]
        for i in tf.range(n):
            items.append((i, i))
        return items[-1]
    result = f(tf.constant(2))
    """,
    ("append((i, i))", "append(i)"),
    result=1,
)
advised(
    "item_of_another_dtype",
    "`tf.cast(item, tf.int32)`",
    """
    @tf.function
    def f(n):
        items = [tf.constant(7)]
        for i in tf.range(n):
            item = tf.cast(i, tf.float32)
            items.append(item)
        return items[-1]
    result = f(tf.constant(2))
    """,
    ("append(item)", "append(tf.cast(item, tf.int32))"),
    result=1,
)
advised(
    "item_of_another_shape",
    "set_loop_options(shape_invariants=[(items, tf.TensorShape([None]))])",
    """
    @tf.function
    def f(n):
        items = [tf.constant([7])]
        for i in tf.range(n):
            items.append(tf.constant([i, i]))
        return items[-1]
    result = f(tf.constant(3))
    """,
    (
        "        items.append",
        "        tf.autograph.experimental.set_loop_options(shape_invariants="
        "[(items, tf.TensorShape([None]))])\n        items.append",
    ),
    result=[2, 2],
)
advised(
    "stack_of_structures",
    "Keep a list for each tensor.",
    """
    @tf.function
    def f(n):
        items = [(tf.constant(7), tf.constant(8))]
        for i in tf.range(n):
            items.append((i, i))
        return tf.stack(items)
    result = f(tf.constant(2))
    """,
    ("[(tf.constant(7), tf.constant(8))]", "[tf.constant(7)]"),
    ("append((i, i))", "append(i)"),
    result=[7, 0, 1],
)
