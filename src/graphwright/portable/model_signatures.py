"""The signatures of a model that is saved: functions of tensors by name, which return a dict."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from graphwright.base.logs import get_logger
from graphwright.function.concrete import ConcreteFunction
from graphwright.function.polymorphic import PolymorphicFunction
from graphwright.portable.model_objects import Function, SignatureMap, functions_of
from graphwright.portable.saved_model_names import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from graphwright.types.composite import Composite
from graphwright.types.specs import TensorSpec
from graphwright.types.type_spec import TypeSpec
from graphwright.values.tensor import Tensor
from graphwright.values.trackable import Trackable

#: The method of an object that is its signature, whatever others it has.
_DEFAULT = "_default_save_signature"
#: Names that no signature may have.
_RESERVED = frozenset({"__saved_model_init_op", "__saved_model_train_op"})


def signature_map(root: Trackable, signatures: Any) -> SignatureMap:
    """The signatures of a model: those that are given, or the one function that may be one."""
    if signatures is None:
        signatures = default_signature(root)
    if signatures is None:
        signatures = {}
    if not isinstance(signatures, Mapping):
        signatures = {DEFAULT_SERVING_SIGNATURE_DEF_KEY: signatures}
    made = SignatureMap()
    for name, function in signatures.items():
        if name in _RESERVED:
            raise KeyError(f"The signature name {name!r} is reserved.")
        concrete = concrete_of(function)
        if concrete is None:
            raise ValueError(
                f"Expected a TensorFlow function for which to generate a signature, but got "
                f"{function}. Only `tf.functions` with an input signature or concrete functions "
                "can be used as a signature."
            )
        made[name] = wrapped(name, concrete)
    return made


def concrete_of(function: Any) -> ConcreteFunction | None:
    """The one trace of a function, if it has one that it says itself."""
    if isinstance(function, ConcreteFunction):
        return function
    if isinstance(function, PolymorphicFunction) and function.input_signature is not None:
        return function.get_concrete_function()
    return None


def own_signature(root: Trackable) -> object:
    """What a library's property gives as signature; None where it raises, as in TensorFlow.

    Keras's property does so for a model whose inputs it does not know: it states fewer inputs than
    its function takes, which TensorFlow refuses where the function is made.
    """
    try:
        function = getattr(root, _DEFAULT, None)
        if isinstance(function, PolymorphicFunction):
            function.function_type  # noqa: B018 - a TypeError for inputs that do not fit
        return function
    except Exception:  # noqa: BLE001 - whatever a library raises
        get_logger().debug("%r has no default signature", root, exc_info=True)
        return None


def default_signature(root: Trackable) -> ConcreteFunction | None:
    """The signature of an object that has one function alone, if it may be one."""
    functions: dict[str, Function] = dict(functions_of(root))
    default = functions.get(_DEFAULT) or own_signature(root)
    if isinstance(default, Function):
        return concrete_of(default)
    if len(functions) != 1:
        return None
    concrete = concrete_of(next(iter(functions.values())))
    if concrete is None or not concrete.outputs:
        return None
    try:
        named_arguments(concrete)
        named_results(concrete.structured_outputs, "")
    except ValueError:
        return None
    return concrete


def named_arguments(concrete: ConcreteFunction) -> dict[str, TensorSpec]:
    """The tensors that a function takes, by name; ValueError where they have none."""
    specs = {}
    for value in concrete.graph.parameters:
        name = re.sub(r"\W", "_", value.node.name)
        specs[name] = TensorSpec.from_type(value.type, name)
    for _, _, type_ in concrete.function_type.typed():
        for part in [type_, *getattr(type_, "children", ())]:
            if not isinstance(part, TensorSpec) and hasattr(part, "value_type") and part.flatten():
                raise ValueError(f"the argument {part!r} of a signature is no tensor")
    if any(not name.isidentifier() for name in specs):
        raise ValueError(f"the arguments {list(specs)} of a signature are no names")
    return specs


def named_results(results: Any, name: str) -> dict[str, Any]:
    """Results by name; ValueError for what is no flat structure of tensors."""
    if not isinstance(results, Mapping):
        several = results if isinstance(results, (list, tuple)) else [results]
        results = {f"output_{place}": result for place, result in enumerate(several)}
    for key, result in results.items():
        if not isinstance(key, str):
            raise ValueError(
                f"Got a dictionary with a non-string key {key!r} in the output of the function "
                f"used to generate the SavedModel signature {name!r}."
            )
        if not isinstance(result, (Tensor, TypeSpec, Composite)):
            raise ValueError(
                f"Got a non-Tensor value {result!r} for key {key!r} in the output of the function "
                f"used to generate the SavedModel signature {name!r}. Outputs for functions used "
                "as signatures must be a single Tensor, a sequence of Tensors, or a dictionary "
                "from string to Tensor."
            )
    return dict(results)


def wrapped(name: str, concrete: ConcreteFunction) -> ConcreteFunction:
    """A trace that takes the tensors of another by name, and returns its results by name."""
    specs = named_arguments(concrete)
    named_results(concrete.structured_outputs, name)

    def signature_wrapper(**tensors: Any) -> dict[str, Any]:
        results = concrete.call_tensors([tensors[key] for key in specs])
        return named_results(results, name)

    plain = re.sub(r"\W", "_", name)
    function = PolymorphicFunction(signature_wrapper, f"signature_wrapper_{plain}", autograph=False)
    return function.get_concrete_function(**specs)
