"""One op, one place: the record from which every interpretation of an op is derived.

A concrete op is a frozen record whose fields are its attributes, so that equal ops
on equal inputs are equal expressions. The class states

- `type_name`: TensorFlow's raw op name;
- `inputs`, `outputs`: the operands as in TensorFlow's OpDef, one string each,
  `"name: dtype"`, where dtype is a type variable, an attribute of the op, or fixed.
  `"values: T*"` takes any number of tensors of one dtype, `"args: Tin..."` any number of
  any dtypes; `"rows: T*N"` as many as the attribute N says. `"axis: Tidx host"` marks a
  *host operand*: a shape, an axis or the like, that the kernel takes as plain Python values
  (int, float, nested tuples);
- `dtypes`: what each type variable, or attribute that is a dtype, may be;
- `shapes`: the shape rule, on `TensorType`s and known host values (unknown dimensions
  and unknown host entries are None); before it, `ranks` and `least` say what operands and
  attributes must be (see `op.conditions`);
- `kernel`: the meaning, on NumPy arrays;
- `gradient`: the cotangents of the inputs, or its refusal (`not_differentiable`);
- `batched`: the op on many rows at once (see `op.batching`);
- `expand`: the op in simpler ops, which machine code has (see `op.expansion`).

Everything else (eager execution, tracing, generated code, GraphDef, tests) follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from functools import cache, lru_cache
from typing import Any, ClassVar, TypeAlias, TypeVar

import numpy as np

from graphwright.base.bounded_tables import remember
from graphwright.base.errors import InvalidArgumentError
from graphwright.base.named_tuples import NamedTuple
from graphwright.op.attributes import plain
from graphwright.op.conditions import behind_rule, check_least, check_ranks
from graphwright.op.frozen_record import Record
from graphwright.op.needs import Needs
from graphwright.op.spelling import misspelt
from graphwright.types import dtypes as dt
from graphwright.types.arguments import DTypeLike, HostValue, TensorValue
from graphwright.types.arrays import Array
from graphwright.types.dtypes import DType
from graphwright.types.keys import signed
from graphwright.types.tensor_type import Dims, TensorType

Shapes: TypeAlias = tuple["Dims | None", ...]
OpT = TypeVar("OpT", bound="Op")

#: The most ops of a class, and forms of an op or a class, that are remembered. A form is for a
#: number of operands, or for their dtypes. Programs make ever new ones, from a counter or a growing
#: list.
_OPS = 1024
FORMS = 64


#: The words for how a reduction combines elements; a peak is a maximum that ignores NaN.
COMBINATIONS = frozenset({"", "sum", "prod", "max", "min", "peak", "all", "any"})


class Effect(Enum):
    """What executing an op does besides computing its results."""

    NONE = "none"
    READ = "read"  # sees state: keeps its place among writes, may be dropped when unused
    WRITE = "write"  # changes state or the outside: keeps its place and is never dropped


class Operand(NamedTuple):
    """A parsed entry of `inputs` or `outputs`."""

    name: str
    dtype: str
    host: bool
    variadic: bool  # any number of tensors of one dtype
    mixed: bool  # any number of tensors of any dtypes
    length: str = ""  # the attribute that says how many tensors there are


#: The attributes of dtype that TensorFlow's ops have a default for. The dtype of other places and
#: sizes, as those of slices, is what the value says.
INT32_BY_DEFAULT = frozenset(
    {
        "Tblock_shape", "Tcrops", "Tdim", "Tidx", "Tk", "Tmultiples", "Tnumsegments", "Tpaddings",
        "Tperm", "Tshape", "index_type", "shape_dtype",
    }
)  # fmt: skip


@cache
def parse_operand(text: str) -> Operand:
    """`"name: dtype* host"` -> Operand."""
    name, _, rest = text.partition(":")
    words = rest.split()
    dtype, star, length = words[0].partition("*")
    return Operand(
        name=name.strip(),
        dtype=dtype.rstrip("."),
        host="host" in words[1:],
        variadic=bool(star),
        mixed=dtype.endswith("..."),
        length=length,
    )


class LateRefusal(ValueError):
    """What TensorFlow finds as the op runs, though constants tell it before."""


class DTypeMismatch(Exception):
    """Operand `position` of an op has a dtype that its record does not allow."""

    def __init__(
        self, op: Op, position: int, operand: str, got: DType, expected: DType | None, like: str
    ) -> None:
        super().__init__(op, position, operand, got, expected, like)
        self.op = op
        self.position = position
        self.operand = operand
        self.got = got
        self.expected = expected
        self.like = like

    def eager_message(self) -> str:
        """As TensorFlow's eager runtime says it, and the call that works."""
        name = self.op.type_name
        if self.expected is None:
            return (
                f"Value for attr '{self.like}' of {self.got.name} is not in the list of allowed "
                f"values: {allowed_names(self.op, self.like)}\n\t; operand '{self.operand}' of "
                f"{name} [Op:{name}]{self.advice()}"
            )
        return (
            f"cannot compute {name} as input #{self.position}(zero-based) was expected to be a "
            f"{c_name(self.expected)} tensor but is a {c_name(self.got)} tensor [Op:{name}] name: "
            f"{self.advice()}"
        )

    def advice(self) -> str:
        """A line with the call that converts the operand; empty if there is none."""
        wanted = self.expected
        if wanted is None:
            allowed = self.op.dtypes.get(self.like, frozenset())
            wanted = next((d for d in (dt.float32, dt.int32) if d in allowed), None)
        numbers = wanted is not None and (wanted.is_numeric or wanted.is_bool)
        if wanted is None or wanted.is_quantized or self.got.is_quantized:
            return ""
        if numbers and (self.got.is_numeric or self.got.is_bool):
            operand = self.own_name()
            if self.may_convert_other() and dt.widest((wanted, self.got)) is self.got:
                operand, wanted = self.other_name(), self.got  # the other way would lose digits
            return f"\n    tf.cast({operand}, tf.{wanted.name}) converts it"
        parsed = (dt.float32, dt.float64, dt.int32, dt.int64)
        if wanted in parsed and self.got is dt.string:
            return f"\n    tf.strings.to_number({self.own_name()}, tf.{wanted.name}) converts it"
        if wanted is dt.string and (self.got.is_numeric or self.got.is_bool):
            return f"\n    tf.strings.as_string({self.own_name()}) converts it"
        return ""

    def own_name(self) -> str:
        """The operand's name, and its place among several of one name: `values[1]`."""
        first = 0
        for operand in self.op.operands:
            many = operand.variadic or operand.mixed
            if operand.name == self.operand and many:
                return f"{self.operand}[{self.position - first}]"
            if operand.name == self.operand or many:
                break
            first += not operand.host
        return self.operand

    def other_name(self) -> str:
        """The name of the operand that it is unlike."""
        return self.like if self.like != self.operand else f"{self.like}[0]"

    def may_convert_other(self) -> bool:
        """Whether the op takes this dtype, so that the operand that it is unlike may have it."""
        others = [o for o in self.op.operands if o.name == self.like]
        return any(self.got in self.op.dtypes.get(other.dtype, ()) for other in others)

    def graph_message(self) -> str:
        """As TensorFlow's graph construction says it."""
        name = self.op.type_name
        if self.expected is None:
            return (
                f"Value passed to parameter '{self.operand}' of '{name}' has DataType "
                f"{self.got.name} not in list of allowed values: "
                f"{allowed_names(self.op, self.like)}{self.advice()}"
            )
        if not self.like:
            return (
                f"Input '{self.operand}' of '{name}' Op has type {self.got.name} that does not "
                f"match expected type of {self.expected.name}.{self.advice()}"
            )
        return (
            f"Input '{self.operand}' of '{name}' Op has type {self.got.name} that does not match "
            f"type {self.expected.name} of argument '{self.like}'.{self.advice()}"
        )


