"""A library computes what the traced functions compute, and says in words what it cannot."""

from __future__ import annotations

import ctypes
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ziglang")

from support.library_calls import LibraryError, LoadedLibrary
from support.library_models import MODELS, LibraryModel, traced
from support.saved_models import unpacked

import graphwright as tf
from graphwright.__main__ import main


@pytest.fixture(scope="module")
def models() -> dict[str, LibraryModel]:
    return {name: make() for name, make in MODELS.items()}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, models: dict[str, LibraryModel]) -> Path:
    path = tmp_path_factory.mktemp("library") / "models.so"
    tf.compile_library({name: model.concrete for name, model in models.items()}, path)
    return path


def expected(concrete: Any, call: list[Any]) -> list[Any]:
    """The results of a trace, as arrays."""
    return [x.numpy() for x in tf.nest.flatten(concrete(*map(tf.constant, call)))]


def compiled(path: Path, function: Any, *specs: tf.TensorSpec, **options: Any) -> Any:
    """The function `run` of a library that has this one, and its trace."""
    concrete = traced(function, *specs)
    tf.compile_library(concrete, path, **options)
    loaded = LoadedLibrary(path)
    return (lambda *arrays: loaded.call("run", *arrays)), concrete


@pytest.mark.parametrize("name", MODELS)
def test_a_model_computes_the_same(
    name: str, library: Path, models: dict[str, LibraryModel]
) -> None:
    loaded, model = LoadedLibrary(library), models[name]
    for call in model.calls:
        for result, value in zip(
            loaded.call(name, *call), expected(model.concrete, call), strict=True
        ):
            assert result.shape == value.shape
            np.testing.assert_allclose(result, value, rtol=2e-5, atol=2e-5)


def test_without_products_results_have_the_same_bits(tmp_path: Path) -> None:
    def f(x: Any, i: Any) -> Any:
        y = tf.math.erf(x) + tf.math.cumsum(x, 1) * tf.sin(x)
        total = tf.reduce_sum(y, 0, keepdims=True) / tf.reduce_max(tf.abs(x))
        return y - total, tf.gather(x, i, axis=1), tf.cast(y, tf.float16), y > total

    call, concrete = compiled(
        tmp_path / "bits.so", f, tf.TensorSpec([None, None]), tf.TensorSpec([None], tf.int32)
    )
    rng = np.random.default_rng(3)
    for rows, columns in ((1, 1), (3, 5), (40, 33), (700, 900)):
        x = rng.normal(size=(rows, columns)).astype(np.float32)
        i = rng.integers(0, columns, 4, np.int32)
        for result, value in zip(call(x, i), expected(concrete, [x, i]), strict=True):
            assert result.dtype == value.dtype
            assert result.tobytes() == value.tobytes()


def test_what_needs_no_work_is_copied(tmp_path: Path) -> None:
    def f(x: Any, n: Any) -> Any:
        y = x * 2.0
        return x, y, y, tf.reshape(y, [-1]), tf.constant([1, 2]), n, tf.shape(x), tf.size(x)

    call, concrete = compiled(
        tmp_path / "copies.so", f, tf.TensorSpec([None, 3]), tf.TensorSpec([], tf.int64)
    )
    arrays = [np.ones((2, 3), np.float32), np.array(7)]
    for result, value in zip(call(*arrays), expected(concrete, arrays), strict=True):
        assert result.dtype == value.dtype
        np.testing.assert_array_equal(result, value)


def test_a_size_may_show_only_in_a_run(tmp_path: Path) -> None:
    def doubled(x: Any) -> Any:
        values = tf.TensorArray(tf.float32, 0, dynamic_size=True)
        count = 0
        while tf.reduce_sum(x) < 100.0:
            x = x * 2.0
            values = values.write(count, x)
            count += 1
        all_values = values.stack()
        return tf.reduce_sum(all_values * 2.0, 0), tf.shape(all_values), all_values

    call, concrete = compiled(tmp_path / "late.so", doubled, tf.TensorSpec([4]))
    for start in (0.1, 3.0, 20.0):
        x = np.full(4, start, np.float32)
        for result, value in zip(call(x), expected(concrete, [x]), strict=True):
            np.testing.assert_array_equal(result, value)


