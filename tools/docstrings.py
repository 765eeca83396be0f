"""Says which docstrings of public functions, classes and methods lack something of the one form.

    python -m tools.docstrings ops/math

Without a folder of the package it names those of all. The form of a function: a summary, Args,
Returns, Raises, an example, Source. A class has no Returns, and its Args are those of its
constructor: a base that it names says the arguments that both have. An error is said by its
summary alone. A method has an example where its summary
does not show its use, and its summary alone says what a method without parameters returns.
"""

from __future__ import annotations

import builtins
import functools
import inspect
import re
import sys
import types
from collections.abc import Callable, Iterator, Sequence, Set
from enum import Enum
from typing import Any

import graphwright as tf
from graphwright.op.dispatch import closed
from graphwright.op.refusal import own_form
from tools.write_api_docs import namespaces

Member = Callable[..., Any] | property | functools.cached_property[Any]

#: The sections, in their order.
SECTIONS = ("Args", "Returns", "Yields", "Raises", "Example", "Source")
_HEAD = re.compile(rf"^({'|'.join(SECTIONS)}):$", re.M)


#: Classes whose objects come of calls of the package: no program calls their constructors.
OBTAINED = frozenset(
    """AtomicFunction CauseReport ConcreteFunction DistributedDataset DistributedIterator DType
    EagerTensor FunctionType LogicalDevice Operation PhysicalDevice PolymorphicFunction RaggedTensor
    Report RowPartition SummaryWriter TraceReport""".split()  # noqa: SIM905
)


def functions() -> Iterator[tuple[str, Callable[..., Any], str]]:
    """The public functions that are written here: public name, function, folder.

    Those of `tf.raw_ops` are made of the ops' records, and are no texts of their own.
    """
    seen: set[types.CodeType] = set()
    for path, module, names in namespaces():
        if path == "tf.raw_ops":
            continue
        for name in names:
            value = inspect.unwrap(own_form(closed(getattr(module, name))))
            code = getattr(value, "__code__", None)
            if isinstance(code, types.CodeType) and code not in seen and _is_written_here(value):
                seen.add(code)
                yield f"{path}.{name}", value, _folder(value)


def classes() -> Iterator[tuple[str, type, str]]:
    """The public classes that are written here: public name, class, folder."""
    seen: set[type] = set()
    for path, module, names in namespaces():
        for name in names:
            value = getattr(module, name)
            if isinstance(value, type) and value not in seen and _is_written_here(value):
                seen.add(value)
                yield f"{path}.{name}", value, _folder(value)


def members() -> Iterator[tuple[str, Member, str]]:
    """The public methods and properties of public classes: public name, member, folder.

    What a class has from a base that is not public stands under the class.
    """
    seen: set[int] = set()
    public = {kind: name for name, kind, _ in classes()}
    for kind, name in public.items():
        for owner in kind.__mro__:
            if (owner is not kind and owner in public) or not _is_written_here(owner):
                continue
            for attribute, value in vars(owner).items():
                if attribute.startswith("_") and attribute != "__call__":
                    continue
                member = _member(value)
                if member is None or id(member) in seen or not _is_written_here(member):
                    continue
                if member is _documented(kind, attribute):
                    seen.add(id(member))
                    yield f"{name}.{attribute}", member, _folder(member)


def _member(value: object) -> Member | None:
    """The method or property that an attribute of a class is."""
    if isinstance(value, (classmethod, staticmethod)):
        value = value.__func__
    if isinstance(value, (property, functools.cached_property)):
        return value
    value = inspect.unwrap(own_form(value)) if callable(value) else None
    return value if isinstance(value, types.FunctionType) else None


def _documented(kind: type, attribute: str) -> Member | None:
    """The version of a member that says what the class's own does: the one that `help` shows.

    A method without a text is that of a base, if the base's has the same parameters.
    """
    versions = [_member(vars(base)[attribute]) for base in kind.__mro__ if attribute in vars(base)]
    own, *others = [version for version in versions if version is not None]
    if own.__doc__ or isinstance(own, (property, functools.cached_property)):
        return own
    wanted = parameters(inspect.signature(own))
    for other in others:
        if callable(other) and other.__doc__:
            return other if parameters(inspect.signature(other)) == wanted else own
    return own


def _module(value: object) -> str:
    """The name of the module that a function, class or property is written in."""
    if isinstance(value, functools.cached_property):
        value = value.func
    if isinstance(value, property):
        value = value.fget
    return str(getattr(inspect.unwrap(value) if callable(value) else value, "__module__", ""))


def _is_written_here(value: object) -> bool:
    """Whether a text of the package, no generated one, has it."""
    module = _module(value)
    return module.startswith("graphwright.") and not module.endswith("_pb2")


def _folder(value: object) -> str:
    """The folder of the package that has it."""
    return "/".join(_module(value).split(".")[1:-1])


