"""Expressions on values and types whose outcomes are recorded from TensorFlow.

Each is evaluated with `tf` bound to TensorFlow when recording and to graphwright's types
when testing; the outcome is the repr, or the class of the error.
"""

from __future__ import annotations

import array
import collections
import copy
import pickle
import types
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any

import attr
import numpy as np

Point = collections.namedtuple("Point", "x y")
SamePoint = collections.namedtuple("Point", "x y")  # type: ignore[name-match]
OtherPoint = collections.namedtuple("OtherPoint", "x y")


class PointChild(Point):
    """A named tuple's subclass."""


class ListChild(list):  # type: ignore[type-arg]
    """A list's subclass."""


class TupleChild(tuple):  # type: ignore[type-arg]
    """A tuple's subclass."""


@attr.s
class Attrs:
    """An attrs class whose fields are not in alphabetical order."""

    y = attr.ib()
    x = attr.ib()


@attr.s
class OtherAttrs:
    """An attrs class like the other."""

    y = attr.ib()
    x = attr.ib()


class Parts:
    """A class that says itself how it is flattened."""

    def __init__(self, first: Any, second: Any, name: str = "n") -> None:
        self.first, self.second, self.name = first, second, name

    def __tf_flatten__(self) -> tuple[tuple[str], tuple[Any, Any]]:
        return (self.name,), (self.first, self.second)

    @classmethod
    def __tf_unflatten__(cls, metadata: tuple[str], components: tuple[Any, Any]) -> Parts:
        return cls(*components, *metadata)

    def __repr__(self) -> str:
        return f"Parts({self.first!r}, {self.second!r}, {self.name!r})"


class PartsChild(Parts):
    """A subclass of such a class."""


class HalfParts:
    """A class with one half of the protocol: a leaf."""

    def __tf_flatten__(self) -> tuple[tuple[()], tuple[int]]:
        return (), (1,)

    def __repr__(self) -> str:
        return "HalfParts()"


class Row(Sequence):  # type: ignore[type-arg]
    """A sequence of no built-in base."""

    def __init__(self, items: Any) -> None:
        self.items = list(items)

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: Any) -> Any:
        return self.items[index]

    def __repr__(self) -> str:
        return f"Row({self.items})"


class Table(Mapping):  # type: ignore[type-arg]
    """A mapping of no built-in base, and immutable."""

    def __init__(self, items: Any) -> None:
        self.items_ = dict(items)

    def __len__(self) -> int:
        return len(self.items_)

    def __iter__(self) -> Any:
        return iter(self.items_)

    def __getitem__(self, key: Any) -> Any:
        return self.items_[key]

    def __repr__(self) -> str:
        return f"Table({self.items_})"


NAMES: dict[str, Any] = {
    "np": np,
    "format": format,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickled": lambda value: pickle.loads(pickle.dumps(value)),
    "array": array.array,
    "proxy": types.MappingProxyType,
    "OD": collections.OrderedDict,
    "DD": collections.defaultdict,
    "UD": collections.UserDict,
    "UL": collections.UserList,
    "CM": collections.ChainMap,
    "Counter": collections.Counter,
    "deque": collections.deque,
    **{
        cls.__name__: cls
        for cls in (OtherPoint, PointChild, ListChild, TupleChild, Attrs, OtherAttrs, Row, Table)
    },
    "Five": lambda base: five(base),
    "Parts": Parts,
    "PartsChild": PartsChild,
    "HalfParts": HalfParts,
    "Point": Point,
    "SamePoint": SamePoint,
}


def _words(text: str) -> list[str]:
    return text.split()


