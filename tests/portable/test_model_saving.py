"""What is saved is loaded again as it was, and TensorFlow's models go there and back.

`tools/write_saved_models.py` and `tools/record_saved_models.py --load` show that TensorFlow loads
the same models and computes the same.
"""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from corpora.model_features import FEATURES
from corpora.model_programs import PROGRAMS
from corpora.model_recipes import RECIPES
from support.saved_models import NAMES, assert_alike, calls, outcome, unpacked

import graphwright as tf
from graphwright.library.checkpoint.sorted_table import entries_of
from graphwright.proto.saved_model_pb2 import FingerprintDef, SavedModel


class Scaled(tf.Module):
    """A module of one variable and one function."""

    def __init__(self, factor: float = 3.0) -> None:
        super().__init__()
        self.factor = tf.Variable(factor, name="factor")

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def scale(self, x: tf.Tensor) -> tf.Tensor:
        return x * self.factor


def saved(model: Any, folder: Path, **options: Any) -> Any:
    """A model that is saved and loaded."""
    path = folder / "model"
    tf.saved_model.save(model, path, **options)
    return tf.saved_model.load(path)


def message_of(folder: Path) -> SavedModel:
    """The message of a model."""
    return SavedModel.FromString((folder / "saved_model.pb").read_bytes())


@pytest.mark.parametrize(
    "recipe", [*RECIPES, *FEATURES, *PROGRAMS], ids=lambda recipe: recipe.__name__
)
def test_models_compute_what_tensorflow_computed(recipe: Any, tmp_path: Path) -> None:
    recorded = unpacked(recipe.__name__, tmp_path)
    model, options, _ = recipe(tf, tmp_path)
    loaded = saved(model, tmp_path, **options)
    for call in calls(recorded):
        assert_alike(outcome(loaded, call), call.expected)


@pytest.mark.parametrize("name", NAMES)
def test_tensorflows_models_are_saved_again(name: str, tmp_path: Path) -> None:
    recorded = unpacked(name, tmp_path)
    loaded = tf.saved_model.load(recorded)
    again = saved(loaded, tmp_path, signatures=dict(loaded.signatures))
    for call in calls(recorded):
        assert_alike(outcome(again, call), call.expected)


class Masked(tf.experimental.ExtensionType):
    """An extension type that models know by its name."""

    __name__ = "tests.Masked"
    values: tf.Tensor
    mask: tf.Tensor
    scale: float = 2.0


def test_extension_types_are_saved_by_their_names(tmp_path: Path) -> None:
    class Scaling(tf.Module):
        @tf.function(
            input_signature=[
                Masked.Spec(tf.TensorSpec([None]), tf.TensorSpec([None], tf.bool), 2.0)
            ]
        )
        def f(self, x: Masked) -> Masked:
            return Masked(tf.where(x.mask, x.values * x.scale, 0.0), x.mask, x.scale)

    loaded = saved(Scaling(), tmp_path)
    result = loaded.f(Masked(tf.constant([1.0, 2.0]), tf.constant([True, False])))
    assert isinstance(result, Masked)
    assert result.values.numpy().tolist() == [2.0, 0.0]
    assert result.scale == 2.0
    message = (tmp_path / "model" / "saved_model.pb").read_bytes()
    assert b"tests.Masked.Spec" in message
    (tmp_path / "model" / "saved_model.pb").write_bytes(
        message.replace(b"tests.Masked.Spec", b"tests.Missed.Spec")
    )
    with pytest.raises(NotImplementedError, match=r"the extension type 'tests\.Missed\.Spec'"):
        tf.saved_model.load(tmp_path / "model")


@pytest.mark.parametrize("name", ["traces", "structures", "signatures", "composites"])
def test_traces_and_signatures_stay_the_same(name: str, tmp_path: Path) -> None:
    before = unpacked(name, tmp_path)
    loaded = tf.saved_model.load(before)
    tf.saved_model.save(loaded, tmp_path / "again", signatures=dict(loaded.signatures))
    graphs = [message_of(folder).meta_graphs[0] for folder in (before, tmp_path / "again")]
    shown = [
        sorted(
            trace.canonicalized_input_signature.SerializeToString(deterministic=True)
            for key, trace in graph.object_graph_def.concrete_functions.items()
            if "signature_wrapper" not in key
        )
        for graph in graphs
    ]
    assert shown[0] == shown[1]
    keys = [
        {
            key: (sorted(one.inputs), sorted(one.outputs), one.method_name)
            for key, one in graph.signature_def.items()
        }
        for graph in graphs
    ]
    assert keys[0] == keys[1]