def test_refusals_have_codes_and_words(tmp_path: Path) -> None:
    def f(x: Any, i: Any) -> Any:
        return tf.gather(x, i) + 1 // i

    call, _ = compiled(
        tmp_path / "refusals.so", f, tf.TensorSpec([None], tf.int32), tf.TensorSpec([], tf.int32)
    )
    x = np.arange(5, dtype=np.int32)
    assert call(x, np.int32(2))[0] == 2
    for i, code, words in ((5, 2, "out of range"), (0, 2, "a divisor of 0")):
        with pytest.raises(LibraryError, match=words) as caught:
            call(x, np.int32(i))
        assert caught.value.code == code


def test_sizes_are_checked(tmp_path: Path) -> None:
    call, _ = compiled(
        tmp_path / "sizes.so",
        lambda x, y: x * y,
        tf.TensorSpec([None, 3]),
        tf.TensorSpec([None, None]),
    )
    ones = np.ones((2, 3), np.float32)
    assert call(ones, ones)[0].shape == (2, 3)
    for x, y in ((np.ones((2, 4)), ones), (ones, np.ones((4, 3))), (ones, np.ones((2, 5)))):
        with pytest.raises(LibraryError, match="sizes") as caught:
            call(x, y)
        assert caught.value.code == 1


def test_all_that_has_no_native_form_is_named_at_once(tmp_path: Path) -> None:
    counter = tf.Variable(1.0)

    def f(x: Any, names: Any) -> Any:
        counter.assign_add(1.0)
        tf.strings.length(names)
        return tf.sort(x), tf.boolean_mask(x, x > counter), tf.strings.length(names)

    concrete = traced(f, tf.TensorSpec([3, 300]), tf.TensorSpec([None], tf.string))
    with pytest.raises(ValueError, match="cannot be a library") as caught:
        tf.compile_library(concrete, tmp_path / "none.so")
    words = str(caught.value)
    for part in ("AssignAddVariableOp", "TopKV2", "Where", "StringLength", "names"):
        assert part in words
    assert f'File "{__file__}", line' in words
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("functions", "words"),
    [
        ({"free": tf.function(lambda x: x, input_signature=[tf.TensorSpec([])])}, "'free'"),
        ({"a b": tf.function(lambda x: x, input_signature=[tf.TensorSpec([])])}, "'a b'"),
        (tf.function(lambda x: x), "input_signature"),
    ],
    ids=["a reserved name", "no name", "no trace"],
)
def test_only_traces_with_names_become_libraries(
    functions: Any, words: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=words):
        tf.compile_library(functions, tmp_path / "x.so")


def test_an_unknown_target_or_processor_is_named(tmp_path: Path) -> None:
    f = tf.function(lambda x: x, input_signature=[tf.TensorSpec([])])
    with pytest.raises(ValueError, match=r"'z80'.*aarch64-linux-gnu"):
        tf.compile_library(f, tmp_path / "x.so", target="z80")
    with pytest.raises(ValueError, match=r"'i386'.*x86-64-v3"):
        tf.compile_library(f, tmp_path / "x.so", target="x86_64-linux-gnu", processor="i386")


@pytest.mark.parametrize("processor", ["x86-64", "x86-64-v3"])
def test_code_for_other_processors_computes_the_same(processor: str, tmp_path: Path) -> None:
    call, concrete = compiled(
        tmp_path / "other.so",
        lambda x: tf.exp(x) @ tf.transpose(x),
        tf.TensorSpec([None, None], tf.float64),
        target="x86_64-linux-gnu",
        processor=processor,
    )
    x = np.random.default_rng(1).normal(size=(9, 21))
    np.testing.assert_allclose(call(x)[0], expected(concrete, [x])[0], rtol=1e-12)


def test_weights_lie_beside_the_library(tmp_path: Path) -> None:
    kernel = tf.Variable(np.arange(6.0, dtype=np.float32).reshape(2, 3))
    call, _ = compiled(
        tmp_path / "beside.so", lambda x: x * kernel, tf.TensorSpec([2, 3]), weights="beside"
    )
    ones = np.ones((2, 3), np.float32)
    with pytest.raises(LibraryError, match="not loaded") as caught:
        call(ones)
    assert caught.value.code == 4
    load = ctypes.CDLL(str(tmp_path / "beside.so")).beside_load
    load.argtypes = [ctypes.c_char_p]
    weights = tmp_path / "beside.weights"
    damaged = tmp_path / "damaged"
    damaged.write_bytes(b"x" + weights.read_bytes()[1:])
    (tmp_path / "short").write_bytes(weights.read_bytes()[:-1])
    for name in ("damaged", "short", "missing"):
        assert load(str(tmp_path / name).encode()) == 4
    assert load(str(weights).encode()) == 0
    np.testing.assert_array_equal(call(ones)[0], kernel.numpy())


