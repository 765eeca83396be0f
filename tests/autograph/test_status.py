"""What libraries ask before they call functions of users; TensorFlow 2.21 gives the same."""

from __future__ import annotations

from typing import Any

import pytest

import graphwright as tf
from graphwright.base.errors import OperatorNotAllowedInGraphError

ag = tf.__internal__.autograph


def status() -> str:
    return ag.control_status_ctx().status.name


def sign(x: Any) -> int:
    if x > 0:
        return 1
    return -1


@tf.function
def converted(run: Any) -> Any:
    return run()


@tf.function(autograph=False)
def plain(run: Any) -> Any:
    return run()


def test_status_of_what_is_traced() -> None:
    seen: list[str] = []

    def note() -> Any:
        return lambda: seen.append(status())  # another function, so another trace

    note()()
    converted(note())
    plain(note())
    converted(tf.autograph.experimental.do_not_convert(note()))
    converted(lambda: plain(note()))
    plain(lambda: converted(note()))
    note()()
    assert seen == [
        "UNSPECIFIED", "ENABLED", "DISABLED", "DISABLED", "DISABLED", "ENABLED", "UNSPECIFIED",
    ]  # fmt: skip


def test_functions_of_operators_have_the_status_of_the_trace() -> None:
    seen: list[str] = []

    def double(x: Any) -> Any:
        seen.append(status())
        return 2 * x

    tf.function(lambda x: tf.map_fn(double, x))(tf.constant([1, 2]))
    assert set(seen) == {"ENABLED"}


def test_a_library_calls_as_its_caller_would() -> None:
    unspecified = ag.control_status_ctx()
    found: dict[str, Any] = {}
    converted(lambda: found.update(enabled=ag.control_status_ctx()))

    @tf.function(autograph=False)
    def library(x: Any) -> Any:
        assert ag.tf_convert(status, found["enabled"])() == "ENABLED"
        assert ag.tf_convert(status, ag.control_status_ctx())() == "DISABLED"
        assert ag.tf_convert(status, unspecified)() == "UNSPECIFIED"
        for ctx, by_default in ((ag.control_status_ctx(), True), (unspecified, False)):
            with pytest.raises(OperatorNotAllowedInGraphError):
                ag.tf_convert(sign, ctx, convert_by_default=by_default)(x)
        first = ag.tf_convert(sign, found["enabled"])
        assert first.__name__ == "sign"
        return first(x), ag.tf_convert(sign, unspecified)(-x), ag.tf_convert(first, unspecified)(x)

    assert [int(value) for value in library(tf.constant(2))] == [1, -1, 1]


def test_a_block_has_a_status() -> None:
    found: list[Any] = []
    converted(lambda: found.append(ag.control_status_ctx()))
    with found[0] as ctx:
        assert status() == "ENABLED"
        assert repr(ctx) == "ControlStatusCtx[status=Status.ENABLED, options=None]"
    assert status() == "UNSPECIFIED"