_VALUES = _words(
    """1 None 'ab' b'ab' () [] {} (1,) [1,(2,3)] {'b':1,'a':2} Point(1,[2]) range(3) {1}
    frozenset([1]) deque([1,2]) UD(a=1) proxy({'b':1,'a':2}) OD(b=1,a=2)
    {'b':1,'a':2}.values() {'b':1}.keys() {'b':1}.items() UL([1,2]) bytearray(b'a')
    memoryview(b'a') CM({'a':1}) Counter('aab') array('i',[1,2]) np.arange(2) {1:2,'a':3}
    {None:2,'a':3} {2:1,10:2,1:3} Attrs(1,[2,3]) Parts(1,{'b':2,'a':3}) HalfParts() Row([1,2])
    Table({'b':1,'a':2}) object DD(list,b=1,a=2) ListChild([1,2]) TupleChild([1,2])
    PointChild(1,2) [Point,dict,int] [[],{}] [[None,[]],()] {'x':[1,{'y':2}]} [1,2] {'a':1}
    {'b':1} {'a':1,'b':1} {'c':1,'d':(2,)} [[1]] SamePoint(1,2) OtherPoint(1,2) Point(1,2)
    OtherAttrs(1,2) PartsChild(1,2) Parts(1,2,'m')"""
)

_PACKED = _words(
    """() [0,0] (0,0) {'b':0,'a':0} OD(b=0,a=0) DD(list,b=0,a=0) Point(0,0) PointChild(0,0)
    UD(b=0,a=0) deque([0,0]) range(2) UL([0,0]) CM({'b':0,'a':0}) Counter(b=1,a=1) Row([0,0])
    Table({'b':0,'a':0}) {'b':0,'a':0}.values() bytearray(b'ab') Attrs(0,0) Parts(0,0) 0
    (0,[0,0]) proxy({'b':0,'a':0}) {1:2,'a':3} ListChild([0,0]) TupleChild([0,0])
    [(),0,{},[0]]"""
)

_FLAT = ["[1,2]", "(3,4)", "[1,2,3]", "[]", "5", "'ab'", "(i for i in range(2))", "np.arange(2)"]

_PAIRS = [
    (a, b)
    for group in [
        """[0] (0,) ListChild([0]) TupleChild([0]) deque([0]) UL([0]) {'a':0} {'a':0}.values()
        Row([0])""",
        """(0,1) Point(0,1) PointChild(0,1) SamePoint(0,1) OtherPoint(0,1) range(2) Attrs(0,1)
        OtherAttrs(0,1) Parts(0,1) Parts(0,1,'m') PartsChild(0,1)""",
        "{'a':0} OD(a=0) DD(int,a=0) UD(a=0) {'b':0} {'a':0,'b':0} {} Table({'a':0})",
        "1 None [1] [] [[]] () [1,2] [1,[2]] 'a' ['a'] {'x':[1,{'y':2}]} {'x':[1,{'y':(2,)}]}",
        "{'a':1,'b':(2,)} {'c':1,'d':(2,)} {'c':(1,),'d':2} OD(b=(1,),a=2)",
    ]
    for a, b in product(group.split(), repeat=2)
]

NEST = [
    *(f"tf.nest.flatten({v})" for v in _VALUES),
    *(f"tf.nest.is_nested({v})" for v in _VALUES),
    *(f"tf.nest.map_structure(lambda x: (x, 1), {v})" for v in _PACKED),
    *(f"tf.nest.pack_sequence_as({v}, {flat})" for v, flat in product(_PACKED, _FLAT)),
    *(f"tf.nest.assert_same_structure({a}, {b})" for a, b in _PAIRS),
    *(f"tf.nest.assert_same_structure({a}, {b}, check_types=False)" for a, b in _PAIRS),
    "tf.nest.map_structure(lambda x: x)",
    "tf.nest.map_structure(3, [1])",
    "tf.nest.map_structure(lambda x: x, [1], foo=3)",
    "tf.nest.map_structure(lambda x, y: x + y, [1, (2, 3)], [4, (5, 6)])",
    "tf.nest.map_structure(lambda x, y: x + y, [1, (2, 3)], [4, [5, 6]])",
    "tf.nest.map_structure(lambda x, y: x + y, [1, (2, 3)], [4, [5, 6]], check_types=False)",
    "tf.nest.map_structure(lambda x, y: x + y, OD(b=1, a=2), {'a': 10, 'b': 20})",
    "tf.nest.map_structure(lambda x, y: x + y, Parts(1, 2, 'm'), Parts(3, 4, 'k'))",
]

