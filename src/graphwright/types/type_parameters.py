"""Type variables of datasets and iterators. Type checkers read `type_parameters.pyi`.

The stub gives them defaults and bounds, which Python has from 3.13 on.
"""

from __future__ import annotations

from typing import TypeVar

#: What an element of a dataset is: a tensor, or a structure of tensors.
Element = TypeVar("Element", covariant=True)
