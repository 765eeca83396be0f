"""Eager calls of public functions that are one op (`op/one_op.py`), straight to its kernel.

A call like one before needs no conversion of arguments, no attributes and no interpreter. Dtypes
and the other arguments name the kernel. A first call of its kind runs as ever, and its op is noted.
What a kernel refuses runs again as ever, which raises in its own words.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cache
from typing import Any, TypeAlias

from graphwright.base.bounded_tables import remember
from graphwright.base.named_tuples import NamedTuple
from graphwright.op.interpreter import STATE, Layer, activate
from graphwright.op.one_op import Roles
from graphwright.op.op import FORMS, Effect, Op
from graphwright.types.dtypes import DType
from graphwright.values.eager import BOXED, NAMES, indented, maker_of, number_beside
from graphwright.values.tensor import EagerTensor

Function: TypeAlias = Callable[..., Any]

#: The most tensors of a list whose kernel is remembered.
_MOST = 12


class NotedOp(NamedTuple):
    """An op that a call applied."""

    op: Op
    operands: tuple[Any, ...]
    result: Any


class OpNotes(Layer):
    """The interpreter that executes ops, and notes them."""

    def __init__(self) -> None:
        self.ops: list[NotedOp] = []
        self.has_effect = False

    def note_effect(self) -> None:
        """Notes that the call does more than apply ops."""
        self.has_effect = True

    def apply(self, op: Op, operands: tuple[object, ...], name: str | None) -> Any:
        """The op's result."""
        result = op.execute(operands)
        self.ops.append(NotedOp(op, operands, result))
        return result


class CallForm(NamedTuple):
    """What the code of prepared calls depends on."""

    roles: Roles
    #: How many parameters there are.
    parameters: int
    #: Which host operands may be None.
    optional: tuple[bool, ...]
    #: What attributes must be: "bool", "int", "DType", or "int | None".
    attributes: tuple[str, ...]
    #: The functions that make host operands.
    makers: tuple[str, ...]
    #: Whether NumPy's warnings are off.
    quiet: bool


