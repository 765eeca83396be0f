"""The variables that replicas create while they run: each is one, with a copy on each device.

Objects that replicas share are built by the first one that comes, which alone creates their
variables. So no replica may wait for the others while it creates one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

from graphwright.values.variable import Variable

#: What makes names unique.
_SUFFIX = re.compile(r"_\d+$")


class CreatedVariables:
    """The variables that the first replica creates in a run; the others get the very same ones."""

    def __init__(self) -> None:
        self._made: dict[str, list[Variable]] = {}
        self._uses: Counter[tuple[int, str]] = Counter()

    def variable(self, replica: int, name: object, create: Callable[[], Variable]) -> Variable:
        """A new variable in the first replica, and in others the next one of its name.

        Raises:
            RuntimeError: The first replica has not created it.
        """
        plain = _SUFFIX.sub("", str(name or "Variable"))
        made = self._made.setdefault(plain, [])
        if replica == 0:
            made.append(create())
            return made[-1]
        place = self._uses[replica, plain]
        self._uses[replica, plain] += 1
        if place < len(made):
            return made[place]
        raise RuntimeError(
            f"Tried to create variable {plain} with mismatching name on device {replica}: "
            f"replica 0 has created {len(made)} of this name."
        )
