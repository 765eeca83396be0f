"""Proposals, and the case of a function that they are made for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from inspect import Signature
from types import FunctionType
from typing import TypeAlias

from graphwright.base.named_tuples import NamedTuple
from graphwright.explain.cause import recursion
from graphwright.explain.facts import facts_of
from graphwright.explain.replay import Requests
from graphwright.explain.trace_record import History
from graphwright.trace.signature import KEYWORD_ONLY, VAR_KEYWORD, VAR_POSITIONAL
from graphwright.trace.signature import FunctionType as CallType

#: The calls after a change; None where the change cannot be made.
Apply: TypeAlias = Callable[[Requests], "Requests | None"]


class Proposal(NamedTuple):
    """A change of a program.

    Its code is `code`, then, where arguments are `replaced`, a call of the function.
    """

    title: str
    apply: Apply
    code: str = ""
    replaced: Mapping[str, str] | None = None
    reduces: bool = False
    note: str = ""


def keep(requests: Requests) -> Requests:
    """The calls as they are."""
    return requests


def attributes_read(method: object) -> list[str]:
    """The attributes of its instance that a method reads; none where it calls or sets any."""
    function = getattr(method, "__func__", None)
    if not isinstance(function, FunctionType) or not function.__code__.co_argcount:
        return []  # `*args` may hold the instance
    facts = facts_of(function)
    reads = [chain for chain in facts.reads if chain.root == facts.parameters[0]]
    used = [call.function for call in facts.calls] + [store.target for store in facts.stores]
    plain = all(len(chain.steps) == 1 and not chain.steps[0].is_item for chain in reads)
    if not plain or any(chain in reads for chain in used):
        return []
    return [str(chain.steps[0].key) for chain in reads]


class ProposalCase(NamedTuple):
    """A function, as far as proposals need to know it."""

    name: str
    signature: Signature
    requests: Requests
    reduces: bool
    constrained: bool
    owners: Sequence[str] = ()
    held: Sequence[str] = ()  # attributes of its instance, where the method only reads them
    inner: Collection[CallType] = ()  # types of the calls that it makes of itself
    converts: bool = True  # whether AutoGraph converts it

    @classmethod
    def of(cls, history: History, requests: Requests | None = None) -> ProposalCase:
        """The case of one function."""
        owners = sorted(history.family.owners - {""})
        return cls(
            history.name,
            history.binder().signature,
            Requests.of(history) if requests is None else requests,
            bool(history.options["reduce_retracing"]),
            history.signature is not None,
            owners,
            attributes_read(history.function) if owners else (),
            {history.records[number].call_type for number in recursion(history.records)[0]},
            bool(history.options["autograph"]),
        )

    @property
    def variable(self) -> str:
        """A name for the function in code."""
        return self.name if self.name.isidentifier() else "f"

    def decorated(self, option: str, parameters: str | None = None) -> str:
        """The code that makes the function with an option."""
        shown = str(self.signature) if parameters is None else f"({parameters})"
        if self.name.isidentifier():
            return f"@tf.function({option})\ndef {self.name}{shown}: ..."
        return f"{self.variable} = tf.function(lambda {shown[1:-1]}: ..., {option})"

    @property
    def names(self) -> list[str]:
        """The parameters' names."""
        return list(self.signature.parameters)

    def code(self, *proposals: Proposal) -> str:
        """The code of proposals: that of each, then one call."""
        parts = [p.code for p in proposals if p.code]
        replaced = [p.replaced for p in proposals if p.replaced is not None]
        if replaced:
            parts.append(self.call({path: new for each in replaced for path, new in each.items()}))
        return "\n".join(dict.fromkeys(parts))

    def call(self, replaced: Mapping[str, str]) -> str:
        """The code of a call with other expressions for some arguments."""
        lines = [f"{path} = {new}" for path, new in replaced.items() if not path.isidentifier()]
        shown = []
        named = dict(replaced)
        for name, parameter in self.signature.parameters.items():
            value = named.pop(name, name)
            if parameter.kind is VAR_POSITIONAL:
                values = [named.pop(p) for p in list(named) if p.startswith(f"{name}_")]
                shown.append(", ".join(values) if values else f"*{name}")
            elif parameter.kind is VAR_KEYWORD:
                shown.append(f"**{name}")
            elif parameter.kind is KEYWORD_ONLY:
                shown.append(f"{name}={value}")
            else:
                shown.append(value)
        shown += [f"{path}={new}" for path, new in named.items() if path.isidentifier()]
        return "\n".join([*lines, f"{self.variable}({', '.join(shown)})"])
