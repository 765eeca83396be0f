"""The workloads: each program written for every peer that has a way to say it.

`graphwright` and `tensorflow` share their programs. NumPy stages nothing: it is the floor, the
time of the arithmetic itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from benchmarks import (
    contractions,
    control_flow,
    fusion,
    pipelines,
    saved_models,
    statements,
    training,
)
from benchmarks.eager_ops import Excess
from benchmarks.peers import Program
from benchmarks.whole_programs import table as whole_programs
from benchmarks.workload import (
    Cold,
    Footprint,
    Growth,
    Import,
    Repeated,
    Restart,
    Uncached,
    Workload,
)

Step = Callable[[], object]


def shared(program: Program) -> dict[str, Program]:
    """A program for the two modules that have TensorFlow's API."""
    return {"graphwright": program, "tensorflow": program}


def traced(program: Program) -> dict[str, Program]:
    """One that makes functions of it, which XLA can compile too."""
    return shared(program) | {"tensorflow-xla": program}


def nothing(module: Any) -> Step:
    """Where the import is what is measured."""
    return lambda: None


# W1: the cost of a call.


def add(x: Any, y: Any) -> Any:
    return x + y


def call_tf(tf: Any) -> Step:
    return partial(tf.function(add), tf.constant(1.0), tf.constant(2.0))


def call_jax(jax: Any) -> Step:
    return partial(jax.jit(add), jax.numpy.float32(1.0), jax.numpy.float32(2.0))


def call_torch(torch: Any) -> Step:
    return partial(torch.compile(add), torch.tensor(1.0), torch.tensor(2.0))


def call_numpy(np: Any) -> Step:
    return partial(add, np.float32(1.0), np.float32(2.0))


# W1b: the cost of a call with a structure.


def add_all(tree: Any) -> Any:
    (a, b), c, parts = tree["pair"], tree["one"], tree["parts"]
    d, e, f = parts["list"]
    g, (h, i), j = parts["tuple"]
    return a + b + c + d + e + f + g + h + i + j


def nested(scalar: Callable[[float], Any]) -> Any:
    """Ten scalars in a structure of dicts, lists and tuples."""
    a, b, c, d, e, f, g, h, i, j = map(scalar, range(10))
    return {"pair": (a, b), "one": c, "parts": {"list": [d, e, f], "tuple": (g, (h, i), j)}}


def call_nested_tf(tf: Any) -> Step:
    return partial(tf.function(add_all), nested(partial(tf.constant, dtype=tf.float32)))


def call_nested_jax(jax: Any) -> Step:
    return partial(jax.jit(add_all), nested(jax.numpy.float32))


def call_nested_torch(torch: Any) -> Step:
    return partial(torch.compile(add_all), nested(partial(torch.tensor, dtype=torch.float32)))


def call_nested_numpy(np: Any) -> Step:
    return partial(add_all, nested(np.float32))


# W13a: an op without a graph.


def eager_add_tf(tf: Any) -> Step:
    return partial(add, tf.ones([2, 2]), tf.ones([2, 2]))


def eager_add_jax(jax: Any) -> Step:
    return partial(add, jax.numpy.ones([2, 2]), jax.numpy.ones([2, 2]))


def eager_add_array(module: Any) -> Step:
    return partial(add, module.ones([2, 2]), module.ones([2, 2]))


# W10: tracing, and all else that a first call does.