def sections(doc: str) -> dict[str, str]:
    """The sections of a docstring by name; "" is what comes before them."""
    parts = _HEAD.split(doc)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2]))}


def entries(section: str) -> dict[str, str]:
    """The entries of a section: `name: text`, indented by four."""
    return dict(re.findall(r"^ {4}(\*{0,2}\w+)(?: \([^)]*\))?: (.*)$", section, re.M))


def faults(function: Callable[..., Any]) -> list[str]:
    """What the docstring of a function lacks."""
    doc = inspect.getdoc(function) or ""
    signature = inspect.signature(function)
    words = _form_faults(doc) + _args_faults(doc, parameters(signature))
    if gives(signature) and not {"Returns", "Yields"} & {*sections(doc)}:
        words.append("it has no Returns")
    if ">>>" not in doc:
        words.append("it has no example")
    return words


def class_faults(kind: type) -> list[str]:
    """What the docstring of a class lacks."""
    doc = inspect.cleandoc(vars(kind).get("__doc__") or "")
    words = _form_faults(doc)
    if issubclass(kind, BaseException):
        return words
    if kind.__name__ not in OBTAINED and not issubclass(kind, Enum):
        wanted = _constructor_parameters(kind)
        elsewhere: set[str] = set()
        for base in kind.__mro__[1:]:
            if re.search(rf"[`.]{base.__name__}`", doc):  # which says what they are
                elsewhere |= {
                    *entries(sections(inspect.cleandoc(base.__doc__ or "")).get("Args", ""))
                }
        words += _args_faults(doc, wanted, wanted & elsewhere)
    if ">>>" not in doc:
        words.append("it has no example")
    return words


def member_faults(member: Member) -> list[str]:
    """What the docstring of a method or property lacks."""
    doc = inspect.getdoc(member) or ""
    words = _form_faults(doc)
    if not isinstance(member, (property, functools.cached_property)):
        signature = inspect.signature(member)
        wanted = parameters(signature) - {"self", "cls"}
        words += _args_faults(doc, wanted)
        if wanted and gives(signature) and not {"Returns", "Yields"} & {*sections(doc)}:
            words.append("it has no Returns")
    return words


def gives(signature: inspect.Signature) -> bool:
    """Whether a function has a result."""
    return signature.return_annotation not in (None, "None", "NoReturn")


def parameters(signature: inspect.Signature) -> set[str]:
    """The parameters as Args names them."""
    return {
        ("*" if p.kind is p.VAR_POSITIONAL else "**" if p.kind is p.VAR_KEYWORD else "") + p.name
        for p in signature.parameters.values()
    }


def _constructor_parameters(kind: type) -> set[str]:
    """The parameters of a class's constructor, unless a base with Args brings it."""
    if getattr(kind, "_is_protocol", False):
        return set()  # which nothing constructs
    for owner in kind.__mro__:
        constructor = vars(owner).get("__init__") or vars(owner).get("__new__")
        if constructor is not None:
            is_inherited = owner is not kind and "Args:" in (owner.__doc__ or "")
            if is_inherited or not _is_written_here(owner):
                return set()
            return parameters(inspect.signature(constructor)) - {"self", "cls", "_cls"}
    return set()


def _form_faults(doc: str) -> list[str]:
    """What the summary, the order of sections and Raises of a docstring lack."""
    parts = sections(doc)
    words = []
    first = parts[""].strip().split("\n\n")[0].replace("\n", " ")
    if not re.match(r".{1,200}?[.:]( |$)", first):
        words.append("its first paragraph is no sentence")
    order = [s for s in SECTIONS if s in parts]
    if order != [s for s in parts if s]:
        words.append(f"the order of its sections is {[s for s in parts if s]}")
    for name in entries(parts.get("Raises", "")):
        if not (hasattr(builtins, name) or hasattr(tf.errors, name)):
            words.append(f"Raises names {name}, which is no exception")
    return words


def _args_faults(doc: str, wanted: set[str], elsewhere: Set[str] = frozenset()) -> list[str]:
    """What Args lacks, or has beside the parameters; those said elsewhere may be missing."""
    named = entries(sections(doc).get("Args", "")).keys()
    if wanted - elsewhere <= named <= wanted:
        return []
    lacking, more = sorted(wanted - elsewhere - named), sorted(named - wanted)
    return [f"Args lacks {lacking} and has {more}"]


def lacking() -> Iterator[tuple[str, str, list[str]]]:
    """What lacks something: public name, folder, what it lacks."""
    for name, function, folder in functions():
        yield name, folder, faults(function)
    for name, kind, folder in classes():
        yield name, folder, class_faults(kind)
    for name, member, folder in members():
        yield name, folder, member_faults(member)


def main(folders: Sequence[str]) -> None:
    """Prints what lacks something in folders."""
    for name, folder, words in lacking():
        if words and (not folders or folder in folders):
            print(f"{folder} {name}: {'; '.join(words)}")


if __name__ == "__main__":
    main(sys.argv[1:])
