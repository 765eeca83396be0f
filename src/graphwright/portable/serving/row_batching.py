"""Rows of requests that come while others are computed are computed together."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import Executor
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from graphwright.portable.serving.served_model import ServedSignature
from graphwright.types.arrays import Array

Arrays: TypeAlias = Mapping[str, Array]


class WaitingRows(NamedTuple):
    """The rows of a request, and who waits for their results."""

    arrays: Arrays
    size: int
    answer: asyncio.Future[dict[str, Array]]

    @property
    def kind(self) -> Any:
        """What rows that are computed together have in common: names, dtypes and shapes."""
        return tuple([(name, array.dtype, array.shape[1:]) for name, array in self.arrays.items()])


class RowBatching:
    """Computes rows of one signature, of at most so many at once.

    While a batch is computed others wait, and then go together. So nobody waits for company.
    """

    def __init__(self, signature: ServedSignature, most: int, executor: Executor) -> None:
        self.signature = signature
        self.most = most
        self.executor = executor
        self.batches = 0
        self._waiting: list[WaitingRows] = []
        self._running: asyncio.Task[None] | None = None

    async def run(self, arrays: Arrays, count: int) -> dict[str, Array]:
        """The results of the rows of a request."""
        loop = asyncio.get_running_loop()
        rows = WaitingRows(arrays, count, loop.create_future())
        self._waiting.append(rows)
        if self._running is None:
            self._running = loop.create_task(self._work())
        return await rows.answer

    async def _work(self) -> None:
        """Computes batches as long as rows wait."""
        try:
            while self._waiting:
                await self._compute(self._batch())
        finally:
            self._running = None

    def _batch(self) -> list[WaitingRows]:
        """The rows that go next: the first ones, and those of their kind that still fit."""
        first = self._waiting[0]
        batch: list[WaitingRows] = []
        size = 0
        for rows in self._waiting:
            if rows.kind == first.kind and (not batch or size + rows.size <= self.most):
                batch.append(rows)
                size += rows.size
        chosen = {id(rows) for rows in batch}
        self._waiting = [rows for rows in self._waiting if id(rows) not in chosen]
        return batch

    async def _compute(self, batch: list[WaitingRows]) -> None:
        """Gives each request of a batch its results; a batch that fails is computed one by one."""
        self.batches += 1
        loop = asyncio.get_running_loop()
        joined = {
            name: np.concatenate([rows.arrays[name] for rows in batch]) for name in batch[0].arrays
        }
        total = sum(rows.size for rows in batch)
        try:
            results = await loop.run_in_executor(self.executor, self.signature.run, joined)
            if any(not array.ndim or len(array) != total for array in results.values()):
                raise ValueError("the results are not of the rows")
        except Exception as error:  # noqa: BLE001 - it goes to whoever waits
            if len(batch) > 1:
                for rows in batch:
                    await self._compute([rows])
            elif not batch[0].answer.done():
                batch[0].answer.set_exception(error)
            return
        start = 0
        for rows in batch:
            part = slice(start, start + rows.size)
            if not rows.answer.done():  # whoever asked may have gone
                rows.answer.set_result({name: array[part] for name, array in results.items()})
            start += rows.size