def unrolled(ops: int) -> Callable[[Any, Any], Any]:
    """A function of `ops` ops in a row."""

    def chain(x: Any, y: Any) -> Any:
        for _ in range(ops // 2):
            x = x * y + y
        return x

    return chain


def trace_tf(ops: int, tf: Any) -> Step:
    tf.function(unrolled(2))(tf.constant(0.5), tf.constant(0.5))  # what is slow only once, ever
    return partial(tf.function(unrolled(ops)), tf.constant(0.5), tf.constant(0.5))


def trace_jax(ops: int, jax: Any) -> Step:
    half = jax.numpy.float32(0.5)
    jax.jit(unrolled(2))(half, half)
    compiled = jax.jit(unrolled(ops))
    return lambda: compiled(half, half).block_until_ready()


def trace_torch(ops: int, torch: Any) -> Step:
    half = torch.tensor(0.5)
    torch.compile(unrolled(2))(half, half)
    return partial(torch.compile(unrolled(ops)), half, half)


def first_tf(ops: int, tf: Any) -> Step:
    return partial(tf.function(unrolled(ops)), tf.constant(0.5), tf.constant(0.5))


def first_jax(ops: int, jax: Any) -> Step:
    half, compiled = jax.numpy.float32(0.5), jax.jit(unrolled(ops))
    return lambda: compiled(half, half).block_until_ready()


def first_call(ops: int) -> Cold:
    """The very first call of a process."""
    makers = {"graphwright": first_tf, "tensorflow": first_tf, "jax": first_jax}
    programs: dict[str, Program] = {peer: partial(make, ops) for peer, make in makers.items()}
    return Cold(f"U_{ops}", f"first call of all, of {ops:,} ops in a row", "ms", None, programs)


def tracing(ops: int, goal: float, peers: Mapping[str, Callable[[int, Any], Step]]) -> Cold:
    programs: dict[str, Program] = {peer: partial(trace, ops) for peer, trace in peers.items()}
    title = f"first call of {ops:,} ops in a row, an op"
    return Cold(f"W10_{ops}", title, "µs", goal, programs, parts=ops)


# W9a: one function, 64 lengths.

LENGTHS = range(1, 65)


def lengths(function: Callable[[Any], Any], vector: Callable[[int], Any]) -> Step:
    vectors = [vector(n) for n in LENGTHS]
    return lambda: [function(x) for x in vectors]


def spread_tf(tf: Any) -> Callable[[Any], Any]:
    def spread(x: Any) -> Any:
        centred = x - tf.reduce_mean(x)
        return tf.sqrt(tf.reduce_mean(centred * centred)) + tf.reduce_max(tf.tanh(centred))

    return spread


def lengths_tf(tf: Any) -> Step:
    return lengths(tf.function(spread_tf(tf)), lambda n: tf.ones([n]))


# W9n: one round of them, until all are native.


def native_lengths(tf: Any) -> Step:
    from graphwright.machine import background

    function = tf.function(spread_tf(tf))
    vectors = [tf.ones([n]) for n in LENGTHS]

    def check() -> None:
        tiers = [function.get_concrete_function(x).tier for x in vectors]
        assert set(tiers) == {"native"}, tiers

    def calls() -> Callable[[], None]:
        for x in vectors:
            function(x)
        background.wait_for(lambda: False)
        return check

    return calls


# P2: until a program runs natively, a second time.

TIMES = 4  # calls after which any trace is compiled


def until_native(tf: Any) -> Step:
    """Fusion, a loop, a branch, a step of training; each often enough to be compiled."""
    from graphwright.machine import background

    steps = [
        lengths_tf(tf),
        control_flow.collatz(tf),
        control_flow.tanh_loop(tf),
        training.train_tf(
            training.perceptron_tf, training.perceptron_weights, training.BATCH, training.LAYERS[0]
        )(tf),
    ]

    def run() -> None:
        for _ in range(TIMES):
            for step in steps:
                step()
        background.wait()

    return run


# C: compiling a long function.


def mixed(ops: int, tanh: Any, mean: Any, maximum: Any) -> Callable[[Any], Any]:
    """A function of `ops` ops in a row, of several kinds: six a turn."""

    def chain(x: Any) -> Any:
        y = x
        for _ in range(ops // 6):
            y = tanh(y * 0.9 + x)
            y = maximum(y - mean(y), -0.5)
        return y

    return chain


def call_until_native(function: Any, x: Any) -> None:
    """Calls a function without a pause, until its trace is machine code."""
    concrete = function.get_concrete_function(x)
    while concrete.tier != "native":
        function(x)


def compile_tf(ops: int, tf: Any) -> Step:
    """Calls until they are machine code."""
    chain = tf.function(mixed(ops, tf.tanh, tf.reduce_mean, tf.maximum))
    return partial(call_until_native, chain, tf.ones([64]))


def compile_jax(ops: int, jax: Any) -> Step:
    jnp = jax.numpy
    compiled, x = jax.jit(mixed(ops, jnp.tanh, jnp.mean, jnp.maximum)), jnp.ones([64])
    return lambda: compiled(x).block_until_ready()


def compiled_whole(ops: int, goal: float) -> Uncached:
    """The first call of a process and the next ones, until a long function is machine code."""
    makers = {"graphwright": compile_tf, "jax": compile_jax}
    programs: dict[str, Program] = {peer: partial(make, ops) for peer, make in makers.items()}
    title = f"until {ops:,} ops in a row are native, nothing in the cache"
    return Uncached(f"C_{ops}", title, "ms", goal, programs)


def lengths_jax(jax: Any) -> Step:
    jnp = jax.numpy

    def spread(x: Any) -> Any:
        centred = x - jnp.mean(x)
        return jnp.sqrt(jnp.mean(centred * centred)) + jnp.max(jnp.tanh(centred))

    compiled = jax.jit(spread)
    return lengths(lambda x: compiled(x).block_until_ready(), jnp.ones)


def lengths_torch(torch: Any) -> Step:
    def spread(x: Any) -> Any:
        centred = x - x.mean()
        return (centred * centred).mean().sqrt() + centred.tanh().max()

    return lengths(torch.compile(spread), torch.ones)


def lengths_numpy(np: Any) -> Step:
    def spread(x: Any) -> Any:
        centred = x - np.mean(x)
        return np.sqrt(np.mean(centred * centred)) + np.max(np.tanh(centred))

    return lengths(spread, lambda n: np.ones(n, np.float32))


# Memory that may not grow.


def many_calls(tf: Any) -> Step:
    traced, x, y = tf.function(add), tf.constant(1.0), tf.constant(2.0)

    def calls() -> None:
        for _ in range(1_000_000):
            traced(x, y)

    return calls


def many_traces(tf: Any) -> Step:
    x, y = tf.constant(1.0), tf.constant(2.0)

    def traces() -> None:
        for _ in range(10_000):
            tf.function(lambda x, y: x + y)(x, y)

    return traces


LIBRARIES = ("graphwright", "tensorflow", "jax", "torch", "numpy")

TRACERS: dict[str, Callable[[int, Any], Step]] = {
    "graphwright": trace_tf,
    "tensorflow": trace_tf,
    "jax": trace_jax,
    "torch-compile": trace_torch,
}
# The compilers of the others need a minute or more for 10,000 ops.
PATIENT = {peer: TRACERS[peer] for peer in ("graphwright", "tensorflow")}

TABLE: tuple[Workload, ...] = (
    Repeated(
        "W1",
        "a call of a traced x + y, two scalars",
        "µs",
        4.0,
        traced(call_tf) | {"jax": call_jax, "torch-compile": call_torch, "numpy": call_numpy},
    ),
    Repeated(
        "W1b",
        "the same with ten scalars in a structure",
        "µs",
        12.0,
        traced(call_nested_tf)
        | {
            "jax": call_nested_jax,
            "torch-compile": call_nested_torch,
            "numpy": call_nested_numpy,
        },
    ),
    Repeated(
        "W13a",
        "an eager x + y, 2x2",
        "µs",
        1.8,
        shared(eager_add_tf)
        | {"jax": eager_add_jax, "torch": eager_add_array, "numpy": eager_add_array},
    ),
    Excess(
        "W13b",
        "what an eager op takes longer than NumPy's call, median of 56",
        "µs",
        1.3,
        shared(nothing),
    ),
    tracing(100, 60.0, TRACERS),
    tracing(1_000, 60.0, TRACERS),
    tracing(10_000, 60.0, PATIENT),
    Cold(
        "W9a",
        "64 lengths through one function, from cold",
        "ms",
        60.0,
        traced(lengths_tf)
        | {"jax": lengths_jax, "torch-compile": lengths_torch, "numpy": lengths_numpy},
    ),
    Restart(
        "W9n",
        "64 lengths through one function, from cold, all native at the end",
        "ms",
        None,
        traced(lengths_tf) | {"graphwright": native_lengths, "jax": lengths_jax},
    ),
    Uncached(
        "W9e",
        "the same with nothing in the cache",
        "ms",
        None,
        traced(lengths_tf) | {"graphwright": native_lengths, "jax": lengths_jax},
    ),
    Restart(
        "P2",
        "until a program runs natively, in its second process and in its first",
        "ms",
        None,
        {"graphwright": until_native, "graphwright-cold": until_native},
    ),
    first_call(100),
    first_call(1_000),
    first_call(5_000),
    compiled_whole(1_000, 600.0),
    compiled_whole(5_000, 3_000.0),
    Import("W12", "import", "ms", 300.0, dict.fromkeys(LIBRARIES, nothing)),
    Footprint(
        "W12m",
        "memory of the import above NumPy's",
        "MiB",
        60.0,
        dict.fromkeys(LIBRARIES[:-1], nothing),
    ),
    *control_flow.TABLE,
    *statements.TABLE,
    *fusion.TABLE,
    *contractions.TABLE,
    *training.TABLE,
    *pipelines.TABLE,
    *saved_models.TABLE,
    *whole_programs.TABLE,
    Growth("M1", "memory that 1,000,000 calls leave", "MiB", 1.0, {"graphwright": many_calls}),
    Growth(
        "M2", "memory that 10,000 dropped traces leave", "MiB", 1.0, {"graphwright": many_traces}
    ),
)

WORKLOADS = {workload.name: workload for workload in TABLE}