def test_a_loaded_model_has_its_own_state(tmp_path: Path) -> None:
    model = Scaled()
    loaded = saved(model, tmp_path)
    model.factor.assign(9.0)
    assert loaded.scale(tf.constant([1.0])).numpy().tolist() == [3.0]
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(loaded.scale(tf.constant([1.0, 5.0])))
    assert tape.gradient(y, loaded.factor).numpy() == 6.0


def test_python_arguments_and_defaults_choose_traces(tmp_path: Path) -> None:
    class Powers(tf.Module):
        @tf.function
        def f(self, x: Any, power: int = 2, *more: Any, scale: float = 1.0, by: Any = None) -> Any:
            x = x**power * scale
            for one in more:
                x = x + one
            return x if by is None else x / by

    model, x = Powers(), tf.constant([1.0, 2.0])
    for arguments, named in [
        ((x,), {}),
        ((x, 3), {}),
        ((x,), {"scale": 2.0, "by": tf.constant(4.0)}),
        ((x, 2, x, x), {}),
    ]:
        model.f(*arguments, **named)
    loaded = saved(model, tmp_path)
    assert loaded.f(x).numpy().tolist() == [1.0, 4.0]
    assert loaded.f(x, power=3).numpy().tolist() == [1.0, 8.0]
    assert loaded.f(x, by=tf.constant(4.0), scale=2.0).numpy().tolist() == [0.5, 2.0]
    assert loaded.f(x, 2, x, x).numpy().tolist() == [3.0, 8.0]
    with pytest.raises(ValueError, match="Could not find matching concrete function"):
        loaded.f(x, 4)


def test_arguments_by_name_keep_their_order(tmp_path: Path) -> None:
    """In the file they are sorted, in the trace they stand as they are written."""

    class Model(tf.Module):
        @tf.function
        def inner(self, *, b: Any, a: Any) -> Any:
            return b - a

        @tf.function
        def outer(self, x: Any) -> Any:
            return self.inner(b=x, a=2.0 * x)

    model, x = Model(), tf.constant(3.0)
    model.outer(x)
    model.inner(b=x, a=tf.constant(1.0))
    loaded = saved(model, tmp_path)
    for _ in range(20):  # the last calls go another way than the first
        assert float(loaded.inner(a=tf.constant(1.0), b=x)) == 2.0
        assert float(loaded.inner(b=tf.constant(1.0), a=x)) == -2.0
    assert float(loaded.outer(x)) == -3.0


def test_functions_and_objects_stand_where_they_stood(tmp_path: Path) -> None:
    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.double = tf.function(lambda x: x * 2)
            self.several = [tf.function(lambda x: x + 1), Scaled()]
            self.one = tf.function(lambda x: x - 1).get_concrete_function(
                tf.TensorSpec([], tf.int32)
            )
            self.me = self

    model = Model()
    model.double(tf.constant(3))
    model.several[0](tf.constant(4))
    loaded = saved(model, tmp_path)
    assert int(loaded.double(tf.constant(3))) == 6
    assert int(loaded.several[0](tf.constant(4))) == 5
    assert loaded.several[1].scale(tf.constant([2.0])).numpy().tolist() == [6.0]
    assert int(loaded.one(tf.constant(3))) == 2
    assert loaded.me is loaded


def test_traces_without_a_form_are_left_out(tmp_path: Path) -> None:
    class Config:
        pass

    class Model(tf.Module):
        @tf.function
        def f(self, x: Any, config: Any = None) -> Any:
            return x + 1

    model, config = Model(), Config()
    model.f(tf.constant(1), config)
    model.f(tf.constant(1), Config())  # which is gone at once
    model.f(tf.constant(1))
    loaded = saved(model, tmp_path)
    assert len(loaded.f.concrete_functions) == 1


