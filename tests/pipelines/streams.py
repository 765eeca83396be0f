"""Datasets as plain generators: what a pipeline must give, one element at a time.

A stream yields elements and `Failure`s. A stage passes a failure on, and says by its code what
comes after.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from pipelines.plain import Fault, Ragged, as_element, leaves, mapped, padded, stacked

#: After so many elements of sources, a pipeline counts as one that does not end.
_MANY = 20_000


class Endless(Exception):
    """A pipeline reads on and on."""


class Fusion:
    """Whether a batch right behind a map loses all elements with one for which the map fails."""

    is_on = True


class Failure:
    """An element that could not be computed, with the class of its error."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


def call(function: Callable[..., Any], *operands: Any) -> Any:
    """What a function gives for operands, or its failure."""
    try:
        with np.errstate(all="ignore"):
            return as_element(function(*operands))
    except Fault as fault:
        return Failure(fault.name)


def unpacked(element: Any) -> tuple[Any, ...]:
    """An element as arguments: those of a tuple stand side by side."""
    return element if type(element) is tuple else (element,)


def first(reader: Iterator[Any], count: int) -> tuple[list[Any], Failure | None]:
    """Up to so many elements, and the failure that came before there were so many."""
    elements: list[Any] = []
    while len(elements) < count:
        item = next(reader, None)
        if item is None or isinstance(item, Failure):
            return elements, item
        elements.append(item)
    return elements, None


