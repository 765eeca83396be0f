"""Gradients of several replicas: their sums, by which each replica changes its copies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

from graphwright.library.distribute.replica_scopes import SCOPE, ReplicaScope, inside
from graphwright.types.arguments import TensorLike
from graphwright.values.variable import Variable

if TYPE_CHECKING:
    from graphwright.library.distribute.divided_state import StateDivision

Pairs: TypeAlias = Sequence[tuple[TensorLike, Variable]]


@contextmanager
def summed_over_replicas(
    count: Variable, pairs: Pairs, division: StateDivision | None
) -> Iterator[Pairs]:
    """Opens the block in which an optimizer changes variables; gives it the gradients to use.

    In a replica these are the sums over all replicas. All replicas compute the same from them, so
    each changes its own copies, whatever the aggregation of a variable is.

    Args:
        count: The variable that counts the steps.
        pairs: Pairs of a gradient of this replica and its variable.
        division: How the state is divided, if it is. The gradients are this rank's shares then.

    Yields:
        The pairs to use.

    Raises:
        ValueError: The optimizer was made outside the scope of the strategy.
    """
    scope = SCOPE.get()
    replica = None if scope is None else scope.replica
    if replica is None or replica.num_replicas_in_sync == 1:
        yield pairs
        return
    if not replica.strategy.extended.variable_created_in_scope(count):
        raise ValueError(
            "The optimizer was made outside the scope of the strategy in whose replica it changes "
            "variables, so its step count has no copy for each. Make it inside: "
            "`with strategy.scope(): optimizer = ...`."
        )
    gradients = [gradient for gradient, _ in pairs]
    if division is None:
        sums = replica.all_reduce("sum", gradients)
    else:
        sums = division.shared_sums(gradients)
    number = replica._local
    with inside(ReplicaScope(replica.strategy, None, number)):
        yield [(gradient, variable) for gradient, (_, variable) in zip(sums, pairs)]


def division_here() -> StateDivision | None:
    """How optimizers that are made here divide their state; None where they do not."""
    scope = SCOPE.get()
    if scope is None or not scope.strategy.extended._divides_state:
        return None
    from graphwright.library.distribute.divided_state import StateDivision  # few programs do

    return StateDivision(scope.strategy)