def test_a_result_without_a_form_is_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    model = tf.Module()
    model.f = tf.function(lambda x: {1: x}, input_signature=[tf.TensorSpec([])])
    tf.saved_model.save(model, str(tmp_path / "model"))
    assert "a dict in a model has keys that are texts, unlike [1]" in caplog.text


def test_an_argument_without_a_form_is_named_with_what_helps(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Pair(tf.experimental.ExtensionType):
        x: tf.Tensor

    module = tf.Module()
    module.total = tf.function(lambda numbers: numbers.reduce(0, lambda s, x: s + x))
    module.total(tf.data.Dataset.from_tensor_slices([1, 2]))
    module.first = tf.function(lambda pair: pair.x)
    module.first(Pair(tf.constant(1)))
    tf.saved_model.save(module, tmp_path)
    of_dataset, of_pair = [r.getMessage() for r in caplog.records if "not saved" in r.getMessage()]
    assert "save a function of tensors, such as that of one batch" in of_dataset
    assert "`__name__ = ...` in its class gives it one" in of_pair


def test_variables_of_every_dtype(tmp_path: Path) -> None:
    class Model(tf.Module):
        pass

    model = Model()
    names = [
        "float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8",
        "uint16", "uint32", "uint64", "bool", "complex64", "complex128",
    ]  # fmt: skip
    for name in names:
        value = tf.cast(tf.constant([[0, 1, 2], [3, 4, 100]]), tf.as_dtype(name))
        setattr(model, name, tf.Variable(value, trainable=False))
    model.string = tf.Variable([b"", b"\x00\xff", b"long" * 100])
    model.empty = tf.Variable(tf.zeros([0, 3]), shape=[None, 3])
    model.scalar = tf.Variable(7, trainable=False, aggregation=tf.VariableAggregation.SUM)
    loaded = saved(model, tmp_path)
    for name in [*names, "string", "empty", "scalar"]:
        ours, theirs = getattr(model, name), getattr(loaded, name)
        assert (ours.dtype, ours.trainable) == (theirs.dtype, theirs.trainable)
        assert ours.numpy().tolist() == theirs.numpy().tolist()
    assert loaded.empty.shape.as_list() == [None, 3]
    assert loaded.scalar.aggregation is tf.VariableAggregation.SUM


# -- tables and files ---------------------------------------------------------------------------


class Tables(tf.Module):
    """Tables of every kind."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        index = tf.lookup.TextFileIndex
        lines = tf.lookup.TextFileInitializer(
            str(path), tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER
        )
        self.numbers = tf.lookup.StaticHashTable(lines, -1)
        self.words = tf.lookup.StaticVocabularyTable(
            tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([0, 1], tf.int64)), 1
        )
        self.changing = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, [0.0, 0.0])
        self.changing.insert(tf.constant([5], tf.int64), [[1.5, 2.5]])

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def f(self, words: Any) -> Any:
        numbers = self.numbers.lookup(words)
        return numbers, self.words.lookup(words), self.changing.lookup(numbers + 4)

    @tf.function(input_signature=[tf.TensorSpec([], tf.int64)])
    def add(self, key: Any) -> Any:
        self.changing.insert(key[None], [[7.0, 8.0]])
        return self.changing.size()


def test_tables_come_with_what_they_hold(tmp_path: Path) -> None:
    (path := tmp_path / "words.txt").write_text("x\nb\ny\n")
    model = Tables(path)
    expected = [part.numpy().tolist() for part in model.f(tf.constant(["b", "a"]))]
    tf.saved_model.save(model, tmp_path / "model")
    path.unlink()
    assert (tmp_path / "model" / "assets" / "words.txt").read_text() == "x\nb\ny\n"
    loaded = tf.saved_model.load(tmp_path / "model")
    tf.saved_model.save(loaded, tmp_path / "again")
    for one in (loaded, tf.saved_model.load(tmp_path / "again")):
        assert [part.numpy().tolist() for part in one.f(tf.constant(["b", "a"]))] == expected
        assert int(one.add(tf.constant(6, tf.int64))) == 2
        assert one.f(tf.constant(["y"]))[2].numpy().tolist() == [[7.0, 8.0]]
    assert int(model.changing.size()) == 1


def test_a_table_that_nothing_has_filled_comes_back_so(tmp_path: Path) -> None:
    class Nothing(tf.lookup.KeyValueTensorInitializer):
        def initialize(self, table: Any) -> None:
            pass

    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = tf.lookup.StaticHashTable(Nothing(["a"], [1]), -1)

        @tf.function(input_signature=[tf.TensorSpec([], tf.string)])
        def f(self, word: Any) -> Any:
            return self.table.lookup(word)

    loaded = saved(Model(), tmp_path)
    for one in (loaded, saved(loaded, tmp_path / "again")):
        with pytest.raises(tf.errors.FailedPreconditionError, match="Table not initialized"):
            one.f("a")


def test_a_file_is_an_asset(tmp_path: Path) -> None:
    class Model(tf.Module):
        def __init__(self, paths: list[Path]) -> None:
            super().__init__()
            self.files = [tf.saved_model.Asset(path) for path in paths]

        @tf.function(input_signature=[])
        def path(self) -> Any:
            return self.files[1].asset_path

    paths = [tmp_path / "one" / "a.txt", tmp_path / "two" / "a.txt"]
    for path in paths:
        path.parent.mkdir()
        path.write_text(path.parent.name)
    loaded = saved(Model(paths), tmp_path)
    here = Path(os.fsdecode(loaded.path().numpy()))
    assert here == tmp_path / "model" / "assets" / "a_1.txt"
    assert here.read_text() == "two"
    assert repr(loaded.files[0]) == f"<asset {here.with_name('a.txt')}>"


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    model = tf.Module()
    model.file = tf.saved_model.Asset(tmp_path / "nothing")
    with pytest.raises(FileNotFoundError, match="nothing of an asset is missing"):
        tf.saved_model.save(model, tmp_path / "model")


# -- signatures ---------------------------------------------------------------------------------


def test_one_function_is_the_signature(tmp_path: Path) -> None:
    loaded = saved(Scaled(), tmp_path)
    assert list(loaded.signatures) == ["serving_default"]
    assert loaded.signatures["serving_default"](x=tf.constant([1.0]))["output_0"].numpy() == [3.0]
    described = message_of(tmp_path / "model").meta_graphs[0].signature_def["serving_default"]
    assert described.inputs["x"].name == "serving_default_x:0"
    assert described.outputs["output_0"].name == "StatefulPartitionedCall:0"


def test_a_loaded_function_may_be_the_signature(tmp_path: Path) -> None:
    """Its input signature is saved with it, as in TensorFlow."""
    loaded = saved(Scaled(), tmp_path / "first")
    assert loaded.scale.input_signature == (tf.TensorSpec([None]),)
    assert loaded.scale.get_concrete_function() is loaded.scale.concrete_functions[0]
    again = saved(loaded, tmp_path / "second", signatures={"scaled": loaded.scale})
    assert again.scale.input_signature == loaded.scale.input_signature
    assert again.signatures["scaled"](x=tf.constant([2.0]))["output_0"].numpy().tolist() == [6.0]


def test_small_constants_stay_apart(tmp_path: Path) -> None:
    """Equal ones share an op when a model is loaded; those that differ in a bit do not."""
    numbers = [np.float32(0), np.float32(-0.0), np.int32(0), np.float64(0)]
    values = [*numbers, [1, 2], [[1, 2]], "", "a"]
    model = tf.Module()
    model.made = tf.function(lambda: [tf.constant(v) for v in (*values, *values)], [])
    results = saved(model, tmp_path).made()
    for result, value in zip(results, (*values, *values), strict=True):
        expected = tf.constant(value)
        assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
        assert result.numpy().__repr__() == expected.numpy().__repr__()


def test_signatures_by_name(tmp_path: Path) -> None:
    class Model(Scaled):
        @tf.function
        def both(self, b: Any, a: Any) -> Any:
            return {"sum": a + b, "difference": a - b}

    model = Model()
    both = model.both.get_concrete_function(tf.TensorSpec([]), tf.TensorSpec([]))
    loaded = saved(model, tmp_path, signatures={"s": model.scale, "both": both})
    result = loaded.signatures["both"](a=tf.constant(5.0), b=tf.constant(2.0))
    assert {key: float(value) for key, value in result.items()} == {"sum": 7.0, "difference": 3.0}
    assert loaded.signatures["both"].structured_outputs == {
        "sum": tf.TensorSpec([], tf.float32, "sum"),
        "difference": tf.TensorSpec([], tf.float32, "difference"),
    }
    assert float(loaded.both(tf.constant(2.0), tf.constant(5.0))["sum"]) == 7.0


@pytest.mark.parametrize(
    ("signatures", "error", "words"),
    [
        (lambda m: {"s": m.free}, ValueError, "with an input signature or concrete functions"),
        (lambda m: {"s": 5}, ValueError, "Expected a TensorFlow function"),
        (lambda m: {"__saved_model_init_op": m.scale}, KeyError, "is reserved"),
        (lambda m: {"s": m.nested}, ValueError, "Got a non-Tensor value"),
    ],
)
def test_what_is_no_signature_is_refused(
    signatures: Any, error: type[Exception], words: str, tmp_path: Path
) -> None:
    class Model(Scaled):
        @tf.function
        def free(self, x: Any) -> Any:
            return x

        @tf.function(input_signature=[tf.TensorSpec([])])
        def nested(self, x: Any) -> Any:
            return {"a": [x, x]}

    model = Model()
    with pytest.raises(error, match=words):
        tf.saved_model.save(model, tmp_path / "model", signatures=signatures(model))
    assert os.listdir(tmp_path) == []


# -- what cannot be saved -----------------------------------------------------------------------


def test_only_objects_that_checkpoints_follow(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="Expected a Trackable object for export"):
        tf.saved_model.save({"v": tf.Variable(1.0)}, tmp_path / "model")


def test_a_variable_that_nothing_holds_is_refused(tmp_path: Path) -> None:
    stray = tf.Variable(1.0, name="stray")
    model = tf.Module()
    model.f = tf.function(lambda x: x + stray, input_signature=[tf.TensorSpec([])])
    with pytest.raises(AssertionError, match="uses the variable 'stray', but the object"):
        tf.saved_model.save(model, tmp_path / "model")
    assert os.listdir(tmp_path) == []


def test_python_inside_a_graph_is_refused(tmp_path: Path) -> None:
    model = tf.Module()
    model.f = tf.function(
        lambda x: tf.py_function(lambda y: y + 1, [x], tf.float32),
        input_signature=[tf.TensorSpec([])],
    )
    with pytest.raises((tf.errors.UnimplementedError, TypeError), match=r"EagerPyFunc|PyFunc"):
        tf.saved_model.save(model, tmp_path / "model")


# -- the folder ---------------------------------------------------------------------------------


def test_a_model_is_replaced_as_a_whole(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("a\n")
    tf.saved_model.save(Tables(tmp_path / "words.txt"), tmp_path / "model")
    loaded = saved(Scaled(5.0), tmp_path)
    assert float(loaded.factor) == 5.0
    files = ["assets", "fingerprint.pb", "saved_model.pb", "variables"]
    assert sorted(os.listdir(tmp_path / "model")) == files
    assert os.listdir(tmp_path / "model" / "assets") == []
    assert sorted(os.listdir(tmp_path)) == ["model", "words.txt"]


def test_other_files_of_a_folder_stay(tmp_path: Path) -> None:
    (tmp_path / "model" / "variables").mkdir(parents=True)
    (tmp_path / "model" / "notes.txt").write_text("mine")
    (tmp_path / "model" / "variables" / "old").write_text("")
    assert float(saved(Scaled(5.0), tmp_path).factor) == 5.0
    assert (tmp_path / "model" / "notes.txt").read_text() == "mine"
    assert not (tmp_path / "model" / "variables" / "old").exists()
    assert os.listdir(tmp_path) == ["model"]


def test_an_error_leaves_the_model_that_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tf.saved_model.save(Scaled(), tmp_path / "model")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(tf.errors.ResourceExhaustedError, match="no space left"):
        tf.saved_model.save(Scaled(9.0), tmp_path / "model")
    assert os.listdir(tmp_path) == ["model"]
    assert float(tf.saved_model.load(tmp_path / "model").factor) == 3.0


def test_options(tmp_path: Path) -> None:
    model = Scaled()
    options = tf.saved_model.SaveOptions(
        function_aliases={"times": model.scale}, extra_tags=["small"]
    )
    tf.saved_model.save(model, tmp_path / "model", options=options)
    info = message_of(tmp_path / "model").meta_graphs[0].meta_info_def
    assert list(info.tags) == ["serve", "small"]
    assert list(info.function_aliases.values()) == ["times"]
    tf.saved_model.load(tmp_path / "model", tags=["small", "serve"])
    with pytest.raises(NotImplementedError, match="experimental_image_format"):
        tf.saved_model.SaveOptions(experimental_image_format=True)


def test_functions_are_loaded_by_their_aliases(tmp_path: Path) -> None:
    model, path = Scaled(), tmp_path / "model"
    plain = tf.saved_model.SaveOptions(function_aliases={"times": model.scale})
    tf.saved_model.save(model, path, options=plain)
    wanted = tf.saved_model.LoadOptions(experimental_load_function_aliases=True)
    loaded = tf.saved_model.load(path, options=wanted)
    assert list(loaded.function_aliases) == ["times"]
    assert loaded.function_aliases["times"] is loaded.scale
    assert loaded.function_aliases["times"](tf.constant([2.0])).numpy().tolist() == [6.0]
    assert not hasattr(tf.saved_model.load(path), "function_aliases")


def test_an_attribute_by_the_name_of_aliases_is_not_replaced(tmp_path: Path) -> None:
    model, path = Scaled(), tmp_path / "model"
    model.function_aliases = tf.Variable(1.0)
    tf.saved_model.save(model, path)
    assert tf.saved_model.load(path).function_aliases.numpy() == 1.0
    wanted = tf.saved_model.LoadOptions(experimental_load_function_aliases=True)
    with pytest.raises(ValueError, match="has an attributed with name 'function_aliases'"):
        tf.saved_model.load(path, options=wanted)


def test_a_gradient_is_left_out_if_so_wished(tmp_path: Path) -> None:
    recipe = next(recipe for recipe in RECIPES if recipe.__name__ == "custom_gradient")
    model, _, made = recipe(tf, tmp_path)
    options = tf.saved_model.SaveOptions(experimental_custom_gradients=False)
    loaded, x = saved(model, tmp_path, options=options), made[0][1][0]
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = loaded.f(x)
    with pytest.raises(LookupError, match="experimental_custom_gradients=True"):
        tape.gradient(y, x)


def test_the_files_are_those_of_the_format(tmp_path: Path) -> None:
    tf.saved_model.save(Scaled(), tmp_path / "model")
    data = (tmp_path / "model" / "variables" / "variables.index").read_bytes()
    assert [key for key, _ in entries_of(data)] == [
        b"", b"_CHECKPOINTABLE_OBJECT_GRAPH", b"factor/.ATTRIBUTES/VARIABLE_VALUE"
    ]  # fmt: skip
    hashes = FingerprintDef.FromString((tmp_path / "model" / "fingerprint.pb").read_bytes())
    content = (tmp_path / "model" / "saved_model.pb").read_bytes()
    (expected,) = tf.strings.to_hash_bucket_fast([content], 2**63 - 1).numpy()
    assert hashes.saved_model_checksum % (2**63 - 1) == expected
    assert hashes.version.producer == 4
    assert json.loads(hashes.uuid) < 2**128


def test_names_with_slashes_and_dots_are_paths(tmp_path: Path) -> None:
    model = tf.Module()
    model.parts = {"a/b": tf.Variable(1.0), "a.Sb": tf.Variable(2.0)}
    loaded = saved(model, tmp_path)
    assert [float(loaded.parts[key]) for key in ("a/b", "a.Sb")] == [1.0, 2.0]
    np.testing.assert_equal(sorted(loaded.parts), ["a.Sb", "a/b"])


class Serving(tf.Module):
    """A module whose signature is a property, and which holds more in saved models."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = tf.Variable(3.0)
        hidden = tf.Variable(4.0)
        self._extra = lambda: hidden

    @property
    def _default_save_signature(self):
        @tf.function(input_signature=[tf.TensorSpec([], name="x")])
        def serving(x):
            return x * self.scale * self._extra()

        return serving

    def _trackable_children(self, save_type="checkpoint", **kwargs):
        children = super()._trackable_children(save_type, **kwargs)
        return children | ({"extra": self._extra()} if save_type == "savedmodel" else {})


def test_a_property_may_be_the_signature_and_a_saved_model_hold_more(tmp_path):
    tf.saved_model.save(Serving(), str(tmp_path))
    (result,) = tf.saved_model.load(str(tmp_path)).signatures["serving_default"](x=2.0).values()
    assert float(result) == 24.0


def test_a_property_that_cannot_give_a_signature_gives_none(tmp_path):
    class Unknowing(tf.Module):
        @property
        def _default_save_signature(self):
            return tf.function(lambda x: x, input_signature=())  # a TypeError: x has no type

        @tf.function
        def double(self, x):
            return x * 2

    model = Unknowing()
    model.double(tf.constant(2.0))
    tf.saved_model.save(model, str(tmp_path))
    assert float(tf.saved_model.load(str(tmp_path)).double(tf.constant(4.0))) == 8.0



class OfALibrary(tf.__internal__.tracking.Trackable):
    """A variable of a library, as Keras's are: it acts as the one that it holds."""

    _should_act_as_resource_variable = True

    def __init__(self, value: float) -> None:
        self.value = tf.Variable(value)


def test_a_variable_of_a_library_is_saved_as_the_one_behind_it(tmp_path: Path) -> None:
    root = tf.Module()
    root.weight = OfALibrary(3.0)
    root.f = tf.function(
        lambda x: x * root.weight.value, input_signature=[tf.TensorSpec([], tf.float32)]
    )
    tf.saved_model.save(root, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    assert loaded.f(tf.constant(2.0)).numpy() == 6.0
    loaded.weight.assign(5.0)
    assert loaded.f(tf.constant(2.0)).numpy() == 10.0


def test_a_trace_and_a_function_in_another_may_have_one_name(tmp_path: Path) -> None:
    constant = tf.random.stateless_uniform([3], [1, 2])

    def call(x: Any) -> Any:
        return tf.gather(constant, x)

    for number in range(5):  # functions in others are numbered as they are met
        module = tf.Module()
        module.f = tf.function(call).get_concrete_function(tf.TensorSpec([], tf.int32))
        module.f._name = f"__inference_call_{number}"
        loaded = saved(module, tmp_path)
        assert loaded.f(tf.constant(1)) == constant[1]


def test_a_call_that_the_signature_does_not_take_is_a_type_error(tmp_path: Path) -> None:
    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None, 2], name="x")])
        def f(self, x: tf.Tensor) -> tf.Tensor:
            return x

    loaded = saved(Model(), tmp_path)
    cast = r"Binding inputs to tf.function failed due to `Can not cast TensorSpec\(shape=\({}"
    taken = r"signature: \(x: TensorSpec\(shape=\(None, 2\), dtype=tf.float32, name='x'\)\)\.$"
    for shape, value in {"1, 2": tf.constant([[1, 2]]), "2,": tf.ones([2])}.items():
        with pytest.raises(TypeError, match=cast.format(shape) + ".*" + taken):
            loaded.f(value)
    with pytest.raises(TypeError, match=r"^Binding inputs.*`missing a required argument: 'x'`"):
        loaded.f(y=tf.ones([1, 2]))


def test_dicts_of_a_loaded_model_have_sorted_keys(tmp_path: Path) -> None:
    """The file has no order of them: a map of protobuf gives another one in each process."""
    names = list("qwertyuiopasdfgh")
    model = tf.Module()

    @tf.function(input_signature=[tf.TensorSpec([])])
    def results(x: tf.Tensor) -> Any:
        return {name: {"z": x * float(i), "b": x} for i, name in enumerate(names)}

    model.results = results
    tf.saved_model.save(model, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path)).results(1.0)
    assert list(loaded) == sorted(names)
    assert {tuple(each) for each in loaded.values()} == {("b", "z")}
    assert [float(loaded[name]["z"]) for name in names] == list(range(16))
