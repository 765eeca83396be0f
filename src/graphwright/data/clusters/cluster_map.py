"""`tf.distribute.map`: a function of each element, computed by an executor's workers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphwright.autograph.traced_form import traced_form
from graphwright.data.clusters.cluster_stage import ClusterMapStage
from graphwright.data.clusters.element_task import Traveller
from graphwright.data.clusters.task_executors import maker_of
from graphwright.data.dataset import Dataset
from graphwright.data.dataset_value import DatasetValue, make
from graphwright.data.element_function import as_element, spread
from graphwright.data.element_type import ElementType
from graphwright.function.concrete import ConcreteFunction
from graphwright.function.polymorphic import function
from graphwright.ir.graph import Graph, subgraphs_of
from graphwright.op.op import Effect
from graphwright.trace.argument_types import spec_of
from graphwright.types import dtypes as dt
from graphwright.values.tensor import EagerTensor


def map(
    dataset: object,
    f: Callable[..., object],
    executor: object,
    window: int | None = None,
    retries: int = 2,
) -> Dataset:
    """Returns a dataset of `f` of each element, computed by the workers of an executor.

    It is as `dataset.map(f)`: results come in the order of the elements. TensorFlow has no such
    function. `f` travels as a checked graph, never as code, so workers need this package alone. A
    worker reads and compiles it once.

    `f` has the values that its variables have when an iteration begins. It may not change
    variables, since those of a worker are copies. An iteration that ends early cancels the tasks
    that no worker has begun.

    Args:
        dataset: A `tf.data.Dataset`, of any element spec without datasets.
        f: A function of an element, as `Dataset.map` takes it: also a `tf.function` or a concrete
            function. It returns a structure of tensors.
        executor: A `concurrent.futures.Executor`, a `dask.distributed.Client`, the module `ray`,
            or a function that returns a `concurrent.futures.Executor`. Such a function is called
            for each iteration, and again where a dead worker has broken its pool.
        window: An int: so many elements are under way at most, from the dataset to the last result
            that was not taken. Two for each worker by default.
        retries: An int: how often a task begins again whose worker was lost.

    Returns:
        A `tf.data.Dataset` of the results.

    Raises:
        TypeError: `dataset` is no dataset, `executor` is no executor, or an element has parts that
            cannot travel.
        ValueError: `window` is under 1, `retries` is under 0, or `f` changes variables.
        AssertionError: `f` uses a lookup table, which does not travel.
        UnimplementedError: `f` calls Python, as `tf.py_function` does.
        OpError: While elements are taken: `f` failed. The error has the class that `Dataset.map`
            would give it, the number of the element, and the worker's traceback.
        UnavailableError: While elements are taken: the worker of a task was lost too often, or the
            executor takes no more tasks.

    >>> import graphwright as tf
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(2) as executor:
    ...     squares = tf.distribute.map(tf.data.Dataset.range(5), lambda x: x * x, executor)
    ...     print([int(x) for x in squares])
    [0, 1, 4, 9, 16]
    """
    if not isinstance(dataset, DatasetValue):
        raise TypeError(
            f"`dataset` must be a `tf.data.Dataset`. Received {dataset!r} (of type "
            f"{type(dataset).__name__}). Of a list of numbers: "
            f"tf.data.Dataset.from_tensor_slices(numbers)"
        )
    if window is not None and window < 1:
        raise ValueError(f"`window` must be at least 1. Received {window}.")
    if retries < 0:
        raise ValueError(f"`retries` must be at least 0. Received {retries}.")
    make_executor = maker_of(executor)
    concrete, element = traced(f, dataset._type)
    result: Dataset = make(
        ClusterMapStage,
        element,
        [dataset],
        traveller=Traveller(concrete),
        make=make_executor,
        window=window or 0,
        retries=retries,
    )
    return result


def traced(f: Callable[..., object], argument: ElementType) -> tuple[ConcreteFunction, ElementType]:
    """A function of the tensors of an element, and the type of its results."""
    if not callable(f):
        raise TypeError(f"`f` must be callable. Received {f!r} (of type {type(f).__name__}).")
    staged = traced_form(f)
    results: list[ElementType] = []

    def call(*tensors: Any) -> Any:
        result = as_element(staged(*spread([argument.pack(tensors)])))
        results.append(ElementType.of(result))
        return results[-1].flatten(result)

    check_travels(argument, "elements of `dataset`")
    concrete = function(call, autograph=False).get_concrete_function(
        *[spec_of(type_) for type_ in argument.types]
    )
    check_travels(results[-1], "results of `f`")
    if not all(isinstance(tensor, EagerTensor) for tensor in concrete.graph.captured):
        raise TypeError(
            "`f` uses a tensor of the graph in which `tf.distribute.map` is called. Only what has "
            "a value travels: let each element of `dataset` have the tensor as a part."
        )
    if changes_variables(concrete.graph):
        raise ValueError(
            "`f` changes variables, which a worker has copies of: what it writes would be lost. "
            "Return the values, and assign them where the results arrive. Random numbers may come "
            "of `tf.random.stateless_uniform` with a seed for each element."
        )
    return concrete, results[-1]


def check_travels(element: ElementType, words: str) -> None:
    """Raises TypeError where an element has a part that is no array."""
    for type_ in element.types:
        if type_.dtype in (dt.variant, dt.resource):
            raise TypeError(
                f"The {words} have a part of dtype {type_.dtype.name}, which stays in its process: "
                f"{element.specs!r}. Let `f` take and return tensors."
            )


def changes_variables(graph: Graph) -> bool:
    """Whether a graph writes to what outlives a call."""
    for node in graph.nodes:
        inner = subgraphs_of(node.op)
        if any(changes_variables(g) for g in inner):
            return True
        is_write = node.op.effect is Effect.WRITE and not inner
        if is_write and any(value.type.dtype is dt.resource for value in node.inputs):
            return True
    return False