def test_equal_weights_are_there_once(tmp_path: Path) -> None:
    size = 1 << 16
    first, second = [tf.Variable(np.arange(size, dtype=np.float32)) for _ in range(2)]
    f = traced(lambda x: x * first + tf.sin(x) * second, tf.TensorSpec([size]))
    tf.compile_library(f, tmp_path / "once.so")
    assert 4 * size < (tmp_path / "once.so").stat().st_size < 4 * size + 40_000


def test_the_caller_may_share_work_between_threads(tmp_path: Path) -> None:
    path = tmp_path / "shared.so"
    call, _ = compiled(path, lambda x: tf.reduce_sum(tf.exp(x)), tf.TensorSpec([None]))
    x = np.random.default_rng(5).normal(size=1 << 19).astype(np.float32)
    alone = call(x)[0]
    body_type = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)
    for_each_type = ctypes.CFUNCTYPE(None, body_type, ctypes.c_void_p, ctypes.c_int64)
    threads = set()

    def block(body: Any, context: int, i: int) -> None:
        threads.add(threading.get_ident())
        body(context, i)

    @for_each_type
    def for_each(body: Any, context: int, count: int) -> None:
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda i: block(body, context, i), range(count)))

    share = ctypes.CDLL(str(path)).shared_share
    share(for_each)
    assert call(x)[0].tobytes() == alone.tobytes()
    assert threads
    assert threading.get_ident() not in threads
    threads.clear()
    share(None)
    assert call(x)[0].tobytes() == alone.tobytes()
    assert not threads


def test_one_needs_only_a_compiler_and_the_header(tmp_path: Path, library: Path) -> None:
    symbols = subprocess.run(
        ["nm", "-D", "--undefined-only", library], capture_output=True, text=True, check=True
    )
    needed = {line.split()[-1] for line in symbols.stdout.splitlines()}
    assert needed <= {"calloc", "free", "malloc", "memcpy", "memmove", "memset", "realloc"}


class Line(tf.Module):
    """A model with a signature, and a function that is none."""

    def __init__(self) -> None:
        super().__init__()
        self.slope = tf.Variable(2.0)

    @tf.function(input_signature=[tf.TensorSpec([None], name="x")])
    def predict(self, x: Any) -> Any:
        return {"y": self.slope * x + 1.0}

    @tf.function(input_signature=[tf.TensorSpec([])])
    def root(self, y: Any) -> Any:
        return (y - 1.0) / self.slope


def test_a_saved_model_is_compiled_by_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = Line()
    tf.saved_model.save(model, tmp_path / "line", signatures=model.predict)
    output = tmp_path / "line.so"
    assert main(["compile", str(tmp_path / "line"), "-o", str(output)]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in shown] == [str(output), str(tmp_path / "line.h")]
    x = np.arange(3, dtype=np.float32)
    np.testing.assert_array_equal(LoadedLibrary(output).call("run", x)[0], [1.0, 3.0, 5.0])
    other = ["compile", str(tmp_path / "line"), "-o", str(tmp_path / "root.so")]
    assert main([*other, "--function", "root"]) == 0
    assert LoadedLibrary(tmp_path / "root.so").call("run", np.float32(5.0))[0] == 2.0
    for option, words in (("--function", "no function 'x'"), ("--signature", "no signature 'x'")):
        assert main([*other, option, "x"]) == 2
        assert words in capsys.readouterr().err


KERAS = ("keras_cnn", "keras_lstm", "keras_mlp")


def test_models_that_keras_exported_are_compiled(tmp_path: Path) -> None:
    traces = {
        name: tf.saved_model.load(unpacked(name, tmp_path / name)).signatures["serving_default"]
        for name in KERAS
    }
    tf.compile_library(traces, tmp_path / "exported.so")
    loaded = LoadedLibrary(tmp_path / "exported.so")
    rng = np.random.default_rng(2)
    for name, trace in traces.items():
        for rows in (1, 5):
            _, specs = trace.structured_input_signature
            call = [
                np.abs(rng.normal(size=[size or rows for size in spec.shape])).astype(
                    spec.dtype.as_numpy_dtype
                )
                for spec in specs.values()
            ]
            named = dict(zip(specs, map(tf.constant, call)))
            values = tf.nest.flatten(trace(**named))
            for result, value in zip(loaded.call(name, *call), values, strict=True):
                np.testing.assert_allclose(result, value.numpy(), rtol=2e-5, atol=2e-5)
