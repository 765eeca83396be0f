"""Names of nodes: unique, and numbered as TensorFlow numbers them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from graphwright.ir.graph import Names


def claimed(names: list[str]) -> list[str]:
    """The names as a table of every name gives them."""
    used: dict[str, int] = {}
    given_names = []
    for name in names:
        key, number = name.lower(), used.get(name.lower())
        if number is None:
            used[key] = 1
            given_names.append(name)
            continue
        while f"{key}_{number}" in used:
            number += 1
        used[f"{key}_{number}"] = 1
        used[key] = number + 1
        given_names.append(f"{name}_{number}")
    return given_names


NUMBERS = ["", "_0", "_1", "_2", "_3", "_01", "_", "_1_1", "_1_2", "_٣", "_10"]


@given(
    st.lists(st.builds(str.__add__, st.sampled_from(["a", "A", "b", ""]), st.sampled_from(NUMBERS)))
)
def test_numbered_names_need_no_entries(names: list[str]) -> None:
    table = Names()
    assert [table.claim(name) for name in names] == claimed(names)


def test_nodes_of_one_name_share_an_entry() -> None:
    table = Names()
    names = {table.claim("Mul") for _ in range(1000)}
    assert len(names) == 1000
    assert table.claim("mul_7") == "mul_7_1"  # case does not tell names apart
    assert len(table._used) == 2