_SHAPES = _words("None [] [1] [None] [2] [1,2] [None,2] [0,None]")
_SHAPE_LIKE = [
    *(f"tf.TensorShape({s})" for s in _words("None [] [None] [2] [1,2] [None,2]")),
    *_words("[2] None 2 (1,2) [None,2] 'ab' [3,4,5] 2.5 [2.5] object() np.array([1]) (1,) [[1]]"),
]
_DIMS = _words(
    """None [] () [2,None] 3 'ab' [2,-1] -1 [2.5] ['3'] [np.int64(3)] np.array([1,2]) [[1]] {1:2}
    {3} range(3) 2.5 object() b'ab' [2**40,2**40] [-2] 0 [0]"""
)

SHAPES = [
    *(f"tf.TensorShape({dims})" for dims in _DIMS),
    *(
        f"tf.TensorShape({s}){use}"
        for s in _SHAPES
        for use in _words(
            """.rank .ndims .as_list() .num_elements() .is_fully_defined() .with_rank(1)
            .with_rank(2) .with_rank(None) .with_rank_at_least(1) .with_rank_at_most(1)
            .assert_has_rank(1) .assert_is_fully_defined() .foo [0] [-1] [5] [1:] [:2] [1:3] [-1:]
            [:-1] [3:1] [:] [0:0] [-2:-1] [::2] [1:5:2] [::-1] [-1:2] [np.int32(0)] <2 *2
            .dims==None .flatten() .to_tensors(3) .from_tensors(iter([])) .placeholder_value(None)
            .most_specific_common_supertype([])"""
        )
    ),
    *(
        f"{use}(tf.TensorShape({s}))"
        for s in _SHAPES
        for use in _words("str repr format len bool list tuple copy deepcopy pickled")
    ),
    *(
        f"tf.TensorShape({s}).{method}({other})"
        for s, other in product(_SHAPES, _SHAPE_LIKE)
        for method in _words(
            """merge_with concatenate is_compatible_with most_specific_compatible_shape
            is_subtype_of assert_is_compatible_with assert_same_rank"""
        )
    ),
    *(
        f"tf.TensorShape({s}).most_specific_common_supertype([{other}])"
        for s, other in product(_SHAPES, _SHAPE_LIKE)
    ),
    *(
        f"{left} {operator} {right}"
        for s, other in product(_SHAPES, _SHAPE_LIKE)
        for left, right in [(f"tf.TensorShape({s})", other), (other, f"tf.TensorShape({s})")]
        for operator in ["==", "!=", "+"]
        if "np.array" not in left
    ),
    "hash(tf.TensorShape([1, None])) == hash((1, None))",
    "hash(tf.TensorShape(None)) == hash(None)",
    "tf.TensorShape([1,2]).most_specific_common_supertype([tf.TensorShape([1,3])] * 2)",
    "2 in tf.TensorShape([1, 2])",
    "np.zeros(tf.TensorShape([1, 2])).shape",
    "tf.TensorShape([1]).cast(3, None)",
    "tf.TensorShape([1]) == [-1]",
    "tf.TensorShape()",
]

_TENSOR_SPECS = _words(
    """TensorSpec([2]) TensorSpec([None]) TensorSpec(None) TensorSpec([3],name='a')
    TensorSpec([2],name='a') TensorSpec([2],tf.int32) TensorSpec([2,2],name='b')
    Bounded([2],tf.float32,0,1) Bounded([3],tf.float32,0,1) Bounded([2],tf.float32,0,2)
    Bounded([None],tf.float32,0,1,'a')"""
)
_PAIR_SPECS = _words(
    """PairSpec(S([1]),'a') PairSpec(S([2]),'a') PairSpec(S([None]),'a') PairSpec(S([1]),'b')
    PairSpec(S(None),99) PairSpec(S([1]),99.0) PairSpec(S([1]),99) PairSpec(S([1]),(1,2))
    PairSpec(S([1]),[1,2]) PairSpec(S([1]),[1,S([7])]) PairSpec(S([2]),[1,S([8])])
    PairSpec(S([1]),TensorSpec([2])) PairSpec(S([2]),TensorSpec([3]))
    PairSpec(S([1]),tf.float32) PairSpec(S([1]),tf.int32) PairSpec(S([1]),{'x':1,'y':[2]})
    PairSpec(S([1]),{'y':[2],'x':1})"""
)
_SPECS = _TENSOR_SPECS + _PAIR_SPECS
_TENSORS = _words("tf.constant([1.,2.]) tf.constant([1,2]) tf.constant([1.,2.,3.]) tf.constant(1.)")

