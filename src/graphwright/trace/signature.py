"""`FunctionType`: a Python signature whose parameters have trace types.

Binding, dispatch, placeholders and packing all use this one object, as does what
programs print.
"""

from __future__ import annotations

import inspect
from collections.abc import Hashable, Mapping, Sequence
from types import BuiltinFunctionType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from graphwright.base.annotations import signature_of
from graphwright.op.refusal import complete, own_words, prefix_words, set_help, without_advice
from graphwright.trace.argument_types import TypeContext
from graphwright.types.arguments import PythonFunction
from graphwright.types.trace_type import TraceType

if TYPE_CHECKING:
    from inspect import _ParameterKind as ParameterKind

POSITIONAL_ONLY = inspect.Parameter.POSITIONAL_ONLY
POSITIONAL_OR_KEYWORD = inspect.Parameter.POSITIONAL_OR_KEYWORD
VAR_POSITIONAL = inspect.Parameter.VAR_POSITIONAL
KEYWORD_ONLY = inspect.Parameter.KEYWORD_ONLY
VAR_KEYWORD = inspect.Parameter.VAR_KEYWORD

#: The arguments of a call: name and kind of each parameter, and its value.
Bound: TypeAlias = Sequence[tuple[str, "ParameterKind", object]]
#: What decides which calls a function type is for: name, kind and trace type of each parameter.
Key: TypeAlias = tuple[tuple[str, "ParameterKind", "TraceType | None"], ...]


class Parameter(inspect.Parameter):
    """A parameter that may be constrained to a trace type."""

    def __init__(
        self,
        name: str,
        kind: ParameterKind,
        optional: bool = False,
        type_constraint: TraceType | None = None,
    ) -> None:
        super().__init__(
            name,
            kind,
            default=None if optional else inspect.Parameter.empty,
            annotation=inspect.Parameter.empty if type_constraint is None else type_constraint,
        )

    @property
    def optional(self) -> bool:
        """Whether a call may leave it out."""
        return self.default is not inspect.Parameter.empty

    @property
    def type_constraint(self) -> TraceType | None:
        """The trace type that arguments must have, or None."""
        return None if self.annotation is inspect.Parameter.empty else self.annotation

    def __str__(self) -> str:
        text = super().__str__() if self.type_constraint is None else self._typed()
        return text.replace(" = None", "=None") if self.optional else text

    def _typed(self) -> str:
        star = "*" if self.kind is VAR_POSITIONAL else "**" if self.kind is VAR_KEYWORD else ""
        return f"{star}{self.name}: {self.type_constraint!r}"