def c_name(dtype: DType) -> str:
    """The name that TensorFlow's runtime prints: `float` for float32, `double`, `half`."""
    return {"float32": "float", "float64": "double", "float16": "half"}.get(dtype.name, dtype.name)


def allowed_names(op: Op | type[Op], variable: str) -> str:
    """The dtypes that a type variable may be, in a stable order."""
    return ", ".join(sorted(t.name for t in op.dtypes[variable]))


class Op(Record):
    """The base of all ops; see the module's docstring."""

    type_name: ClassVar[str] = ""
    #: What a message calls it, where TensorFlow has an op of another name that does the same.
    message_name: ClassVar[str] = ""
    #: What its nodes are called unless the program says it: the type, except for old names.
    node_name: ClassVar[str] = ""
    inputs: ClassVar[tuple[str, ...]] = ()
    outputs: ClassVar[tuple[str, ...]] = ()
    dtypes: ClassVar[dict[str, frozenset[DType]]] = {}
    effect: ClassVar[Effect] = Effect.NONE
    operands: ClassVar[tuple[Operand, ...]] = ()
    results: ClassVar[tuple[Operand, ...]] = ()
    has_host: ClassVar[bool] = False
    #: Whether the number of operands is not fixed.
    has_lists: ClassVar[bool] = False
    #: Whether an operand may be the handle of a variable.
    has_handles: ClassVar[bool] = False
    #: The op of the same name for lists of tensors, if there is one: it names this one.
    on_lists: ClassVar[type[Op] | None] = None
    #: The op of the same name for tensors, of an op for lists.
    on_tensors: ClassVar[type[Op] | None] = None
    #: What the handles and variants among the operands must be, if that is one kind of thing.
    behind: ClassVar[type | None] = None
    #: Whether its gradient takes a `tf.IndexedSlices` as it is; others get the dense tensor.
    passes_rows: ClassVar[bool] = False
    #: Whether `known` gets the operands' types instead of their known values.
    known_from_types: ClassVar[bool] = False
    #: Whether results come as a tuple even where there is one (ops with list outputs).
    returns_tuple: ClassVar[bool] = False
    #: Attributes that TensorFlow's op has not: a GraphDef has them with an underscore.
    private: ClassVar[frozenset[str]] = frozenset()
    #: Whether results differ from row to row of a map where the operands do not.
    differs: ClassVar[bool] = False
    #: Whether the kernel calls NumPy alone: no user code, no other op.
    pure: ClassVar[bool] = True
    #: The ranks that operands must have, by their names.
    ranks: ClassVar[dict[str, int]] = {}
    #: The least that attributes may be, and how many tensors lists must have, by their names.
    least: ClassVar[dict[str, int]] = {}
    #: Whether the kernel takes what the shape rule or `ranks` refuse, so that these are asked
    #: before it.
    ruled: ClassVar[bool] = False
    #: Whether the kernel does arithmetic of which NumPy may warn, and not only moves elements.
    computes: ClassVar[bool] = True
    #: Whether the kernel goes over its operands many times, where machine code does once or twice:
    #: large ones are computed by that.
    many_passes: ClassVar[bool] = False
    #: Whether it gives the kernel's bits then: so are many small ones, too.
    exact_passes: ClassVar[bool] = False
    #: How machine code combines the elements along axes, if the op does only that: `COMBINATIONS`.
    combination: ClassVar[str] = ""
    #: What machine code fills a tensor of the operand's shape with, for an op that does only that.
    filling: ClassVar[int | None] = None
    #: Whether results are parts of the operand, so that machine code reads it in their place.
    gives_parts: ClassVar[bool] = False
    #: Whether the expansion is right where an operand has no elements.
    expands_empty: ClassVar[bool] = False
    #: Whether what `bind` returns has a stream of its own, so that each node needs one.
    has_stream: ClassVar[bool] = False
    #: Executes the op at once; made for the class's operands when it is first called.
    execute: ClassVar[Callable[..., Any]]
    _instances: ClassVar[dict[Any, Any]] = {}
    _masks: ClassVar[dict[int, tuple[bool, ...]]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.combination not in COMBINATIONS:
            sentence = f"{cls.__name__}: nothing combines elements by {cls.combination!r}"
            raise misspelt(sentence, cls.combination, COMBINATIONS)
        cls.operands = tuple(parse_operand(text) for text in cls.inputs)
        cls.results = tuple(parse_operand(text) for text in cls.outputs)
        cls.has_host = any(operand.host for operand in cls.operands)
        cls.has_lists = any(o.variadic or o.mixed for o in cls.operands)
        cls.has_handles = any(o.mixed or o.dtype == "resource" for o in cls.operands)
        cls.ruled = cls.ruled or bool(cls.ranks)
        cls.execute = _first_execution
        cls._instances = {}
        cls._masks = {}
        if not {"node_name", "type_name"}.isdisjoint(vars(cls)):
            cls.node_name = vars(cls).get("node_name", cls.type_name)
        named = cls.type_name and not cls.type_name.startswith("_")  # others are lowering's own
        if named and "type_name" in vars(cls):
            REGISTRY.setdefault(cls.type_name, cls)
        if cls.on_tensors is not None:
            cls.on_tensors.on_lists = cls

    def __new__(cls, *args: Any, **kwargs: Any) -> Op:
        self = super().__new__(cls)
        self.__dict__["_kernels"] = {}
        self.__dict__["_result_dtypes"] = {}
        self.__dict__["_inferred"] = {}
        self.__dict__["_bound"] = {}
        return self

    @classmethod
    def of(cls: type[OpT], *attributes: Any) -> OpT:
        """The op with these attributes; TypeError for one of a wrong kind.

        It is the same object each time while it is remembered: until `forget`, if it has a stream.
        """
        for place in cls.bools:
            if place < len(attributes) and type(attributes[place]) is not bool:
                attributes = plain(cls, attributes)
                break
        key = tuple(map(signed, attributes)) if cls.has_floats else attributes
        try:
            instance: OpT | None = cls._instances.get(key)
        except TypeError:  # a tensor has no hash: attributes are numbers and text
            return cls.of(*plain(cls, attributes))
        if instance is None:
            made = cls(*plain(cls, attributes))
            if len(cls._instances) >= _OPS and not cls.has_stream:
                cls._instances.clear()
            instance = cls._instances[key] = cls._instances.setdefault(made._key, made)
        return instance

    @classmethod
    def for_operands(cls, operands: Iterable[object]) -> type[Op]:
        """This op, or the one of its name for lists where an operand is one."""
        if cls.on_lists is None:
            return cls
        is_list = any(getattr(x, "dtype", None) is dt.variant for x in operands)
        return cls.on_lists if is_list else cls

    @classmethod
    def forget(cls) -> None:
        """Drops the ops that `of` remembers, and with them their streams."""
        cls._instances.clear()

    @classmethod
    def dtype_for(cls, attribute: str, value: DTypeLike | None) -> DType:
        """A dtype given for an attribute, for None its default.

        InvalidArgumentError where `dtypes` does not allow it for the attribute.
        """
        dtype: DType = getattr(cls, attribute) if value is None else dt.as_dtype(value)
        if dtype not in cls.dtypes[attribute]:
            raise InvalidArgumentError(
                None,
                None,
                f"Value for attr '{attribute}' of {dtype.name} is not in the list of allowed "
                f"values: {allowed_names(cls, attribute)} [Op:{cls.type_name}]",
            )
        return dtype

    # -- rules that each op states ------------------------------------------------------

    def shapes(self, *args: Any, **kwargs: Any) -> Shapes:
        """The shapes of the results; ValueError says what does not fit."""
        raise NotImplementedError(f"{type(self).__name__} states no shape rule")

    def kernel(self, *args: Any, **kwargs: Any) -> Any:
        """The results as NumPy arrays: one array, or a tuple where there are several."""
        raise NotImplementedError(f"{type(self).__name__} states no kernel")

    def gradient(self, *args: Any, **kwargs: Any) -> Sequence[Any]:
        """Cotangents of the inputs (None where none flows), from a `Call` and those of the results.

        With `not_differentiable` as the class's `gradient` none flows, as through numbers of
        places; `undefined` says why a gradient that somebody asks for is an error. An op that
        states none of them is one whose rule is still to be written, and says so.
        """
        raise NotImplementedError(f"the gradient of {self.type_name} is not written yet")

    def batched(self, each: Any) -> Any:
        """The results for many rows at once (`tf.vectorized_map`), from an `op.batching.Each`."""
        raise NotImplementedError(f"there is no batching rule for {self.type_name}")

    def expand(self, *operands: Any) -> Any:
        """The results in simpler ops, which can share a loop; None where kernels are to do it.

        Ops that are a loop of their own, or have no native form, state none: `op.expansion` tells
        them apart.
        """
        return None

    def on_value(self, *operands: Any) -> Any:
        """For an op on a variable: what it gives, or what the variable holds after it, in ops on
        the variable's value, which takes the place of the handle. None if no ops say it.

        Machine code for loops is made of these: values have known shapes there.
        """
        return None

    def taped(self, operands: tuple[object, ...]) -> Op:
        """The op that a gradient tape runs in place of this one. It has further results where the
        gradient needs what this one computes on the way (calls, branches, loops)."""
        return self

    def lasting(self) -> Op:
        """The op that a persistent tape runs in place of a `taped` form. It has further results
        where second derivatives need what cannot be computed again."""
        return self

    def untaped(self, result: tuple[TensorValue, ...]) -> Any:
        """This op's own result, from that of its `taped` form."""
        return result

    def needs(self) -> Needs | None:
        """Which operands each result depends on; None: every result on all of them."""
        return None

    def verify(self, operands: Sequence[TensorType]) -> None:
        """ValueError where the graphs among the attributes do not take these operands or do not fit
        each other. Only a wrong pass over graphs makes such an op."""

    def known(self, *args: Any, **kwargs: Any) -> Any:
        """The result as a host value with None where unknown, from the operands' known values.

        Only ops that shapes are computed with state it (Shape, Pack, arithmetic ...); an op
        with several results gives a tuple of such. A vector of known length of which nothing
        else is known arrives as a tuple of Nones.
        """
        return None

    # -- results of these rules ---------------------------------------------------------

    @classmethod
    def host_mask(cls, count: int) -> tuple[bool, ...]:
        """Which of `count` operands are host operands."""
        mask = cls._masks.get(count)
        if mask is None:
            flags = [operand.host for operand in cls.each_operand(count)]
            mask = remember(cls._masks, count, tuple(flags), FORMS)
        return mask

    @classmethod
    def _numbers(cls, count: int) -> list[tuple[Operand, int]]:
        """Each operand, with the number of those of `count` that are its own."""
        lists = sum(o.variadic or o.mixed for o in cls.operands)
        each = (count - len(cls.operands) + lists) // max(lists, 1)
        return [(o, each if o.variadic or o.mixed else 1) for o in cls.operands]

    @classmethod
    def each_operand(cls, count: int) -> list[Operand]:
        """What the record states of each of `count` operands."""
        return [operand for operand, number in cls._numbers(count) for _ in range(number)]

    @classmethod
    @lru_cache(256)
    def host_ints(cls, count: int) -> tuple[frozenset[DType], ...]:
        """The dtypes that those of `count` operands may have that are host operands and hold
        places or sizes; for others, none."""
        result: list[frozenset[DType]] = []
        for operand, number in cls._numbers(count):
            dtypes = cls._host_dtypes(operand) if operand.host else frozenset()
            result += [dtypes if dtypes <= dt.INTEGER else frozenset()] * number
        return tuple(result)

    @classmethod
    @lru_cache(256)
    def host_casts(cls, count: int) -> tuple[bool, ...]:
        """Which of `count` operands are host operands whose dtype is known before a value is.

        Tensors in a list that is such an operand are cast to this dtype.
        """
        result: list[bool] = []
        for operand, number in cls._numbers(count):
            known = operand.dtype in INT32_BY_DEFAULT or operand.dtype not in cls.dtypes
            result += [operand.host and known] * number
        return tuple(result)

    @classmethod
    def _host_dtypes(cls, operand: Operand) -> frozenset[DType]:
        """What the record lets a host operand be."""
        allowed = cls.dtypes.get(operand.dtype)
        return frozenset({dt.as_dtype(operand.dtype)}) if allowed is None else allowed

    def check_host(self, position: int, count: int, got: DType) -> None:
        """`DTypeMismatch` if a host operand that holds places or sizes has another dtype."""
        allowed = self.host_ints(count)[position]
        if not allowed or got in allowed or got in dt.INDEX:
            return
        name = self.operand_names(count)[position].partition("[")[0]
        operand = next(o for o in self.operands if o.name == name)
        if operand.dtype in self.dtypes:
            raise DTypeMismatch(self, position, name, got, None, operand.dtype)
        raise DTypeMismatch(self, position, name, got, dt.as_dtype(operand.dtype), "")

    @classmethod
    @lru_cache(256)
    def operand_names(cls, count: int) -> tuple[str, ...]:
        """What `count` operands are called: `values[0]` and so on those of a list."""
        names: list[str] = []
        for operand, number in cls._numbers(count):
            many = operand.variadic or operand.mixed
            names += [f"{operand.name}[{i}]" for i in range(number)] if many else [operand.name]
        return tuple(names)

    @classmethod
    def count_in_lists(cls, tensors: int) -> int:
        """How many of so many tensor operands each list has: lists of one op are of one length."""
        lists = sum(o.variadic or o.mixed for o in cls.operands)
        fixed = sum(1 for o in cls.operands if not (o.host or o.variadic or o.mixed))
        return (tensors - fixed) // max(lists, 1)

    def bind(self, types: Sequence[DType]) -> Callable[..., Any]:
        """The callable that computes this op on operands of these dtypes."""
        return self.kernel

    def bind_checked(self, types: Sequence[DType]) -> Callable[..., Any]:
        """What `bind` gives, behind the shape rule if the op is `ruled`: what interpreters run."""
        kernel = self.bind(types)
        return behind_rule(self, types, kernel) if self.ruled else kernel

    @property
    def is_of_lowering(self) -> bool:
        """Whether lowering alone makes it: no program has it, and it has no kernel."""
        return self.type_name.startswith("_")

    @property
    def stated_as(self) -> Op:
        """The op that errors name: another one, where this op stands for it on the first of its
        operands."""
        return self

    def result_dtypes(self, types: Sequence[DType]) -> tuple[DType, ...]:
        """The dtypes of the results; `DTypeMismatch` if an operand's is not allowed.

        `types` has an entry for every tensor operand; host operands have none.
        """
        bound = self._bind_dtypes(types)
        return tuple(self._result_dtype(result, bound) for result in self.results)

    def infer(self, operands: Sequence[TensorType | HostValue]) -> tuple[TensorType, ...]:
        """The result types from operand types (host operands: known values)."""
        types = tuple([o.dtype for o in operands if isinstance(o, TensorType)])
        known: dict[Any, tuple[DType, ...]] = self.__dict__["_result_dtypes"]
        result = known.get(types)
        if result is None:
            check_least(self, len(types))
            result = remember(known, types, self.result_dtypes(types), FORMS)
        check_ranks(self, operands)
        shapes = self.shapes(*operands)
        return tuple([TensorType(d, s) for d, s in zip(result, shapes)])

    def _bind_dtypes(self, types: Sequence[DType]) -> dict[str, tuple[DType, str]]:
        bound: dict[str, tuple[DType, str]] = {}
        position = 0
        each = self.count_in_lists(len(types))
        for operand in self.operands:
            if operand.host:
                continue
            count = each if operand.variadic or operand.mixed else 1
            for got in types[position : position + count]:
                if not operand.mixed:
                    self._bind_one(operand, position, got, bound)
                elif got not in self.dtypes.get(operand.dtype, (got,)):
                    raise DTypeMismatch(self, position, operand.name, got, None, operand.dtype)
                position += 1
        return bound

    def _bind_one(
        self, operand: Operand, position: int, got: DType, bound: dict[str, tuple[DType, str]]
    ) -> None:
        name = operand.dtype
        if name in bound:
            expected, like = bound[name]
            if got is not expected:
                raise DTypeMismatch(self, position, operand.name, got, expected, like)
        elif name in self.dtypes:
            wanted = getattr(self, name, None)
            if isinstance(wanted, DType) and got is not wanted:
                raise DTypeMismatch(self, position, operand.name, got, wanted, "")
            if got not in self.dtypes[name]:
                raise DTypeMismatch(self, position, operand.name, got, None, name)
            bound[name] = (got, operand.name)
        else:
            expected = self.named_dtype(name)
            if got is not expected:
                raise DTypeMismatch(self, position, operand.name, got, expected, "")

    def named_dtype(self, name: str) -> DType:
        """The dtype that an attribute states, or that is called so."""
        attribute = getattr(self, name, None)
        return attribute if isinstance(attribute, DType) else dt.as_dtype(name)

    def _result_dtype(self, result: Operand, bound: dict[str, tuple[DType, str]]) -> DType:
        if result.dtype in bound:
            return bound[result.dtype][0]
        return self.named_dtype(result.dtype)

    def describe(self) -> dict[str, Any]:
        """The attributes as a mapping, in the order of their declaration."""
        return dict(zip(self.fields, self.values()))

    def stated(self) -> dict[str, Any]:
        """The attributes that TensorFlow's op has too, and that differ from their defaults."""
        kind = type(self)
        return {
            name: value
            for name, value in self.describe().items()
            if name not in self.private and value != getattr(kind, name, None)
        }

    def __str__(self) -> str:
        attributes = ", ".join(f"{k}={v!r}" for k, v in self.describe().items())
        return f"{self.type_name}({attributes})" if attributes else self.type_name


class Hooks:
    """What `values` does for the layers below it; `hooks` provides it."""

    tensor: type[Any]
    eager: type[Any]
    executor: Callable[[type[Op]], Callable[..., Any]]
    #: What calls a function that is one op, whose parameters have such roles, and what sets that.
    prepared: Callable[[Callable[..., Any], Any, Callable[..., Any]], Callable[..., Any]]
    convert: Callable[..., Any]
    convert_pair: Callable[[Any, Any, bool], tuple[Any, Any]]
    rows: type[Any]
    convert_terms: Callable[[Any, Any], tuple[Any, Any]]
    holds_tensor: Callable[[Any], bool]
    #: Imports the modules of all ops.
    load_ops: Callable[[], object]


def _first_execution(op: Op, operands: tuple[object, ...]) -> Any:
    kind = type(op)
    kind.execute = Hooks.executor(kind)
    return op.execute(operands)


#: The ops of the modules that are imported, by the names of their types.
REGISTRY: dict[str, type[Op]] = {}


def registered(type_name: str) -> type[Op] | None:
    """The op of a type's name, wherever it is; None if there is none."""
    if type_name not in REGISTRY:
        Hooks.load_ops()
    return REGISTRY.get(type_name)


class Call(NamedTuple):
    """An op that was applied: what its gradient rule sees."""

    op: Op
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]
    #: Which inputs' cotangents are asked for; a costly rule leaves out the others.
    needed: tuple[bool, ...] = ()


def not_differentiable(op: Op, call: Call, *cotangents: Any) -> Sequence[Any]:
    """The gradient rule of an op through which no gradient flows."""
    return (None,) * len(call.inputs)


def undefined(reason: str) -> Callable[..., Sequence[Any]]:
    """The gradient rule of an op that has a derivative, but none that anybody can ask for."""

    def gradient(op: Op, call: Call, *cotangents: Any) -> Sequence[Any]:
        raise NotImplementedError(reason)

    gradient.is_undefined = True  # type: ignore[attr-defined]  # programs may register one
    return gradient


def host_value(array: Array) -> Any:
    """An array as the plain Python value that a host operand takes."""
    return freeze(np.asarray(array).tolist())


def is_nested(value: HostValue) -> bool:
    """Whether a known value has more than one axis."""
    return isinstance(value, tuple) and any(isinstance(entry, tuple) for entry in value)


def is_whole(value: HostValue) -> bool:
    """Whether a known value has no unknown entry."""
    if isinstance(value, tuple):
        return all(map(is_whole, value))
    return value is not None


def freeze(value: object) -> Any:
    """Nested lists -> nested tuples."""
    return tuple([freeze(v) for v in value]) if isinstance(value, (list, tuple)) else value
