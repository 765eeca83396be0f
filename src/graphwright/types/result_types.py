"""What ops and datasets give, by name. Type checkers read `result_types.pyi`.

The stub knows the classes.

These classes are of higher layers, which no module here imports, for types neither.
"""

from __future__ import annotations

from typing import Any, TypeAlias

Tensor: TypeAlias = Any
Dataset: TypeAlias = Any
