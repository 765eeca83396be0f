# ruff: noqa - the programs are written as users write them
"""Programs on tensors whose outcome, a value or an error, TensorFlow has recorded.

`tools/record_autograph_goldens.py` runs them with TensorFlow, `test_goldens.py` here.
"""

from __future__ import annotations

from typing import Any


def programs(tf: Any) -> list[tuple[Any, tuple[Any, ...]]]:
    """Each program and the arguments to make tensors of."""
    found = []
    state = tf.Variable(0)

    def on(*arguments):
        return lambda function: found.append((function, arguments))

    @on(1)
    def undefined_else(x):
        if x > 0:
            y = x
        return y

    @on(1)
    def undefined_main(x):
        if x > 0:
            pass
        else:
            y = x
        return y

    @on(1)
    def none_else(x):
        y = None
        if x > 0:
            y = x
        return y

    @on(1)
    def return_one(x):
        if x > 0:
            return x

    @on(1)
    def return_none_other(x):
        if x > 0:
            return x
        return None

    @on(1)
    def dtype_if(x):
        if x > 0:
            y = 1
        else:
            y = 2.0
        return y

    @on(1)
    def shape_if(x):
        if x > 0:
            y = tf.zeros([2])
        else:
            y = tf.zeros([3])
        return y

    @on(1)
    def struct_if(x):
        if x > 0:
            y = (1, 2)
        else:
            y = (1,)
        return y

    @on(1)
    def struct_if2(x):
        if x > 0:
            y = (1, 2)
        else:
            y = [1, 2]
        return y

    @on([1.0, 2.0])
    def dtype_loop(x):
        s = 0
        for v in x:
            s += v
        return s

    @on([1.0, 2.0])
    def dtype_loop2(x):
        s = 0
        i = tf.constant(0)
        while i < 2:
            s = 1.5
            i += 1
        return s

    @on([1.0, 2.0])
    def shape_loop(x):
        i = tf.constant(0)
        while i < 2:
            x = tf.concat([x, x], 0)
            i += 1
        return x

    @on([1.0, 2.0])
    def none_loop(x):
        y = None
        for v in x:
            y = v
        return y

    @on([1.0, 2.0])
    def undef_loop(x):
        for v in x:
            y = v
        return y

    @on([])
    def undef_loop0(x):
        for v in x:
            y = v
        return y

    @on([])
    def return_loop0(x):
        for v in x:
            return v
        return tf.constant(7.0)

    @on([0.0, 0.0])
    def return_loop1(x):
        for v in x:
            if v > 0:
                return v

    @on([0.0, 0.0])
    def struct_loop(x):
        y = (1,)
        for v in x:
            y = (1, 2)
        return y

    @on([0.0, 0.0])
    def obj_loop(x):
        y = object()
        for v in x:
            y = object()
        return y

    @on([0.0, 0.0])
    def str_loop(x):
        y = "a"
        for v in x:
            y = "b"
        return y

    @on(3)
    def while_true(x):
        while True:
            x -= 1
            if x < 0:
                break
        return x

    @on(3)
    def py_for_break(x):
        for i in range(3):
            if x < 0:
                break
            x -= 1
        return x

    @on(3)
    def py_for_return(x):
        for i in range(3):
            if x < 0:
                return x
            x -= 1
        return x

    @on([3, 4])
    def setitem(x):
        x[0] = 5
        return x

    @on([3, 4])
    def contains(x):
        return 3 in x

    @on(3)
    def contains2(x):
        return x in [1, 2, 3]

    @on(3)
    def chained(x):
        return 1 < x < 5

    @on(3)
    def andor(x):
        return x and 5

    @on(3)
    def andor2(x):
        return x > 1 and 5

    @on(3)
    def notint(x):
        return not x

    @on(3)
    def ifint(x):
        if x:
            return 1
        else:
            return 2

    @on(3)
    def whileint(x):
        while x:
            x -= 1
        return x

    @on([True, False])
    def ifvec(x):
        if x:
            return 1
        else:
            return 2

    @on([3, 4])
    def builtins1(x):
        return len(x), abs(x), int(x[0]), float(x[0])

    @on([3, 4])
    def b_min(x):
        return min(x), max(x)

    @on([3, 4])
    def b_min2(x):
        return min(x[0], x[1])

    @on([3, 4])
    def b_sum(x):
        return sum(x)

    @on([3, 4])
    def b_sorted(x):
        return sorted(x)

    @on([3, 4])
    def b_sortedr(x):
        return sorted(x, reverse=True)

    @on([3, 4])
    def b_any(x):
        return any(x > 3)

    @on([3, 4])
    def b_all(x):
        return all(x > 3)

    @on([3, 4])
    def b_enum(x):
        s = 0
        for i, v in enumerate(x):
            s += i * v
        return s

    @on([3, 4])
    def b_zip(x):
        s = 0
        for i, v in zip(x, x):
            s += i * v
        return s

    @on([3, 4])
    def b_map(x):
        s = 0
        for v in map(lambda t: t + 1, x):
            s += v
        return s

    @on([3, 4])
    def b_filter(x):
        s = 0
        for v in filter(lambda t: t > 3, x):
            s += v
        return s

    @on([3, 4])
    def b_next(x):
        return next(iter(x))

    @on([3, 4])
    def b_bool(x):
        return bool(x[0])

    @on(3)
    def b_range(x):
        s = 0
        for i in range(x):
            s += i
        return s

    @on(3)
    def b_range2(x):
        return range(x)

    @on([1, 2, 3])
    def comp(x):
        return [v + 1 for v in x]

    @on(3)
    def assert_(x):
        assert x < 0, "neg"
        return x

    @on(3)
    def raise_(x):
        if x < 0:
            raise ValueError("neg")
        return x

    @on(3)
    def aug_attr(x):
        class A:
            pass

        a = A()
        a.n = 0
        while x > 0:
            a.n += x
            x -= 1
        return a.n

    @on(3)
    def dict_item(x):
        d = {}
        if x > 0:
            d["k"] = x
        else:
            d["k"] = -x
        return d["k"]

    @on(3)
    def list_item(x):
        d = [0, 0]
        while x > 0:
            d[0] += x
            x -= 1
        return d[0]

    @on(3)
    def list_assign(x):
        d = [0, 0]
        while x > 0:
            d = [d[0] + x, d[1] + 1]
            x -= 1
        return d

    @on(3)
    def walrus(x):
        if (y := x + 1) > 2 and y < 9:
            return y
        return x

    @on(3)
    def else_attr(x):
        class A:
            pass

        a = A()
        if x > 0:
            a.n = x
        return a.n

    @on(3)
    def cond_py_same(x):
        if x > 0:
            n = 1
        else:
            n = 1
        return n

    @on(3)
    def del_(x):
        y = x
        if x > 0:
            del y
        return x

    @on(3)
    def use_after_del(x):
        y = x
        if x > 0:
            del y
        return y

    @on(3)
    def break_while(x):
        i = 0
        while x > 0:
            x -= 1
            if x == 1:
                break
            i += 1
        else:
            i = -1
        return i

    @on(3)
    def return_python_number(x):
        if x > 0:
            return 1
        return 2

    @on(3)
    def loop_invariant_shapes(n):
        x = tf.constant([1])
        for _ in tf.range(n):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(x, tf.TensorShape([None]))]
            )
            x = tf.concat([x, x], 0)
        return x

    @on(5)
    def loop_maximum_iterations(n):
        i = tf.constant(0)
        while i < n:
            tf.autograph.experimental.set_loop_options(maximum_iterations=3)
            i += 1
        return i

    @on(3)
    def tensor_array(n):
        squares = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        for i in tf.range(n):
            squares = squares.write(i, i * i)
        return squares.stack()

    @on(3)
    def tensor_array_in_if(n):
        values = tf.TensorArray(tf.int32, size=2)
        values = values.write(0, n)
        if n > 2:
            values = values.write(1, 7)
        else:
            values = values.write(1, 8)
        return values.stack()

    @on(3)
    def map_structure(x):
        return tf.nest.map_structure(positive_part, {"a": x, "b": [-x]})

    @on([1, 2])
    def list_leak(x):
        result = []
        for item in x:
            result.append(item * item)
        return tf.stack(result)

    @on(3)
    def variable_in_branch(x):
        if x > 0:
            state.assign_add(x)
        else:
            state.assign_sub(x)
        return state + 0

    @on(3)
    def variable_in_loop(x):
        for i in tf.range(x):
            state.assign(i)
            if i == 1:
                break
        return state + 0

    @on(3)
    def variable_condition(x):
        while state < x:
            state.assign_add(1)
        return state + 0

    @on([1.0, 2.0, 3.0])
    def range_of_floats(x):
        total = 0.0
        for v in tf.range(0.0, 1.0, 0.25):
            total += v
        return total

    @on(-2)
    def range_of_negative_delta(d):
        total = 0
        for v in tf.range(9, 0, d):
            total = total * 10 + v
        return total

    @on(3)
    def dict_state(x):
        state = {"a": x, "b": (x, [x])}
        while x > 0:
            state = {"a": state["a"] + 1, "b": (x, [state["a"]])}
            x -= 1
        return state["a"], state["b"][1][0]

    @on(3)
    def none_to_tensor_in_while(x):
        y = None
        while x > 0:
            y = x
            x -= 1
        return y

    @on(3)
    def function_argument(x):
        return tf.cond(x > 0, positive, lambda: x)

    def positive_part(v):
        if v < 0:
            return v * 0
        return v

    def positive():
        y = tf.constant(5)
        if y > 2:
            return y
        return y + 1

    return found


def plain(value: Any) -> Any:
    return value.decode() if isinstance(value, bytes) else value.tolist()


def outcome(function: Any, arguments: tuple[Any, ...], tf: Any) -> Any:
    """What the traced program returns as lists, or the class and the text of its error.

    Of a long text there is nothing: it would be another project's.
    """
    try:
        result = tf.function(function)(*[tf.constant(argument) for argument in arguments])
    except Exception as error:
        lines = [line for line in str(error).splitlines() if line.strip()] or [""]
        text = lines[-1].strip().removeprefix(f"{type(error).__name__}: ")
        return {"error": type(error).__name__, "text": text if len(text) < 90 else ""}
    return values(result, tf)


def values(result: Any, tf: Any) -> list[Any]:
    """The leaves of a result as Python values."""
    return [plain(item.numpy()) for item in tf.nest.flatten(result) if item is not None]