class FunctionType(inspect.Signature):
    """The type of a function: typed parameters, captures, and a typed result.

    >>> import graphwright as tf
    >>> f = tf.function(lambda x, n: x * n)
    >>> kind = f.get_concrete_function(tf.TensorSpec([2]), 3).function_type
    >>> list(kind.parameters), kind.output
    (['x', 'n'], TensorSpec(shape=(2,), dtype=tf.float32, name=None))
    """

    def __init__(
        self,
        parameters: Sequence[Parameter],
        captures: Mapping[Hashable, TraceType] | None = None,
        return_annotation: object = inspect.Signature.empty,
    ) -> None:
        super().__init__(list(parameters), return_annotation=return_annotation)
        self._fill(
            tuple([(p.name, p.kind, p.type_constraint) for p in parameters]),
            captures or {},
            return_annotation,
            frozenset([p.name for p in parameters if p.optional]),
        )

    @classmethod
    def of(
        cls,
        key: Key,
        captures: Mapping[Hashable, TraceType] | None = None,
        output: object = inspect.Signature.empty,
    ) -> FunctionType:
        """Returns the type whose parameters have these names, kinds and types, in a valid order.

        `inspect` makes its objects of them when somebody asks for one: few traces are looked at.

        Args:
            key: The name, kind and trace type of each parameter.
            captures: The trace type of each capture, by its key.
            output: The trace type of the result.

        Returns:
            A function type.
        """
        made = cls.__new__(cls)
        made._fill(key, captures or {}, output, frozenset())
        return made

    def _fill(
        self,
        key: Key,
        captures: Mapping[Hashable, TraceType],
        output: object,
        optional: frozenset[str],
    ) -> None:
        self._key, self._captures, self._output = key, dict(captures), output
        self._optional = optional  # the names of parameters that a call may leave out
        self._hash: int | None = None

    def __getattr__(self, name: str) -> Any:
        """What `inspect.Signature` has for itself, which `of` has not made."""
        if name not in inspect.Signature.__slots__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        super().__init__(
            [Parameter(n, kind, n in self._optional, type_) for n, kind, type_ in self._key],
            return_annotation=self._output,
        )
        return getattr(self, name)

    @property
    def captures(self) -> dict[Hashable, TraceType]:
        """The types of the captures of the function."""
        return self._captures

    @property
    def output(self) -> TraceType | None:
        """The type of the result, or None while it is not known."""
        output: Any = self._output
        return None if output is inspect.Signature.empty else output

    def typed(self) -> Sequence[tuple[str, ParameterKind, TraceType]]:
        """Name, kind and type of each parameter, where all have types."""
        typed: Any = self._key
        return typed

    @property
    def is_exact(self) -> bool:
        """Whether a trace of this type serves no call of another exact type."""
        return all(constraint._is_exact for _, _, constraint in self.typed())

    def is_supertype_of(self, other: FunctionType) -> bool:
        """Returns whether a trace of this type can serve a call of another.

        Args:
            other: A function type.

        Returns:
            A bool.

        >>> import graphwright as tf
        >>> f = tf.function(lambda x: x + 1)
        >>> two = f.get_concrete_function(tf.TensorSpec([2])).function_type
        >>> any_size = f.get_concrete_function(tf.TensorSpec([None])).function_type
        >>> two.is_supertype_of(any_size), any_size.is_supertype_of(two)
        (False, True)
        """
        if len(self._key) != len(other._key):
            return False
        return all(
            a[0] == b[0] and a[1] == b[1] and b[2].is_subtype_of(a[2])  # type: ignore[union-attr, arg-type]
            for a, b in zip(self._key, other._key)
        )

    def most_specific_common_subtype(self, others: Sequence[FunctionType]) -> FunctionType | None:
        """Returns the type of a trace that would serve calls of this type and of others.

        Functions are contravariant in their arguments: the common subtype of function types has the
        common supertypes of their parameters.

        Args:
            others: A sequence of function types.

        Returns:
            A function type, or None if there is none.
        """
        parameters = []
        for i, (name, kind, constraint) in enumerate(self._key):
            peers = []
            for other in others:
                if len(other._key) != len(self._key) or other._key[i][:2] != (name, kind):
                    return None
                peers.append(other._key[i][2])
            assert constraint is not None
            joined = constraint.most_specific_common_supertype(peers)  # type: ignore[arg-type]
            if joined is None:
                return None
            parameters.append((name, kind, joined))
        return FunctionType.of(tuple(parameters))

    def with_output(
        self, captures: Mapping[Hashable, TraceType], output: TraceType
    ) -> FunctionType:
        """Returns the same parameters with captures and a result.

        Args:
            captures: The trace type of each capture, by its key.
            output: The trace type of the result.

        Returns:
            A function type.
        """
        made = FunctionType.of(self._key, captures, output)
        made._optional = self._optional
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return FunctionType, (tuple(self.parameters.values()), self._captures, self._output)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FunctionType) and self._key == other._key

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(self._key)
        return self._hash

    def __str__(self) -> str:
        shown = [str(p) for p in self.parameters.values()]
        kinds = [p.kind for p in self.parameters.values()]
        if KEYWORD_ONLY in kinds and VAR_POSITIONAL not in kinds:
            shown.insert(kinds.index(KEYWORD_ONLY), "*")
        if POSITIONAL_ONLY in kinds:
            shown.insert(len(kinds) - kinds[::-1].index(POSITIONAL_ONLY), "/")
        text = f"({', '.join(shown)})"
        if self.output is not None:
            text += f" -> {self.output!r}"
        return text

    def __repr__(self) -> str:
        lines = [f"  {name} ({kind.name}): {constraint!r}" for name, kind, constraint in self._key]
        captures = [f"  {i}: {t!r}" for i, t in enumerate(self._captures.values())]
        return "\n".join(
            [
                "Input Parameters:",
                *(lines or ["  None"]),
                "Output Type:",
                f"  {self.output!r}",
                "Captures:",
                *(captures or ["  None"]),
            ]
        )


#: The kinds of parameters that take arguments by position, one each.
_BY_POSITION = frozenset({POSITIONAL_ONLY, POSITIONAL_OR_KEYWORD})

#: Functions without Python code, NumPy's among them.
_BUILTIN = (BuiltinFunctionType, np.ufunc, type(np.dot))