SPECS = [
    *_SPECS,
    *(
        f"{spec}{use}"
        for spec in _SPECS
        for use in _words(
            """._serialize() .flatten() .most_specific_common_supertype([]) .foo
            ._component_specs .__tf_tracing_type__(None) .value_type.__name__"""
        )
    ),
    *(
        f"{use}({spec})"
        for spec in _SPECS
        for use in _words("str copy deepcopy pickled TensorSpec.from_spec Bounded.from_spec")
    ),
    *(
        f"{a}.{method}"
        for group in [_TENSOR_SPECS, _PAIR_SPECS]
        for a, b in product(group, group)
        for method in [
            f"is_subtype_of({b})",
            f"is_compatible_with({b})",
            f"most_specific_common_supertype([{b}])",
            f"most_specific_compatible_type({b})",
            f"__eq__({b}) is True",
        ]
    ),
    *(
        f"(lambda a, b: a != b or hash(a) == hash(b))({a}, {b})"
        for group in [_TENSOR_SPECS, _PAIR_SPECS]
        for a, b in product(group, group)
    ),
    *(
        f"{a}.{method}"
        for a, b in product(
            [_TENSOR_SPECS[0], _TENSOR_SPECS[7], _PAIR_SPECS[0]],
            [
                *_words("3 None 's' S([2]) np.ones(2,np.float32) [1.,2.] object() 2.0"),
                *[_TENSOR_SPECS[0], _PAIR_SPECS[0], *_TENSORS],
            ],
        )
        for method in [
            f"is_compatible_with({b})",
            f"is_subtype_of({b})",
            f"most_specific_common_supertype([{b}])",
            f"__eq__({b}) is True",
        ]
    ),
    *(
        f"TensorSpec({shape}).to_tensors({value})[0].shape"
        for shape in ["[2]", "[]", "[None]", "None"]
        for value in [*_TENSORS, "3", "2.5", "[1, 2]", "np.ones(2)", "None", "'a'", "object()"]
    ),
    *(f"TensorSpec({dims}).shape" for dims in _DIMS),
    "TensorSpec([2]).from_tensors(iter([tf.constant([1., 2.])])).shape",
    "PairSpec(S([1]), 'a').to_tensors(tf.constant([1.]))[0].shape",
    "PairSpec(S([1]), 'a').to_tensors(tf.constant([1., 2.]))",
    "PairSpec(S([1]), 'a').from_tensors(iter([tf.constant([1.])])).shape",
    "TensorSpec([2]).most_specific_common_supertype([TensorSpec([3]), TensorSpec([4, 5])])",
    "TensorSpec([2], 'foo')",
    "TensorSpec([2], None)",
    "TensorSpec()",
    "TensorSpec([2], name=3)",
    "TensorSpec(shape=[2], dtype='int8', name='x').name",
    "TensorSpec([2], np.float16).dtype",
    "TensorSpec.from_tensor(tf.constant([1]))",
    "TensorSpec.from_tensor(tf.constant([1]), name='q')",
    "TensorSpec.from_tensor(3)",
    "TensorSpec.from_tensor(np.ones(2))",
    "TensorSpec.from_spec(3)",
    "TensorSpec.from_spec(TensorSpec([2], tf.int32, 'a'), name='b')",
    "Bounded([2], tf.float32, [0, 1], [2, 3], 'n')",
    "Bounded([2], tf.float32, [0, 1, 2], 1)",
    "Bounded([2], tf.float32, 2, 1)",
    "Bounded([2], tf.float32, None, 1)",
    "Bounded([2], tf.float32, 'a', 1)",
    "Bounded([2], tf.int32, 0.5, 1).minimum",
    "Bounded([2], tf.float32, [0, 0], 1).minimum.flags.writeable",
    "Bounded([None], tf.float32, [0, 1], 1)",
    "Bounded([2], tf.uint8, 0, 255).maximum",
    "tf.TypeSpec()",
    "isinstance(TensorSpec([2]), tf.TypeSpec)",
    "isinstance(TensorSpec([2]), tf.types.experimental.TraceType)",
    "isinstance(TensorSpec([2]), tf.types.experimental.SupportsTracingProtocol)",
    "isinstance(3, tf.types.experimental.SupportsTracingProtocol)",
    *(
        f"tf.type_spec_from_value({value})"
        for value in [*_TENSORS, "[1,2]", "3", "np.ones(2)", "object()", "'a'", "TensorSpec([2])"]
    ),
    "tf.types.experimental.TraceType()",
    "Five(tf.types.experimental.TraceType)().cast(5, None)",
    "Five(tf.types.experimental.TraceType)().cast(3, None)",
    "Five(tf.types.experimental.TraceType)().flatten()",
    "Five(tf.types.experimental.TraceType)().to_tensors(5)",
    "Five(tf.types.experimental.TraceType)().from_tensors(iter([]))",
]


