from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from typing_extensions import TypeVar, TypeVarTuple

from graphwright.types.composite import Composite
from graphwright.values.tensor import Tensor
from graphwright.values.variable import Variable

Element = TypeVar("Element", covariant=True, default=Any)
First = TypeVar("First")
Second = TypeVar("Second")
Third = TypeVar("Third")
Name = TypeVar("Name")
Parts = TypeVarTuple("Parts")

# What becomes an element as it is. A number or an array in it would become a tensor.
_Structure: TypeAlias = (
    Tensor | Composite | tuple["_Structure", ...] | Mapping[Any, "_Structure"] | None
)
Made = TypeVar("Made", bound=_Structure)

# A state that is a tensor or a structure, and one that becomes a tensor.
State = TypeVar("State", bound=Tensor | Composite | tuple[Any, ...] | Mapping[Any, Any])
Plain: TypeAlias = float | str | bytes | np.generic | np.ndarray[Any, Any] | list[Any]

# What converts to one tensor.
Rows: TypeAlias = Tensor | Variable | np.ndarray[Any, Any] | list[Any] | range
