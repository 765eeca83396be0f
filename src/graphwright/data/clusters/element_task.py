"""What an executor's worker does for one element: `computed` is the only function that it calls.

It never raises. So an error of a task says that its worker was lost, or never had it.
"""

from __future__ import annotations

import hashlib
import os
import platform
import traceback
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from graphwright.base.errors import OpError
from graphwright.base.named_tuples import NamedTuple
from graphwright.control.python_call import status_of
from graphwright.data.blocks import Row
from graphwright.function.concrete import ConcreteFunction, Departure
from graphwright.op.interpreter import activate
from graphwright.types import tree
from graphwright.types.arrays import Array
from graphwright.values.tensor import wrap


class FunctionParcel(NamedTuple):
    """A function as bytes, and the digest by which a worker knows it again."""

    digest: bytes
    data: bytes

    @classmethod
    def of(cls, function: ConcreteFunction) -> FunctionParcel:
        """The parcel of a function, with the values that its variables have now."""
        data = Departure.pack(function)
        return cls(hashlib.sha256(data).digest(), data)


class Traveller:
    """A function that goes to workers, and its parcel.

    Args:
        function: A function of tensors. It is an error if it cannot be packed.
    """

    def __init__(self, function: ConcreteFunction) -> None:
        self.function = function
        self.first = self.packed()

    def packed(self) -> FunctionParcel:
        """A new parcel."""
        with activate(None):
            return FunctionParcel.of(self.function)

    def parcel(self) -> FunctionParcel:
        """The function as bytes, with the values that its variables have now."""
        return self.packed() if self.function.variables else self.first


class TaskFailure(NamedTuple):
    """The error of a function: the name of its class, what it says, and where the worker was."""

    kind: str
    words: str
    worker: str
    trace: str

    @classmethod
    def of(cls, error: Exception) -> TaskFailure:
        """The failure that an error is."""
        ours = isinstance(error, OpError)
        kind = type(error if ours else status_of(error)).__name__
        words = error.message if isinstance(error, OpError) else f"{type(error).__name__}: {error}"
        trace = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        return cls(kind, words, f"process {os.getpid()} on {platform.node()}", trace)


#: The arrays of a result, an error, or None where the worker needs the bytes of the function.
Outcome: TypeAlias = Row | TaskFailure | None


def computed(digest: bytes, data: bytes | None, arrays: Sequence[Array]) -> Outcome:
    """The function of one element.

    Args:
        digest: That of the function's bytes.
        data: These bytes; None if the worker should have read them for an earlier task.
        arrays: The tensors of the element, as arrays.
    """
    try:
        with activate(None):
            function = Departure.arrived(digest) if data is None else Departure.arrive(data)
            if function is None:
                return None
            results = tree.flatten(function.call_tensors([wrap(array) for array in arrays]))
            return [np.asarray(result._array) for result in results]
    except Exception as error:  # noqa: BLE001 - the program that waits raises it
        return TaskFailure.of(error)