class Binder:
    """Binds the arguments of calls to the parameters of one Python function.

    Positional arguments of a `*args` become parameters `args_0`, `args_1`...; those of
    `**kwargs` keep their names, in sorted order.
    """

    def __init__(self, function: PythonFunction) -> None:
        self.signature = signature_of(function)
        parameters = self.signature.parameters.values()
        kinds = {p.kind for p in parameters}
        self.names = tuple(self.signature.parameters)
        #: Names and kinds of all parameters, where arguments by position may be all that there are.
        self.by_position = [(p.name, p.kind) for p in parameters] if kinds <= _BY_POSITION else None
        self.has_star = VAR_POSITIONAL in kinds
        self.is_builtin = isinstance(function, _BUILTIN)
        self.untyped = FunctionType(
            [
                Parameter(p.name, p.kind, p.default is not p.empty)
                for p in self.signature.parameters.values()
            ]
        )
        self.constraints: dict[str, TraceType] | None = None

    def constrain(self, input_signature: Sequence[object]) -> None:
        """Fixes the types of the first parameters; the others must have defaults."""
        context = TypeContext()
        types = [context.type_of(spec) for spec in input_signature]
        positional = [
            p
            for p in self.signature.parameters.values()
            if p.kind in (POSITIONAL_ONLY, POSITIONAL_OR_KEYWORD)
        ]
        variadic = any(p.kind is VAR_POSITIONAL for p in self.signature.parameters.values())
        if len(types) > len(positional) and not variadic:
            raise TypeError(
                f"input_signature has {len(types)} entries, but the function takes only "
                f"{len(positional)} positional arguments: {self.signature}"
            )
        constraints = {p.name: t for p, t in zip(positional, types)}
        star = next(
            (p.name for p in self.signature.parameters.values() if p.kind is VAR_POSITIONAL), ""
        )
        for i, type_ in enumerate(types[len(positional) :]):
            constraints[f"{star}_{i}"] = type_
        for p in self.signature.parameters.values():
            missing = p.name not in constraints and p.default is p.empty
            if missing and p.kind not in (VAR_POSITIONAL, VAR_KEYWORD):
                raise TypeError(
                    "input_signature must cover every parameter without a default: "
                    f"{p.name!r} of {self.signature} has none"
                )
        self.constraints = constraints
        self.untyped = FunctionType(
            [
                Parameter(p.name, p.kind, p.default is not p.empty, constraints.get(p.name))
                for p in self.signature.parameters.values()
            ]
        )

    def bind(
        self, args: tuple[object, ...], kwargs: dict[str, object]
    ) -> list[tuple[str, ParameterKind, object]]:
        """The name, kind and value of each parameter, with defaults; TypeError for a misfit."""
        plain = self.by_position
        if plain is not None and len(plain) == len(args) and not kwargs:
            return [(name, kind, value) for (name, kind), value in zip(plain, args)]
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise self.misfit(error, args, kwargs) from None
        if not self.is_builtin:  # NumPy's functions refuse some of their own defaults
            bound.apply_defaults()
        flat: list[tuple[str, ParameterKind, object]] = []
        for name, value in bound.arguments.items():
            kind = self.signature.parameters[name].kind
            if kind is VAR_POSITIONAL:
                flat += [(f"{name}_{i}", POSITIONAL_ONLY, v) for i, v in enumerate(value)]
            elif kind is VAR_KEYWORD:
                flat += [(key, KEYWORD_ONLY, value[key]) for key in sorted(value)]
            else:
                flat.append((name, kind, value))
        return flat

    def misfit(
        self, cause: Exception, args: tuple[object, ...], kwargs: dict[str, object], help: str = ""
    ) -> TypeError:
        """The error of a call whose arguments do not fit, with lines that help."""
        reason = without_advice(own_words(cause))
        words = (
            f"Binding inputs to tf.function failed due to `{reason}`. Received args: "
            f"{args} and kwargs: {kwargs} for signature: {self.untyped}."
        )
        error = complete(TypeError(words))
        set_help(error, help)
        return error

    def call(self, function: PythonFunction, bound: Bound) -> Any:
        """Calls the Python function with bound values."""
        args: list[object] = []
        kwargs: dict[str, object] = {}
        for name, kind, value in bound:
            if kind is POSITIONAL_ONLY or (
                kind is POSITIONAL_OR_KEYWORD and (self.has_star or not kwargs)
            ):
                args.append(value)
            else:
                kwargs[name] = value
        return function(*args, **kwargs)


def type_of_call(bound: Bound) -> FunctionType:
    """The function type of a call's bound arguments."""
    context = TypeContext()
    key = []
    is_plain = True  # else names come from the call, and `inspect` must see whether they are valid
    for name, kind, value in with_valid_kinds(bound):
        try:
            type_ = context.type_of(value)
        except (TypeError, ValueError) as error:
            prefix_words(error, f"argument '{name}': ")
            raise
        key.append((name, kind, type_))
        is_plain = is_plain and kind is POSITIONAL_OR_KEYWORD
    if is_plain:
        return FunctionType.of(tuple(key))
    return FunctionType([Parameter(name, kind, False, type_) for name, kind, type_ in key])


def with_valid_kinds(bound: Bound) -> Bound:
    """The arguments with kinds that a signature allows: all before those of `*args` are positional
    only."""
    if any(k is POSITIONAL_ONLY for _, k, _ in bound):
        return [
            (n, POSITIONAL_ONLY if k is POSITIONAL_OR_KEYWORD and i < _last_star(bound) else k, v)
            for i, (n, k, v) in enumerate(bound)
        ]
    return bound


def _last_star(bound: Bound) -> int:
    return max(i for i, (_, k, _) in enumerate(bound) if k is POSITIONAL_ONLY)
