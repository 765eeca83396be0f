"""Nested structures: properties, cycles, composites and the texts of errors."""

from __future__ import annotations

import collections
from dataclasses import dataclass
from typing import Any

import pytest
from corpora.types import Attrs, Parts, Point, Row
from hypothesis import given
from hypothesis import strategies as st

from graphwright.types import containers, tree

LEAVES = st.none() | st.integers() | st.text() | st.frozensets(st.integers())
KEYS = st.text(max_size=3)


def _containers(children: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    mappings = st.dictionaries(KEYS, children, max_size=3)
    pairs = st.tuples(children, children)
    return st.one_of(
        st.lists(children, max_size=3),
        st.lists(children, max_size=3).map(tuple),
        st.lists(children, max_size=3).map(collections.deque),
        mappings,
        mappings.map(collections.OrderedDict),
        mappings.map(lambda items: collections.defaultdict(list, items)),
        pairs.map(lambda pair: Point(*pair)),
        pairs.map(lambda pair: Attrs(*pair)),
    )


STRUCTURES = st.recursive(LEAVES, _containers, max_leaves=12)


@given(STRUCTURES)
def test_packing_the_leaves_gives_the_structure_again(structure: Any) -> None:
    packed = tree.pack_sequence_as(structure, tree.flatten(structure))
    assert packed == structure
    assert type(packed) is type(structure)
    assert repr(packed) == repr(structure)  # the order of keys too


@given(STRUCTURES)
def test_mapping_replaces_every_leaf_and_nothing_else(structure: Any) -> None:
    marked = tree.map_structure(lambda leaf: frozenset([leaf]), structure)
    tree.assert_same_structure(structure, marked)
    assert tree.flatten(marked) == [frozenset([leaf]) for leaf in tree.flatten(structure)]


@given(STRUCTURES, STRUCTURES)
def test_structures_are_alike_both_ways_or_neither(a: Any, b: Any) -> None:
    assert _error(a, b) is _error(b, a)


@given(STRUCTURES, STRUCTURES)
def test_what_is_alike_packs_alike(a: Any, b: Any) -> None:
    if _error(a, b) is None:
        leaves = tree.flatten(a)
        assert tree.flatten(tree.pack_sequence_as(b, leaves)) == leaves


def _error(a: Any, b: Any) -> type[Exception] | None:
    try:
        tree.assert_same_structure(a, b)
    except (TypeError, ValueError) as error:
        return type(error)
    return None


def _circular() -> list[Any]:
    inner: list[Any] = [1, (2,)]
    inner.append({"k": inner})
    return [0, inner]


@pytest.mark.parametrize(
    "use",
    [
        tree.flatten,
        lambda s: tree.pack_sequence_as(s, [1, 2]),
        lambda s: tree.map_structure(lambda x: x, s),
        lambda s: tree.assert_same_structure(s, _circular()),
        lambda s: tree.assert_same_structure(s, [0, [1, (2,), {"k": 3}]]),
    ],
)
def test_a_structure_that_contains_itself_is_refused(use: Any) -> None:
    with pytest.raises(ValueError, match=r"itself, but its element \[1\]\[2\]\['k'\] "):
        use(_circular())


def test_a_structure_too_deep_is_not_called_circular() -> None:
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(RecursionError):
        tree.flatten(deep)


def test_one_container_at_several_places_is_no_cycle() -> None:
    shared = [1]
    for _ in range(12):
        shared = [shared, shared]
    assert tree.flatten(shared) == [1] * 2**12


@pytest.mark.parametrize(
    ("a", "b", "error", "text"),
    [
        ([1, {"x": (1,)}], [1, {"x": [1]}], TypeError, r"at \[1\]\['x'\]: tuple \(1,\) and list"),
        (
            Point(1, [2]),
            Point(1, 2),
            ValueError,
            r"at \.y: \[2\] \(list\) is a structure, 2 \(int\)",
        ),
        ({"a": 1}, {"b": 1}, ValueError, r"at the top: the keys \['a'\] and \['b'\]"),
        ([Parts([1], 2)], [Parts([1, 2], 2)], ValueError, r"at \[0\]\[0\]: 1 elements, 2 elem"),
        (Attrs(1, (2,)), Attrs(1, {}), TypeError, r"First:  Attrs\(y=\., x=\(\.,\)\)"),
        ({"a": Row([1])}, {"a": 1}, ValueError, r"Second: \{'a': \.\}"),
    ],
)
def test_differences_are_named_with_their_place(
    a: Any, b: Any, error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        tree.assert_same_structure(a, b)


def test_wrong_number_of_leaves_names_both() -> None:
    with pytest.raises(ValueError, match=r"has 3 leaves but flat_sequence has 2"):
        tree.pack_sequence_as([0, (0, 0)], [1, 2])


@dataclass(frozen=True)
class PairSpec:
    """The type spec of a composite of two leaves."""

    kind: str

    @property
    def _component_specs(self) -> Any:
        return (f"{self.kind}-first", {"second": f"{self.kind}-second"})

    def _to_components(self, value: Pair) -> Any:
        return (value.first, {"second": value.second})

    def _from_components(self, components: Any) -> Pair:
        return Pair(self.kind, components[0], components[1]["second"])

    def most_specific_common_supertype(self, others: Any) -> PairSpec | None:
        return self if all(other == self for other in others) else None

    @property
    def __graphwright_spec__(self) -> PairSpec:
        return self


@dataclass(frozen=True)
class Pair:
    """A composite."""

    kind: str
    first: Any
    second: Any

    @property
    def __graphwright_spec__(self) -> PairSpec:
        return PairSpec(self.kind)


def test_composites_are_leaves_unless_expanded() -> None:
    pair = Pair("k", 1, 2)
    assert tree.flatten([pair]) == [pair]
    assert tree.flatten([pair], expand_composites=True) == [1, 2]
    assert not tree.is_nested(pair)
    packed = tree.pack_sequence_as([pair], [3, 4], expand_composites=True)
    assert packed == [Pair("k", 3, 4)]
    doubled = tree.map_structure(lambda x: 2 * x, pair, expand_composites=True)
    assert doubled == Pair("k", 2, 4)


def test_a_spec_stands_for_its_composite() -> None:
    spec = PairSpec("k")
    assert tree.flatten(spec, expand_composites=True) == ["k-first", "k-second"]
    assert tree.pack_sequence_as(spec, [3, 4], expand_composites=True) == Pair("k", 3, 4)
    tree.assert_same_structure([spec], [Pair("k", 1, 2)], expand_composites=True)


@pytest.mark.parametrize("other", [Pair("m", 1, 2), (1, 2), 1])
def test_composites_of_incompatible_specs_differ(other: Any) -> None:
    with pytest.raises(ValueError, match=r"at \[0\]"):
        tree.assert_same_structure([Pair("k", 1, 2)], [other], expand_composites=True)


def test_the_table_of_containers_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(containers.PLAIN, "limit", 10)
    for number in range(30):
        cls = type(f"T{number}", (list,), {})
        assert tree.flatten(cls([1])) == [1]
        assert len(containers.PLAIN) <= 10