class PreparedCalls:
    """The kernels of one public function, by what calls have in common."""

    def __init__(self, function: Function, roles: Roles, put: Callable[[Function], None]) -> None:
        self.function, self.roles, self.put = function, roles, put
        self.form: CallForm | None = None
        self.direct: Function | None = None
        #: Kernels with the host operands that None stands for; False where a call is no single op.
        self._calls: dict[Any, Any] = {}

    def first(self, *arguments: object) -> Any:
        """The result of a call; the first one that is an op on eager tensors has code made."""
        if self.direct is not None:
            self.put(self.direct)
            return self.direct(*arguments)
        if STATE.active is not None or not all_eager(self.tensors(arguments)[:1]):
            return self.function(*arguments)
        result, noted = self.noted(arguments)
        if noted is not None:
            self.form = self.form_of(noted)
            code = code_of(self.form)
            defaults = defaults_of(self.function)
            self.direct = code(self.function, self._calls, self.learn, defaults)
            self.put(self.direct)
        return result

    def learn(self, key: Hashable, *arguments: object) -> Any:
        """The result of a call of a new kind; its kernel is remembered."""
        result, noted = self.noted(arguments)
        call: Any = False
        if noted is not None and self.form_of(noted) == self.form:
            call = self.call_of(noted)
        remember(self._calls, key, call, FORMS)
        return result

    def noted(self, arguments: Sequence[object]) -> tuple[Any, NotedOp | None]:
        """The result of a call, and its op if it is one op on the arguments as they are."""
        notes = OpNotes()
        with activate(notes):
            result = self.function(*arguments)
        if len(notes.ops) != 1 or notes.has_effect:
            return result, None
        (op,) = notes.ops
        return result, op if result is op.result and self.fits(op, arguments) else None

    def tensors(self, arguments: Sequence[object]) -> tuple[object, ...]:
        """The arguments that are to be tensors."""
        if not self.roles.is_list:
            return tuple(arguments[: self.roles.tensors])
        values = arguments[0]
        return tuple(values) if isinstance(values, (list, tuple)) else ()

    def fits(self, noted: NotedOp, arguments: Sequence[object]) -> bool:
        """Whether an op has the arguments as its operands, and no effect."""
        op, operands, _ = noted
        tensors = self.tensors(arguments)
        hosts = arguments[self.roles.tensors : self.roles.tensors + self.roles.hosts]
        if self.roles.takes_numbers and type(tensors[-1]) in (int, float):
            tensors = (*tensors[:-1], operands[len(tensors) - 1])
        return (
            op.pure
            and op.effect is Effect.NONE
            and len(operands) == len(tensors) + len(hosts) <= _MOST
            and op.host_mask(len(operands)) == (False,) * len(tensors) + (True,) * len(hosts)
            and all_eager(tensors)
            and all(x is y for x, y in zip(operands, tensors))
            and all(y is None or x is y for x, y in zip(operands[len(tensors) :], hosts))
        )

    def form_of(self, noted: NotedOp) -> CallForm:
        """What the code for an op depends on."""
        op, roles = noted.op, self.roles
        count, defaults = len(noted.operands), defaults_of(self.function)
        hosts = zip(op.host_mask(count), op.host_ints(count), op.host_casts(count))
        first, end = roles.tensors, roles.tensors + roles.hosts
        return CallForm(
            roles,
            len(defaults),
            tuple([default is None for default in defaults[first:end]]),
            tuple([kind_of(default) for default in defaults[end : end + roles.attributes]]),
            tuple([maker_of(ints, casts) for is_host, ints, casts in hosts if is_host]),
            op.computes,
        )

    def call_of(self, noted: NotedOp) -> Any:
        """The kernel of an op that ran, and its host operands where some may be None."""
        op, operands, _ = noted
        mask = op.host_mask(len(operands))
        dtypes = [x._array.dtype for x, is_host in zip(operands, mask) if not is_host]
        kernels: dict[Any, Any] = op._kernels  # type: ignore[attr-defined]
        kernel = kernels.get(dtypes[0] if len(dtypes) == 1 else tuple(dtypes), False)
        assert self.form is not None
        if not any(self.form.optional):
            return kernel
        hosts = [x for x, is_host in zip(operands, mask) if is_host]
        makers = self.form.makers
        return kernel and (kernel, *[NAMES[maker](x) for maker, x in zip(makers, hosts)])


def prepared(function: Function, roles: Roles, put: Callable[[Function], None]) -> Function:
    """What calls a function until there is code for it, which `put` puts in its place."""
    return PreparedCalls(function, roles, put).first


_ABSENT = object()


def all_eager(values: Sequence[object]) -> bool:
    """Whether values are eager tensors, at least one."""
    return {*map(type, values)} == {EagerTensor}


def defaults_of(function: Function) -> tuple[Any, ...]:
    """The defaults of a function's parameters; `_ABSENT` for those without one."""
    defaults = function.__defaults__ or ()
    return (_ABSENT,) * (function.__code__.co_argcount - len(defaults)) + defaults


def kind_of(default: object) -> str:
    """What an attribute with such a default must be."""
    if default is None:
        return "int | None"
    return "DType" if default is _ABSENT else type(default).__name__


_CODE = """
def outer(general, calls, learn, defaults):
    {defaults} = defaults
    def direct({parameters}):
        if STATE.active is None and {guard}:
            {unpack}
            call = calls.get({key}) if {complete} else False
            if call:
                try:
                    {learned} = call
                    {hosts}
                    result = {result}
                except REFUSALS:
                    pass
                else:
                    {boxed}
            elif call is None:
                return learn({key}, {parameters})
        return general({parameters})
    return direct
"""


