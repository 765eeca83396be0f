"""Random programs that branch and loop over three small vectors, for tests that compare ways to run
them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

import graphwright as tf

State = tuple[Any, Any, Any]  # three vectors of length 2

UNARY = {
    "sin": tf.sin,
    "tanh": tf.tanh,
    "half": lambda x: x / 2.0,
    "bell": lambda x: tf.exp(-x * x),
    "root": lambda x: tf.sqrt(1.0 + x * x),
    "turned": lambda x: tf.reverse(x, [0]),
    "sums": lambda x: tf.cumsum(x) / 2.0,
    "sorted": tf.sort,
}
# Nothing grows, however often it is repeated: of sin(1e15) differences say nothing.
BINARY = {
    "plus": lambda x, y: (x + y) / 2.0,
    "minus": lambda x, y: (x - y) / 2.0,
    "times": lambda x, y: tf.tanh(x * y),
    "over": lambda x, y: x / (1.0 + y * y),
    "row": lambda x, y: tf.tanh(tf.linalg.matvec(x[:, None] * y[None, :], y)),
    "first": lambda x, y: tf.where([True, False], x, y),
}
PLACE = st.integers(0, 2)


def blocks() -> st.SearchStrategy[Any]:
    """Statements: each names what it does, and the places in the state that it works on."""
    simple = st.one_of(
        st.tuples(st.just("unary"), PLACE, PLACE, st.sampled_from(sorted(UNARY))),
        st.tuples(st.just("binary"), PLACE, PLACE, PLACE, st.sampled_from(sorted(BINARY))),
    )

    def larger(inner: Any) -> Any:
        block = st.lists(inner, min_size=1, max_size=3)
        return st.one_of(
            st.tuples(st.just("branch"), PLACE, block, block),
            st.tuples(st.just("repeat"), st.integers(0, 3), block),
            st.tuples(st.just("until"), PLACE, block),
            st.tuples(st.just("array"), PLACE, st.integers(1, 3), block),
        )

    return st.lists(st.recursive(simple, larger, max_leaves=8), min_size=1, max_size=5)


class Run:
    """One run of a program; eagerly it notes how near a decision was to being another one."""

    def __init__(self) -> None:
        self.margin = 1.0

    def near(self, distance: Any) -> None:
        if isinstance(distance, tf.Tensor) and hasattr(distance, "numpy"):
            self.margin = min(self.margin, abs(float(distance)))

    def block(self, block: Any, state: State) -> State:
        for kind, *rest in block:
            state = getattr(self, kind)(state, *rest)
        return state

    def unary(self, state: State, target: int, source: int, name: str) -> State:
        return put(state, target, UNARY[name](state[source]))

    def binary(self, state: State, target: int, a: int, b: int, name: str) -> State:
        return put(state, target, BINARY[name](state[a], state[b]))

    def branch(self, state: State, place: int, then: Any, otherwise: Any) -> State:
        level = tf.reduce_sum(state[place]) - 0.1
        if tf.executing_eagerly():
            self.near(level)
        sides = [lambda b=b: self.block(b, state) for b in (then, otherwise)]
        return tf.cond(level > 0.0, *sides)

    def repeat(self, state: State, times: int, block: Any) -> State:
        def body(i: Any, *state: Any) -> Any:
            return (i + 1, *self.block(block, state))

        return tf.while_loop(lambda i, *_: i < times, body, (0, *state))[1:]

    def until(self, state: State, place: int, block: Any) -> State:
        """As many iterations as a tensor says."""
        level = 1.5 * tf.abs(tf.reduce_sum(state[place]))
        if tf.executing_eagerly():
            self.near(level - tf.round(level))
        return self.repeat(state, tf.cast(tf.minimum(level, 3.0), tf.int32), block)

    def array(self, state: State, place: int, times: int, block: Any) -> State:
        """What each iteration makes is kept, and added up in the end."""

        def body(i: Any, kept: Any, *state: Any) -> Any:
            state = self.block(block, state)
            return (i + 1, kept.write(i, state[place]), *state)

        kept = tf.TensorArray(tf.float64, times, element_shape=[2])
        _, kept, *after = tf.while_loop(lambda i, *_: i < times, body, (0, kept, *state))
        return put(tuple(after), place, tf.tanh(tf.reduce_sum(kept.stack(), axis=0)))


def put(state: State, place: int, value: Any) -> State:
    """The state with another value in a place."""
    return tuple([value if i == place else old for i, old in enumerate(state)])  # type: ignore
