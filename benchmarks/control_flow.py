"""Workloads of AutoGraph: programs that branch and loop on tensors, traced and run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.peers import Program, every_way
from benchmarks.workload import Cold, Repeated, Workload

Step = Callable[[], object]


def tanh_loop(tf: Any) -> Step:
    """The guide's loop: tanh until the sum is small, some twenty iterations here."""

    @tf.function
    def shrink(x: Any) -> Any:
        while tf.reduce_sum(x) > 0.5:
            x = tf.tanh(x)
        return x

    x = tf.ones([3])
    return lambda: shrink(x)


def collatz(tf: Any) -> Step:
    """Two nested whiles and a branch: the steps of the numbers to 30, 441 iterations in all."""

    @tf.function
    def all_steps(limit: Any) -> Any:
        steps = 0
        start = 1
        while start <= limit:
            n = start
            while n != 1:
                if n % 2 == 0:
                    n //= 2
                else:
                    n = 3 * n + 1
                steps += 1
            start += 1
        return steps

    limit = tf.constant(30)
    return lambda: all_steps(limit)


def dynamic_rnn(tf: Any) -> Step:
    """The guide's recurrence over a TensorArray, 100 steps."""

    @tf.function
    def unroll(inputs: Any, state: Any) -> Any:
        inputs = tf.transpose(inputs, [1, 0, 2])
        length = inputs.shape[0]
        states = tf.TensorArray(tf.float32, size=length)
        for i in tf.range(length):
            state = inputs[i] + state
            states = states.write(i, state)
        return tf.transpose(states.stack(), [1, 0, 2])

    inputs, state = tf.ones([2, 100, 4]), tf.zeros([2, 4])
    return lambda: unroll(inputs, state)


def dynamic_rnn_jax(jax: Any) -> Step:
    jnp = jax.numpy

    def cell(state: Any, row: Any) -> Any:
        state = row + state
        return state, state

    @jax.jit
    def unroll(inputs: Any, state: Any) -> Any:
        states = jax.lax.scan(cell, state, jnp.transpose(inputs, (1, 0, 2)))[1]
        return jnp.transpose(states, (1, 0, 2))

    inputs, state = jnp.ones([2, 100, 4]), jnp.zeros([2, 4])
    return lambda: unroll(inputs, state).block_until_ready()


def dynamic_rnn_torch(torch: Any) -> Step:
    inputs, start = torch.ones(2, 100, 4), torch.zeros(2, 4)

    def unroll() -> Any:
        state, states = start, []
        for row in inputs.unbind(1):
            state = row + state
            states.append(state)
        return torch.stack(states, 1)

    return unroll


def both(program: Program) -> dict[str, Program]:
    return {"graphwright": program, "tensorflow": program}


PROGRAMS: dict[str, tuple[str, Program]] = {
    "tanh": ("the guide's tanh loop", tanh_loop),
    "collatz": ("Collatz in nested whiles", collatz),
    "rnn": ("dynamic_rnn, 100 steps", dynamic_rnn),
}

#: The same call for those who write it otherwise.
OTHERS: dict[str, dict[str, Program]] = {
    "rnn": {"jax": dynamic_rnn_jax, "torch": dynamic_rnn_torch},
}

TABLE: tuple[Workload, ...] = (
    *(
        Cold(f"A_{name}_trace", f"{title}: convert, trace and run once", "ms", None, both(program))
        for name, (title, program) in PROGRAMS.items()
    ),
    *(
        Repeated(
            f"A_{name}",
            f"{title}: a call",
            "µs",
            None,
            every_way(both(program) | OTHERS.get(name, {})),
        )
        for name, (title, program) in PROGRAMS.items()
    ),
)