@cache
def code_of(form: CallForm) -> Function:
    """The function that makes the code of prepared calls of a form."""
    roles = form.roles
    first, end = roles.tensors, roles.tensors + roles.hosts
    names = [f"p{i}" for i in range(form.parameters)]
    attributes = list(zip(names[end : end + roles.attributes], form.attributes))
    fixed = range(end + roles.attributes, form.parameters - 1)  # the last one is the name
    terms = tensor_terms(roles)
    key, arguments, hosts, learned = [*terms.key], [*terms.arguments], [], ["kernel"]
    for p, kind in attributes:
        key.append(f"id({p})" if kind == "DType" else p)  # dtypes live for ever
    for p, maker, is_optional in zip(names[first:end], form.makers, form.optional):
        host = f"{p} if type({p}) is int else {maker}({p})"
        if is_optional:
            key.append(f"x0.ndim if {p} is None else type({p})")
            learned.append(f"h{p}")
            host = f"h{p} if {p} is None else {host}"
        else:
            key.append(f"type({p})")
        hosts.append(f"h{p} = {host}")
        arguments.append(f"h{p}")
    tests = [*terms.guard, *map(test_of, attributes), *[f"p{i} is d{i}" for i in fixed]]
    call = ", ".join(arguments)
    source = _CODE.format(
        parameters=", ".join(names),
        defaults=", ".join([f"d{i}" for i in range(form.parameters)]),
        guard=" and ".join(tests),
        unpack=terms.unpack,
        key=key[0] if len(key) == 1 else f"({', '.join(key)})",
        complete=terms.complete,
        learned=", ".join(learned),
        hosts="; ".join(hosts) or "pass",
        result=f"QUIET.run(kernel, {call})" if form.quiet else f"kernel({call})",
        boxed=indented(BOXED, 20),
    )
    scope: dict[str, Any] = {}
    exec(compile(source, f"{__file__} (direct)", "exec"), _NAMES, scope)
    code: Function = scope["outer"]
    return code


class TensorTerms(NamedTuple):
    """How the code of prepared calls gets at the arrays of tensors."""

    #: What makes sure of tensors.
    guard: list[str]
    #: What gets their arrays.
    unpack: str
    #: Whether it got all.
    complete: str
    #: What tells calls apart.
    key: list[str]
    #: What the kernel takes.
    arguments: list[str]


def tensor_terms(roles: Roles) -> TensorTerms:
    """The terms for the tensors among the parameters."""
    if roles.is_list:
        return TensorTerms(
            ["(type(p0) is list or type(p0) is tuple)", "len(p0) <= MOST"],
            "x0 = [p._array for p in p0 if type(p) is EagerTensor]",
            "len(x0) == len(p0)",
            ["tuple([x.dtype for x in x0])"],
            ["*x0"],
        )
    places = range(roles.tensors)
    guard = [f"type(p{i}) is EagerTensor" for i in places]
    unpack = [f"x{i} = p{i}._array" for i in places]
    key = [f"x{i}.dtype" for i in places] + [f"x{i}.ndim" for i in places if roles.by_rank]
    if roles.takes_numbers:
        guard.pop()
        unpack[-1] += " if type(p1) is EagerTensor else number_beside(p1, p0)"
    complete = "x1 is not None" if roles.takes_numbers else "True"
    return TensorTerms(guard, "; ".join(unpack), complete, key, [f"x{i}" for i in places])


def test_of(attribute: tuple[str, str]) -> str:
    """What makes sure of an attribute: equal ones then are the same."""
    parameter, kind = attribute
    if kind == "int | None":
        return f"({parameter} is None or type({parameter}) is int)"
    return f"type({parameter}) is {kind}"


#: The names in the source of prepared calls.
_NAMES: dict[str, Any] = {
    **NAMES,
    "DType": DType,
    "MOST": _MOST,
    "STATE": STATE,
    "number_beside": number_beside,
}