def five(base: type) -> type:
    """A trace type of the number 5 only, with the defaults of the abstract class."""

    class Five(base):  # type: ignore[misc]
        def is_subtype_of(self, other: Any) -> bool:
            return isinstance(other, Five)

        def most_specific_common_supertype(self, others: Any) -> Any:
            return self

        def placeholder_value(self, placeholder_context: Any) -> int:
            return 5

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Five)

        def __hash__(self) -> int:
            return 5

    return Five


@cache
def pair_spec(base: type, tensor_spec: type) -> type:
    """A type spec of one tensor, known by a shape and by something else."""

    class PairSpec(base):  # type: ignore[misc]
        def __init__(self, shape: Any, other: Any) -> None:
            self.shape, self.other = shape, other

        @property
        def value_type(self) -> type:
            return int

        @property
        def _component_specs(self) -> Any:
            return [tensor_spec(self.shape)]

        def _serialize(self) -> Any:
            return (self.shape, self.other)

        def _to_components(self, value: Any) -> Any:
            return [value]

        def _from_components(self, components: Any) -> Any:
            return components[0]

        def __reduce__(self) -> Any:  # a local class cannot be found by its name
            return make_pair_spec, (base, tensor_spec, *self._serialize())

    PairSpec.__qualname__ = "PairSpec"
    return PairSpec


def make_pair_spec(base: type, tensor_spec: type, shape: Any, other: Any) -> Any:
    """Such a spec of two packages' classes."""
    return pair_spec(base, tensor_spec)(shape, other)


DTYPES = [
    f"tf.as_dtype('{name}').{attribute}"
    for name in [
        "bool",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "float16",
        "float32",
        "float64",
        "bfloat16",
        "complex64",
        "complex128",
        "string",
        "qint8",
        "quint8",
        "qint16",
        "quint16",
        "qint32",
        "resource",
        "variant",
    ]
    for attribute in [
        "limits",
        "min",
        "max",
        "size",
        "is_integer",
        "is_floating",
        "is_complex",
        "is_bool",
        "is_unsigned",
        "is_quantized",
        "is_numeric",
        "is_numpy_compatible",
        "as_datatype_enum",
        "real_dtype",
        "base_dtype",
        "name",
    ]
    if (name, attribute) not in {("resource", "limits"), ("variant", "limits")}  # KeyErrors there
]

GROUPS = {"dtypes": DTYPES, "nest": NEST, "shapes": SHAPES, "specs": SPECS}


def names_of(tf: Any) -> dict[str, Any]:
    """Short names of what belongs to one of the two packages."""
    return {
        "S": tf.TensorShape,
        "TensorSpec": tf.TensorSpec,
        "Bounded": tf.BoundedTensorSpec,
        "PairSpec": pair_spec(tf.TypeSpec, tf.TensorSpec),
    }


def outcome(text: str, tf: Any) -> str:
    """The repr of an expression's value, or the class of the error it raises."""
    try:
        return repr(eval(text, {**NAMES, **names_of(tf), "tf": tf}))
    except Exception as error:  # noqa: BLE001 - any class is an outcome
        return f"raises {type(error).__name__}"
