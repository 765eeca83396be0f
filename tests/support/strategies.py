"""Hypothesis strategies that several test files share."""

from __future__ import annotations

from hypothesis import strategies as st

from graphwright.trace.argument_types import LiteralType, Structure, VariableType
from graphwright.types import dtypes as dt
from graphwright.types.specs import TensorSpec

dtypes = st.sampled_from([dt.float32, dt.int32, dt.bool_])
dims = st.none() | st.lists(st.none() | st.integers(1, 3), max_size=3).map(tuple)
specs = st.builds(TensorSpec, dims, dtypes)
literals = st.builds(LiteralType, st.sampled_from([0, 1, True, 1.0, "a", None, 2]))
variables = st.builds(VariableType, specs, st.integers(0, 1))


def structures(children: st.SearchStrategy) -> st.SearchStrategy:
    """Lists, tuples and dicts of other trace types."""
    sequences = st.tuples(
        st.sampled_from([list, tuple]), st.none(), st.lists(children, max_size=2).map(tuple)
    )
    keys = st.sampled_from([("a",), ("a", "b"), ()])
    mappings = keys.flatmap(
        lambda ks: st.tuples(st.just(dict), st.just(ks), st.tuples(*[children] * len(ks)))
    )
    return (sequences | mappings).map(lambda parts: Structure(*parts))


trace_types = st.recursive(specs | literals | variables, structures, max_leaves=4)
