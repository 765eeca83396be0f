"""Rows of requests that wait together are computed together, and fail alone."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

import graphwright as tf
from graphwright.portable.model_signatures import wrapped
from graphwright.portable.serving.row_batching import RowBatching
from graphwright.portable.serving.served_model import ServedSignature


def signature_of(size: int | None) -> Any:
    """A function of rows that refuses NaN, as a signature."""
    function = tf.function(
        lambda x: {"y": tf.debugging.check_numerics(x, "bad") * 2.0},
        input_signature=[tf.TensorSpec([size], name="x")],
    )
    return wrapped("f", function.get_concrete_function())


class Slow(ServedSignature):
    """A signature whose first run waits until it may go on."""

    def __init__(self) -> None:
        super().__init__("slow", signature_of(None))
        self.may_go = threading.Event()
        self.sizes: list[int] = []

    def run(self, arrays: Any) -> dict[str, Any]:
        assert self.may_go.wait(30)
        self.sizes.append(len(arrays["x"]))
        return super().run(arrays)


def computed(most: int, *requests: list[float]) -> tuple[list[Any], list[int]]:
    """What requests that come while the first one runs get, and the sizes of batches."""
    signature = Slow()

    async def ask() -> list[Any]:
        with ThreadPoolExecutor() as executor:
            batching = RowBatching(signature, most, executor)
            arrays = [np.array(rows, np.float32) for rows in requests]
            tasks = [asyncio.ensure_future(batching.run({"x": a}, len(a))) for a in arrays]
            await asyncio.sleep(0.05)
            signature.may_go.set()
            return await asyncio.gather(*tasks, return_exceptions=True)

    answers = asyncio.run(ask())
    return [a["y"].tolist() if isinstance(a, dict) else a for a in answers], signature.sizes


def test_rows_that_wait_go_together() -> None:
    answers, sizes = computed(10, [1.0], [2.0, 3.0], [4.0])
    assert answers == [[2.0], [4.0, 6.0], [8.0]]
    assert sum(sizes) == 4
    assert len(sizes) < 3


def test_no_batch_is_larger_than_it_may_be() -> None:
    answers, sizes = computed(2, [1.0], [2.0, 3.0, 4.0], [5.0], [6.0], [7.0])
    assert answers == [[2.0], [4.0, 6.0, 8.0], [10.0], [12.0], [14.0]]
    assert sizes == [2, 3, 2]  # a request is computed whole


def test_rows_that_fail_fail_alone() -> None:
    answers, _ = computed(10, [1.0], [float("nan")], [3.0])
    assert answers[0] == [2.0]
    assert answers[2] == [6.0]
    assert isinstance(answers[1], tf.errors.InvalidArgumentError)


def test_rows_of_fixed_size_are_not_joined() -> None:
    open_, fixed = (ServedSignature("f", signature_of(size)) for size in (None, 2))
    assert open_.takes_rows()
    assert not fixed.takes_rows()
    assert str(fixed) == "f(x: float32[2]) -> y: float32[2]"
