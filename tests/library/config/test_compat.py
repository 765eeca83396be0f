"""Names of earlier versions, and the check of derivatives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import graphwright as tf

compat = tf.compat


def test_text_and_bytes() -> None:
    assert compat.as_bytes("é") == b"\xc3\xa9"
    assert compat.as_bytes(bytearray(b"a")) == compat.as_bytes(b"a") == b"a"
    assert compat.as_bytes("é", "latin-1") == b"\xe9"
    assert compat.as_text(b"a") == compat.as_text("a") == compat.as_str(b"a") == "a"
    assert (compat.as_str_any(3), compat.as_str_any(b"x")) == ("3", "x")
    for convert in (compat.as_bytes, compat.as_text):
        with pytest.raises(TypeError, match="Expected binary or unicode string, got 3"):
            convert(3)
    assert compat.path_to_str(Path("a") / "b") == str(Path("a") / "b")
    assert compat.path_to_str(3) == 3


def test_dimensions_and_dates() -> None:
    assert compat.dimension_value(None) is None
    assert compat.dimension_value(3) == 3
    assert compat.dimension_at_index(tf.TensorShape([2, None]), 0) == 2
    assert compat.dimension_at_index(tf.TensorShape(None), 1).value is None
    assert compat.forward_compatible(2020, 1, 1)
    assert not compat.forward_compatible(2030, 1, 1)
    with compat.forward_compatibility_horizon(2031, 1, 1):
        assert compat.forward_compatible(2030, 1, 1)
    assert not compat.forward_compatible(2030, 1, 1)
    assert isinstance(np.int32(1), compat.integral_types)


def test_names_of_tensorflow_1() -> None:
    compat.v1.reset_default_graph()
    compat.v1.enable_eager_execution()
    compat.v1.enable_v2_behavior()
    assert compat.v1.executing_eagerly()
    assert compat.v1.executing_eagerly_outside_functions()
    assert compat.v1.SummaryMetadata(display_name="x").display_name == "x"
    with pytest.raises(RuntimeError, match="eager execution"):
        compat.v1.placeholder(tf.float32)


def test_event_files_are_read(tmp_path: Path) -> None:
    with tf.summary.create_file_writer(str(tmp_path)).as_default(step=3):
        tf.summary.scalar("loss", 0.5)
    (path,) = tmp_path.iterdir()
    version, loss = compat.v1.train.summary_iterator(str(path))
    assert version.file_version == "brain.Event:2"
    assert (loss.step, loss.summary.value[0].tag) == (3, "loss")


def test_derivatives_by_rules_and_by_differences() -> None:
    values = [np.float32([1, 2]), np.float32([3, 4])]
    exact, near = tf.test.compute_gradient(lambda x, y: x * y * y, values)
    assert [m.tolist() for m in exact] == [[[9, 0], [0, 16]], [[6, 0], [0, 16]]]
    for a, b in zip(exact, near):
        np.testing.assert_allclose(a, b, atol=2e-3)
    exact, near = tf.test.compute_gradient(lambda z: z * z, [np.complex64([1 + 1j])])
    assert exact[0].tolist() == [[2, -2], [2, 2]]
    np.testing.assert_allclose(exact[0], near[0], atol=1e-3)
    exact, near = tf.test.compute_gradient(tf.reduce_sum, [np.zeros((0, 2))])
    assert exact[0].shape == near[0].shape == (1, 0)
    with pytest.raises(ValueError, match="must be a list or tuple"):
        tf.test.compute_gradient(tf.square, np.float32([1]))
    with pytest.raises(AssertionError, match="int32 of argument 0"):
        tf.test.compute_gradient(tf.square, [np.int32([1])])
