"""Code is made for processors of any kind: nothing is assumed that LLVM does not say of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import llvmlite.binding as llvm
import pytest

import graphwright as tf
from graphwright.compile.llvm.boundary_code import Boundary
from graphwright.compile.run.inspection import compiler_ir
from graphwright.machine import codegen, large_arrays, targets, thread_pool_code, threads
from graphwright.machine.targets import Target, Vectors
from graphwright.machine.tile_code import CodeTile
from graphwright.ops.convolution.window_code import SlidingCode
from graphwright.ops.signal.transform_code import FourierCode

AVX2 = frozenset({"+avx", "+avx2", "+fma", "+f16c"})
AVX512 = AVX2 | {"+avx512f", "+avx512vl", "+avx512dq", "+avx512bw"}

#: A target, and the vectors that its code may use.
TARGETS = {
    "the first x86-64": (
        Target("x86_64-unknown-linux-gnu", "x86-64", frozenset()),
        Vectors(128, 16, False),
    ),
    "x86-64 with AVX alone": (
        Target("x86_64-unknown-linux-gnu", "x86-64", frozenset({"+avx", "-avx2"})),
        Vectors(128, 16, False),
    ),
    "x86-64 with AVX2": (
        Target("x86_64-unknown-linux-gnu", "x86-64-v3", AVX2),
        Vectors(256, 16, True),
    ),
    "x86-64 with AVX-512": (
        Target("x86_64-unknown-linux-gnu", "x86-64-v4", AVX512),
        Vectors(512, 32, True),
    ),
    "x86-64 under Windows": (
        Target("x86_64-pc-windows-msvc", "x86-64", frozenset()),
        Vectors(128, 16, False),
    ),
    "aarch64": (
        Target("aarch64-unknown-linux-gnu", "generic", frozenset({"+neon"})),
        Vectors(128, 32, True),
    ),
    "a Mac": (
        Target("arm64-apple-darwin", "apple-m1", frozenset({"+neon"})),
        Vectors(128, 32, True),
    ),
}


@pytest.fixture(params=TARGETS)
def target(request: pytest.FixtureRequest) -> Iterator[Target]:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    threads.address()  # what runs here is made for this processor, before
    result, _ = TARGETS[request.param]
    with targets.aimed_at(result):
        yield result


def collatz(n: Any) -> Any:
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


PROGRAMS = {
    "softmax": (lambda x: tf.nn.softmax(x * 2.0), tf.TensorSpec([None, None])),
    "elementary": (
        lambda x: tf.exp(tf.sin(x)) + tf.math.log1p(tf.abs(x)) ** 1.5 + tf.math.erf(x),
        tf.TensorSpec([None], tf.float64),
    ),
    "halves": (lambda x: tf.tanh(x) * x + 1.0, tf.TensorSpec([None], tf.bfloat16)),
    "a sum over rows": (lambda x: tf.reduce_sum(x * x, 0), tf.TensorSpec([None, 7])),
    "integers": (lambda x: x // 3 + x % 7, tf.TensorSpec([None], tf.int32)),
    "a loop": (collatz, tf.TensorSpec([], tf.int64)),
    "casts": (lambda x: tf.cast(tf.cast(x, tf.int32), tf.float64), tf.TensorSpec([None])),
    "small products": (lambda x: tf.tanh(tf.matmul(x, x)), tf.TensorSpec([4, 4])),
}


def kernels() -> dict[str, str]:
    """The texts of all that is not made of a graph."""
    vectors = targets.vectors()
    pause = thread_pool_code.PAUSES.get(targets.target().family, "")
    result = {"pool": thread_pool_code.text(pause, 10, 20, 2), "boundary": Boundary().text()}
    result["large arrays"] = large_arrays.TEXT
    for bits in (32, 64):
        result[f"products of {bits} bits"] = CodeTile(vectors, bits).text()
        result[f"transforms of {bits} bits"] = FourierCode(vectors, bits).text()
        result[f"windows of {bits} bits"] = SlidingCode(vectors, bits).text()
    return result


def compiles(text: str, target: Target) -> None:
    """There is code, and its registers are the target's."""
    if target.family != "x86_64":
        assert len(codegen.generate(text)) > 100
        return
    emitted = codegen.assembly(text)
    assert "ret" in emitted
    if "+avx" not in target.features:
        assert not re.search(r"ymm\d", emitted)
    if "+avx512f" not in target.features:
        assert not re.search(r"zmm\d", emitted)


def test_vectors_are_those_that_the_target_has(
    target: Target, request: pytest.FixtureRequest
) -> None:
    assert targets.vectors() == TARGETS[request.node.callspec.params["target"]][1]


def test_kernels_compile(target: Target) -> None:
    for text in kernels().values():
        compiles(text, target)


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_compile(name: str, target: Target) -> None:
    function, spec = PROGRAMS[name]
    graph = tf.function(function).get_concrete_function(spec).graph
    text = compiler_ir(graph, "llvm")
    assert text.startswith("; segment 0")
    compiles(text, target)


@pytest.mark.usefixtures("usual_tiers")
@pytest.mark.parametrize("processor", ["x86-64-v4", "znver4"])
def test_elements_are_gathered_by_what_is_fast(processor: str) -> None:
    llvm.initialize_all_targets()
    x, i = tf.TensorSpec([None]), tf.TensorSpec([None], tf.int32)
    graph = tf.function(lambda x, i: tf.gather(x, i) * 2.0).get_concrete_function(x, i).graph
    with targets.aimed_at(Target("x86_64-unknown-linux-gnu", processor, AVX512)):
        emitted = codegen.assembly(compiler_ir(graph, "llvm"))
    assert ("vgather" in emitted) == (processor != "znver4")


@pytest.mark.parametrize("processor", ["x86-64-v4", "znver4"])
def test_vectors_are_narrow_where_most_is_loaded_one_by_one(processor: str) -> None:
    vector, matrix = tf.TensorSpec([None]), tf.TensorSpec([None, None])
    indices = tf.TensorSpec([None], tf.int32)
    with targets.aimed_at(Target("x86_64-unknown-linux-gnu", processor, AVX512)):
        for function, x, is_narrow in (
            (lambda x, i: tf.gather(x, i) * 2.0, vector, processor == "znver4"),
            (lambda x, i: tf.exp(tf.gather(x, i)), vector, False),
            (lambda x, i: tf.gather(x, i) * 2.0, matrix, False),  # whole rows
            (lambda x, i: x[::-1], vector, False),
        ):
            graph = tf.function(function).get_concrete_function(x, indices).graph
            text = compiler_ir(graph, "llvm")
            assert ("<4 x float>" in text) == is_narrow
