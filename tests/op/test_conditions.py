"""What records ask of ranks and attributes, where results are inferred and where kernels run."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

import graphwright as tf
from graphwright.op.conditions import behind_rule, check_least, check_ranks, host_dims
from graphwright.types.tensor_type import TensorType


class Stated:
    """A record as conditions see it."""

    ranks: ClassVar[dict[str, int]] = {"a": 0, "b": 1, "c": 2, "d": 3}
    least: ClassVar[dict[str, int]] = {"size": 1, "N": 2}
    fields: ClassVar[dict[str, str]] = {"size": "int"}
    operands: ClassVar[tuple[Any, ...]] = ()
    has_host: ClassVar[bool] = False
    size = 1

    def __init__(self, *names: str) -> None:
        self.names = names
        self.asked: list[Any] = []

    def operand_names(self, count: int) -> Any:
        return self.names[:count]

    def count_in_lists(self, tensors: int) -> int:
        return tensors

    def host_mask(self, count: int) -> Any:
        return [name == "h" for name in self.names][:count]

    def shapes(self, *operands: Any) -> Any:
        self.asked.append(operands)
        if operands[0].dims == (7,):
            raise ValueError("no seven")


def of_rank(rank: int | None) -> TensorType:
    return TensorType(tf.float32, None if rank is None else (2,) * rank)


@pytest.mark.parametrize(
    ("name", "rank", "noun"),
    [("a", 0, "a scalar"), ("b", 1, "a vector"), ("c", 2, "a matrix"), ("d[1]", 3, "of rank 3")],
)
def test_ranks(name: str, rank: int, noun: str) -> None:
    stated = Stated(name)
    for right in (of_rank(rank), of_rank(None), None):
        check_ranks(stated, [right])
    for wrong in {0, 1, 2, 3, 4} - {rank}:
        with pytest.raises(ValueError, match="must be ") as raised:
            check_ranks(stated, [of_rank(wrong)])
        shape = f"[{','.join(['2'] * wrong)}]"
        assert str(raised.value) == f"{name} must be {noun}, got shape {shape}"
    check_ranks(Stated("e"), [of_rank(5)])


def test_host_values_have_dims() -> None:
    wanted = [
        (3, ()),
        (None, None),
        ((), (0,)),
        ((1, 2, 3), (3,)),
        (((1, 2), (3, 4), (5, 6)), (3, 2)),
    ]
    for value, dims in wanted:
        assert host_dims(value) == dims
    with pytest.raises(ValueError, match=r"b must be a vector, got shape \[\]"):
        check_ranks(Stated("b"), [4])
    check_ranks(Stated("b"), [(4, None)])


def test_least_values() -> None:
    stated = Stated()
    check_least(stated, 2)
    with pytest.raises(ValueError, match="'N' must be at least 2 tensors, got 1"):
        check_least(stated, 1)
    stated.size = 0
    with pytest.raises(ValueError, match="attr 'size' of 0 must be at least 1"):
        check_least(stated, 2)


class Array:
    def __init__(self, *shape: int) -> None:
        self.shape = shape


def test_a_rule_is_asked_once_for_each_combination_of_shapes() -> None:
    stated = Stated("x", "y")
    kernel = behind_rule(stated, [tf.float32, tf.int32], lambda x, y: (x.shape, y))
    assert kernel(Array(2), "text") == ((2,), "text")
    kernel(Array(2), "other text")
    assert stated.asked == [(TensorType(tf.float32, (2,)), TensorType(tf.int32, ()))]
    kernel(Array(3), Array(2))
    assert len(stated.asked) == 2
    for _ in range(2):  # what it refuses is not remembered
        with pytest.raises(ValueError, match="no seven"):
            kernel(Array(7), Array())
    assert len(stated.asked) == 4
    kernel(Array(2), Array())
    assert len(stated.asked) == 4


def test_a_rule_sees_host_values() -> None:
    class WithHost(Stated):
        operands = (type("Operand", (), {"host": False}), type("Operand", (), {"host": True}))
        has_host = True

    stated = WithHost("x", "h")
    kernel = behind_rule(stated, [tf.float32], lambda x, h: h)
    assert [kernel(Array(2), h) for h in (1, 2, 1, (1, 2))] == [1, 2, 1, (1, 2)]
    assert [h for _, h in stated.asked] == [1, 2, (1, 2)]


def test_not_all_shapes_are_remembered() -> None:
    stated = Stated("x")
    kernel = behind_rule(stated, [tf.float32], lambda x: None)
    for size in range(8, 8 + 256):
        kernel(Array(size))
    kernel(Array(8))
    assert len(stated.asked) == 256
    kernel(Array(1))
    kernel(Array(8))
    assert len(stated.asked) == 258
