"""The instructions of a stage under construction: an equal one is not written twice."""

from __future__ import annotations

from graphwright.compile.nests.nest import Instruction


class InstructionList:
    """Instructions in order, each known by its position."""

    def __init__(self) -> None:
        self.instructions: list[Instruction] = []
        self._positions: dict[tuple[type, str], int] = {}

    def emit(self, instruction: Instruction) -> int:
        """An instruction's position; appends it unless an equal one is there."""
        # As tuples, a constant may equal something else, and 0.0 equals -0.0.
        key = (type(instruction), str(instruction))
        position = self._positions.get(key)
        if position is None:
            position = self._positions[key] = len(self.instructions)
            self.instructions.append(instruction)
        return position

    def all(self) -> tuple[Instruction, ...]:
        """The instructions."""
        return tuple(self.instructions)