class Stream:
    """A dataset: something that can be read from its begin, any number of times."""

    def __init__(self, read: Callable[[], Iterator[Any]], is_map: bool = False) -> None:
        self.read = read
        self.is_map = is_map

    # Sources.

    @staticmethod
    def range(*bounds: int, output_type: Any = np.int64) -> Stream:
        """Numbers one after the other."""
        return Stream(lambda: (output_type(i) for i in range(*map(int, bounds))))

    @staticmethod
    def from_tensors(tensors: Any) -> Stream:
        """One element."""
        element = as_element(tensors)
        return Stream(lambda: iter([element]))

    @staticmethod
    def from_tensor_slices(tensors: Any) -> Stream:
        """Rows of arrays."""
        return Stream(lambda: rows(as_element(tensors)))

    @staticmethod
    def from_generator(generator: Callable[[], Any], output_signature: Any) -> Stream:
        """What a Python generator yields; an error ends it."""

        def read() -> Iterator[Any]:
            source = iter(generator())
            while True:
                try:
                    value = next(source)
                except StopIteration:
                    return
                except ValueError:
                    yield Failure("InvalidArgumentError")
                    return
                yield mapped(lambda v, spec: np.asarray(v, spec.dtype)[()], value, output_signature)

        return Stream(read)

    # One element for one.

    def map(
        self,
        function: Callable[..., Any],
        num_parallel_calls: int | None = None,
        deterministic: bool | None = None,
    ) -> Stream:
        """Results of a function."""

        def read() -> Iterator[Any]:
            for item in self.read():
                yield item if isinstance(item, Failure) else call(function, *unpacked(item))

        return Stream(read, is_map=True)

    def enumerate(self, start: int = 0) -> Stream:
        """Pairs of a number and an element."""
        numbers = Stream(lambda: (np.int64(i) for i in itertools.count(start)))
        return Stream.zip((numbers, self))

    def scan(self, initial_state: Any, scan_func: Callable[..., Any]) -> Stream:
        """Results of a function that carries a state; a failure leaves the state as it was."""

        def read() -> Iterator[Any]:
            state = as_element(initial_state)
            for item in self.read():
                result = item if isinstance(item, Failure) else call(scan_func, state, item)
                if isinstance(result, Failure):
                    yield result
                else:
                    state, out = result
                    yield out

        return Stream(read)

    # Some of the elements.

    def filter(self, predicate: Callable[..., Any]) -> Stream:
        """Elements that a predicate takes."""

        def read() -> Iterator[Any]:
            for number, item in enumerate(self.read()):
                if number > _MANY:
                    raise Endless
                verdict = item if isinstance(item, Failure) else call(predicate, *unpacked(item))
                if isinstance(verdict, Failure):
                    yield verdict
                elif verdict:
                    yield item

        return Stream(read)

    def take(self, count: int) -> Stream:
        """So many elements; a failure does not count."""

        def read() -> Iterator[Any]:
            reader = self.read()
            left = int(count)
            while left != 0:
                item = next(reader, None)
                if item is None:
                    return
                left -= not isinstance(item, Failure)
                yield item

        return Stream(read)

    def skip(self, count: int) -> Stream:
        """All but so many elements. After a failure it begins to count anew."""

        def read() -> Iterator[Any]:
            reader = self.read()
            if count < 0:
                return
            while True:
                _, failure = first(reader, int(count))
                if failure is None:
                    break
                yield failure
            yield from reader

        return Stream(read)

    def take_while(self, predicate: Callable[..., Any]) -> Stream:
        """Elements before the first that a predicate does not take."""

        def read() -> Iterator[Any]:
            for item in self.read():
                verdict = item if isinstance(item, Failure) else call(predicate, *unpacked(item))
                if isinstance(verdict, Failure):
                    yield verdict
                elif verdict:
                    yield item
                else:
                    return

        return Stream(read)

    def shard(self, num_shards: int, index: int) -> Stream:
        """Each element whose number has this remainder."""

        def read() -> Iterator[Any]:
            number = 0
            for item in self.read():
                if isinstance(item, Failure):
                    yield item
                    continue
                if number % num_shards == index:
                    yield item
                number += 1

        return Stream(read)

    def unique(self) -> Stream:
        """Elements that did not come before."""

        def read() -> Iterator[Any]:
            seen = set()
            for item in self.read():
                if isinstance(item, Failure):
                    yield item
                    continue
                key = item if isinstance(item, bytes) else (np.shape(item), item.tobytes())
                if key not in seen:
                    seen.add(key)
                    yield item

        return Stream(read)

    def ignore_errors(self) -> Stream:
        """Elements that could be computed."""
        return Stream(lambda: (i for i in self.read() if not isinstance(i, Failure)))

    # Batches.

    def _groups(
        self, size: int, drop: bool, together: Callable[[list[Any]], Any], may_fuse: bool = False
    ) -> Stream:
        """Elements by groups; a failure takes with it the elements before it in its group.

        Where the groups may fuse with a map, it takes those behind it too.
        """

        def read() -> Iterator[Any]:
            reader = self.read()
            while True:
                elements, failure = first(reader, int(size))
                if failure is not None:
                    if may_fuse and self.is_map and Fusion.is_on:
                        deque(itertools.islice(reader, int(size) - len(elements) - 1), 0)
                    yield failure
                elif not elements or (drop and len(elements) < size):
                    return
                else:
                    yield call(together, elements)
                    if len(elements) < size:
                        return

        return Stream(read)

    def batch(
        self,
        batch_size: int,
        drop_remainder: bool = False,
        num_parallel_calls: int | None = None,
        deterministic: bool | None = None,
    ) -> Stream:
        """So many elements as one."""
        may_fuse = num_parallel_calls is None
        return self._groups(batch_size, drop_remainder, lambda e: mapped(stacked, *e), may_fuse)

    def padded_batch(
        self,
        batch_size: int,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: bool = False,
    ) -> Stream:
        """So many elements as one, padded to one shape."""

        def together(elements: list[Any]) -> Any:
            if padded_shapes is None:
                return mapped(lambda *e: padded(e, None, padding_values), *elements)
            return padded(elements, padded_shapes, padding_values)

        return self._groups(batch_size, drop_remainder, together)

    def ragged_batch(self, batch_size: int, drop_remainder: bool = False) -> Stream:
        """So many elements as one, with rows of their lengths."""

        def together(*e: Any) -> Any:
            return Ragged(list(e)) if np.ndim(e[0]) else stacked(*e)

        return self._groups(batch_size, drop_remainder, lambda e: mapped(together, *e), True)

    def unbatch(self) -> Stream:
        """Rows of elements."""

        def read() -> Iterator[Any]:
            for item in self.read():
                if isinstance(item, Failure):
                    yield item
                elif len({len(leaf) for leaf in leaves(item)}) > 1:
                    yield Failure("InvalidArgumentError")
                else:
                    yield from rows(item)

        return Stream(read)

    def rebatch(self, batch_size: int, drop_remainder: bool = False) -> Stream:
        """Batches of another size; a failure takes with it the rows that waited."""

        def read() -> Iterator[Any]:
            waiting: list[Any] = []
            for item in self.read():
                if isinstance(item, Failure):
                    waiting = []
                    yield item
                    continue
                waiting.extend(rows(item))
                while len(waiting) >= batch_size:
                    yield mapped(stacked, *waiting[:batch_size])
                    waiting = waiting[batch_size:]
            if waiting and not drop_remainder:
                yield mapped(stacked, *waiting)

        return Stream(read)

    # The order and the number of times.

    def repeat(self, count: int | None = None) -> Stream:
        """All of it so many times, or for ever."""

        def read() -> Iterator[Any]:
            left = -1 if count is None else int(count)
            while left != 0:
                left -= 1
                some = False
                for item in self.read():
                    some = True
                    yield item
                if not some and left < 0:
                    return

        return Stream(read)

    def shuffle(
        self, buffer_size: int, seed: int | None = None, reshuffle_each_iteration: bool = True
    ) -> Stream:
        """The same elements; their order is not the model's."""
        return self

    def prefetch(self, buffer_size: int) -> Stream:
        """The same elements."""
        return self

    def cache(self) -> Stream:
        """Elements that are computed once, if they are read to the end."""
        memory: list[list[Any]] = []

        def read() -> Iterator[Any]:
            if memory:
                yield from memory[0]
                return
            own = []
            for item in self.read():
                if not isinstance(item, Failure):
                    own.append(item)
                yield item
            memory[:] = [own]

        return Stream(read)

    def reduce(self, initial_state: Any, reduce_func: Callable[..., Any]) -> Any:
        """The state after all elements."""
        state = as_element(initial_state)
        for item in self.read():
            state = item if isinstance(item, Failure) else call(reduce_func, state, item)
            if isinstance(state, Failure):
                raise Fault(state.name)
        return state

    # Several datasets.

    def concatenate(self, other: Stream) -> Stream:
        """One after the other."""
        return Stream(lambda: itertools.chain(self.read(), other.read()))

    @staticmethod
    def zip(*streams: Any) -> Stream:
        """Elements side by side, until one of the streams ends; a failure before its end comes."""
        structure = streams[0] if len(streams) == 1 else streams

        def read() -> Iterator[Any]:
            readers = mapped(lambda s: s.read(), structure)
            while True:
                items: list[Any] = []
                for reader in leaves(readers):
                    items.append(next(reader, None))
                    if items[-1] is None:
                        break
                failure = next((item for item in items if isinstance(item, Failure)), None)
                if failure is not None:
                    yield failure
                if items[-1] is None:
                    return
                if failure is None:
                    order = iter(items)
                    yield mapped(lambda _, order=order: next(order), structure)

        return Stream(read)

    @staticmethod
    def choose_from_datasets(
        datasets: Sequence[Stream], choice_dataset: Stream, stop_on_empty_dataset: bool = True
    ) -> Stream:
        """An element of the dataset that another dataset names."""

        def read() -> Iterator[Any]:
            readers: list[Iterator[Any] | None] = [d.read() for d in datasets]
            for choice in choice_dataset.read():
                if isinstance(choice, Failure):
                    yield choice
                    continue
                if not 0 <= choice < len(readers):
                    yield Failure("InvalidArgumentError")
                    continue
                reader = readers[choice]
                if reader is None:
                    continue
                item = next(reader, None)
                if item is not None:
                    yield item
                    continue
                readers[choice] = None
                if stop_on_empty_dataset or not any(readers):
                    return

        return Stream(read)

    # Datasets of elements.

    def flat_map(self, function: Callable[..., Any]) -> Stream:
        """Elements of the datasets that a function gives, one dataset after the other."""
        return self.interleave(function, 1, 1)

    def interleave(
        self,
        function: Callable[..., Any],
        cycle_length: int,
        block_length: int = 1,
        num_parallel_calls: int | None = None,
        deterministic: bool | None = None,
    ) -> Stream:
        """Elements of some datasets in turns."""

        def read() -> Iterator[Any]:
            source: Iterator[Any] | None = self.read()
            cycle: list[Iterator[Any] | None] = [None] * cycle_length
            place = block = 0
            while source is not None or any(cycle):
                reader = cycle[place]
                if reader is not None:
                    item = next(reader, None)
                    if isinstance(item, Failure):
                        yield item
                        continue
                    if item is not None:
                        yield item
                        block += 1
                        if block < block_length:
                            continue
                    else:
                        cycle[place] = None
                    place, block = (place + 1) % cycle_length, 0
                elif source is not None:
                    item = next(source, None)
                    if item is None:
                        source = None
                    else:
                        result = item
                        if not isinstance(item, Failure):
                            result = call(function, *unpacked(item))
                        if isinstance(result, Failure):
                            yield result
                        else:
                            cycle[place] = result.read()
                else:
                    place, block = (place + 1) % cycle_length, 0

        return Stream(read)

    def window(
        self, size: int, shift: int | None = None, stride: int = 1, drop_remainder: bool = False
    ) -> Stream:
        """Datasets of elements that come one after the other."""
        step = size if shift is None else shift
        target = (size - 1) * stride + 1

        def read() -> Iterator[Any]:
            reader = self.read()
            buffer: list[Any] = []
            is_over = False
            while not is_over or buffer:
                while len(buffer) < target and not is_over:
                    item = next(reader, None)
                    if item is None:
                        is_over = True
                    else:
                        buffer.append(item)
                if not buffer or (drop_remainder and len(buffer) < target):
                    return
                elements = buffer[:target:stride]
                for _ in range(len(buffer), step):
                    is_over = is_over or next(reader, None) is None
                buffer = buffer[step:]
                failures = [e for e in elements if isinstance(e, Failure)]
                yield failures[0] if failures else mapped(collected, *elements)

        return Stream(read)

    def group_by_window(
        self,
        key_func: Callable[..., Any],
        reduce_func: Callable[..., Any],
        window_size: int,
    ) -> Stream:
        """Datasets made of elements with one key; at the end the rest, by their keys."""

        def read() -> Iterator[Any]:
            groups: dict[int, list[Any]] = {}

            def reduced(key: int) -> Iterator[Any]:
                result = call(reduce_func, np.int64(key), listed(groups.pop(key)))
                return iter([result]) if isinstance(result, Failure) else result.read()

            for item in self.read():
                key = item if isinstance(item, Failure) else call(key_func, *unpacked(item))
                if isinstance(key, Failure):
                    yield key
                    continue
                group = groups.setdefault(int(key), [])
                group.append(item)
                if len(group) == window_size:
                    yield from reduced(int(key))
            for key in sorted(groups):
                yield from reduced(key)

        return Stream(read)


def listed(elements: list[Any]) -> Stream:
    """A stream of a list."""
    return Stream(lambda: iter(elements))


def collected(*elements: Any) -> Stream:
    """A stream of elements side by side."""
    return listed(list(elements))


def rows(element: Any) -> Iterator[Any]:
    """The rows of an element's arrays."""
    for i in range(min(len(leaf) for leaf in leaves(element))):
        yield mapped(lambda leaf, i=i: leaf[i], element)
