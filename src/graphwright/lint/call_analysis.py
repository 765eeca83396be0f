"""The values that calls return, and the functions of the file that they reach."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from graphwright.lint import externals, model
from graphwright.lint.expression_analysis import RETURNS, TENSORS, ExpressionAnalysis
from graphwright.lint.kinds import Kind
from graphwright.lint.model import (
    Class,
    Function,
    LintedCall,
    PossibleValue,
    StagingSite,
    container,
    containing,
    join,
    join_two,
)

#: Ops that trace functions: the position and the name of each such argument.
GRAPH_CALLBACKS = {"tf.while_loop": ((0, "cond"), (1, "body"))}
DATASET_NAME = re.compile(r"dataset|(^|[_.])ds\d?$", re.I)
DATASET_PATH = re.compile(r"tf\.data\b|tf\.keras\.\w+\.\w+_from_directory$|tensorflow_datasets\b")
#: Methods of tensors and variables that return tensors.
TENSOR_METHODS = re.compile(
    r"value|read_value|assign\w*|sparse_read|gather_nd|scatter_\w+|to_tensor"
)
LIST_METHODS = {"append", "extend", "insert", "update", "add", "setdefault"}


class Calls(ExpressionAnalysis):
    """Evaluates calls."""

    def _call(self, node: ast.Call) -> PossibleValue:
        callee = self.evaluate(node.func)
        arguments = [self.evaluate(argument) for argument in node.args]
        keywords = {k.arg: self.evaluate(k.value) for k in node.keywords}
        self._take_along(node, callee, [*arguments, *keywords.values()])
        if callee.path == "tf.function":
            return self._stage(node, callee, arguments)
        # Where several functions may be called, an argument may be meant for one of them only.
        sure = len(callee.functions) == 1
        results = [self._call_function(f, node, callee, sure) for f in callee.functions]
        if callee.may(Kind.EXTERNAL) and callee.classes:
            results.extend(self._construct(one, node) for one in callee.classes)
        elif callee.may(Kind.EXTERNAL):
            results.append(self._call_external(callee.path, node, arguments))
        if callee.may(Kind.OBJECT):
            results.append(self._call_object(callee, node))
        if isinstance(node.func, ast.Attribute):
            owner = self.values[node.func.value]
            self._map_dataset(node, owner, arguments)
            self._note_compiling(node, owner)
            results.append(self._method(owner, node.func, node, arguments))
            if owner.kind == Kind.UNKNOWN and owner.path:
                return owner  # another value of the same library
        known = [r for r in results if r is not model.UNKNOWN]
        return join(known or results) if results else model.UNKNOWN

    def _take_along(
        self, node: ast.Call, callee: PossibleValue, arguments: list[PossibleValue]
    ) -> None:
        """Note that a call may call the functions among its arguments."""
        functions = {f for value in arguments for f in value.functions}
        for value in arguments:
            for item in (value.items or ()) if value.may(Kind.CONTAINER) else ():
                functions |= item.functions
        host = callee.path in externals.HOST
        for function in functions:
            plain = function.function if isinstance(function, StagingSite) else function
            plain.host |= host
            passes = not host and callee.path not in ("tf.function", "functools.wraps")
            if self.function and passes and not isinstance(function, StagingSite):
                self.function.callees.setdefault(plain, node)
        for place, name in GRAPH_CALLBACKS.get(callee.path, ()):
            target = node.args[place] if place < len(node.args) else None
            for keyword in node.keywords:
                target = keyword.value if keyword.arg == name else target
            if target is not None:
                self._give_tensors(self.values[target], node)

    def _note_compiling(self, node: ast.Call, owner: PossibleValue) -> None:
        """Note whether `model.compile(...)` lets Keras run the model's methods as Python."""
        if not isinstance(node.func, ast.Attribute) or node.func.attr != "compile":
            return
        if owner.may(Kind.EXTERNAL | Kind.TEXT | Kind.NUMBER):
            return  # `re.compile` and the like
        flags = {k.arg: k.value for k in node.keywords}
        flag = flags.get("run_eagerly")
        is_eager = isinstance(flag, ast.Constant) and flag.value is True
        for one in owner.classes or (None,):
            self.compilings.setdefault(one, {})[node] = is_eager

    def runs_eagerly(self, staging: StagingSite) -> bool:
        """Whether a function that may be staged runs as Python all the same."""
        if staging.by == "dataset":
            return False
        if self.eager_switches and all(self.eager_switches.values()):
            return True
        if staging.by != "keras":
            return False
        owner = staging.function.klass
        noted = self.compilings.get(owner) or self.compilings.get(None) or {}
        return bool(noted) and all(noted.values())

    def _external_tf_config_run_functions_eagerly(
        self, node: ast.Call, arguments: list[PossibleValue]
    ) -> PossibleValue:
        """None; notes whether functions run as Python."""
        flags = [*node.args, *[k.value for k in node.keywords]]
        is_on = bool(flags) and isinstance(flags[0], ast.Constant) and flags[0].value is True
        self.eager_switches[node] = is_on
        return model.NONE

    _external_tf_config_experimental_run_functions_eagerly = (
        _external_tf_config_run_functions_eagerly
    )

    def _map_dataset(
        self, node: ast.Call, owner: PossibleValue, arguments: list[PossibleValue]
    ) -> None:
        """Stage `f` of `dataset.map(f)`."""
        if not isinstance(node.func, ast.Attribute) or not arguments:
            return
        if node.func.attr in externals.DATASET_METHODS and arguments[0].functions:
            named = DATASET_NAME.search(ast.unparse(node.func.value))
            parallel = any(keyword.arg == "num_parallel_calls" for keyword in node.keywords)
            foreign = bool(owner.path) and not DATASET_PATH.match(owner.path)
            unknown = owner.may(Kind.UNKNOWN) and not foreign
            if owner.may(Kind.DATASET) or (unknown and (named or parallel)):
                self.stage_implicitly(arguments[0].functions, "dataset")

    def stage_implicitly(self, functions: Iterable[Function | StagingSite], by: str) -> None:
        """Record functions that Keras or a dataset stages."""
        for function in functions:
            if isinstance(function, Function) and not function.stagings:
                self.stagings[function.node] = StagingSite(function, function.node, {}, by)
                function.stagings.append(self.stagings[function.node])
                self.changed.add(function)

    def _give_tensors(self, value: PossibleValue, node: ast.Call) -> None:
        for function in value.functions:
            if isinstance(function, Function):
                for parameter in function.positional[1 if value.receiver else 0 :]:
                    self.learn(function, parameter, PossibleValue(Kind.TENSOR | Kind.UNKNOWN))

    # tf.function

    def _stage(
        self, node: ast.Call, callee: PossibleValue, arguments: list[PossibleValue]
    ) -> PossibleValue:
        """The value of `tf.function(f)`, or of `tf.function(option=...)` without a function yet."""
        target = arguments[0] if arguments else model.NOTHING
        for keyword in node.keywords:
            if keyword.arg == "func":
                target = self.values[keyword.value]
        if not target.kind or target.kind == Kind.NONE:
            return PossibleValue(Kind.EXTERNAL, path="tf.function", makers=callee.makers | {node})
        return self.wrap(target, node, callee.makers | {node})

    def wrap(
        self, target: PossibleValue, node: ast.AST, calls: frozenset[ast.AST]
    ) -> PossibleValue:
        """The wrapped functions; `calls` are the calls that state options of `tf.function`."""
        options = {
            k.arg: k.value
            for call in calls
            if isinstance(call, ast.Call)
            for k in call.keywords
            if k.arg and not self.values[k.value].is_only(Kind.NONE)
        }
        for call in calls:
            if isinstance(call, ast.Call) and len(call.args) > 1 and call is node:
                options["input_signature"] = call.args[1]
        wrapped = set()
        for one in target.functions:
            function = one.function if isinstance(one, StagingSite) else one
            if node not in self.stagings:
                staging = StagingSite(function, node, options)
                self.stagings[node] = staging
                function.stagings.append(staging)
                self.changed.add(function)
            wrapped.add(self.stagings[node])
        if not wrapped:
            return model.UNKNOWN
        return PossibleValue(
            Kind.FUNCTION,
            functions=frozenset(wrapped),
            receiver=target.receiver,
            makers=frozenset([node]),
        )

    # Functions of the file

    def _call_function(
        self,
        callee: Function | StagingSite,
        node: ast.Call,
        value: PossibleValue,
        sure: bool = True,
    ) -> PossibleValue:
        function = callee.function if isinstance(callee, StagingSite) else callee
        concrete = value.path == "get_concrete_function"
        call = self._bind(function, node, value.receiver is not None)
        call.concrete = concrete
        known = callee.calls
        known[:] = [one for one in known if one.node is not node]
        known.append(call)
        if self.function is not None and not isinstance(callee, StagingSite):
            self.function.callees.setdefault(function, node)
        if value.receiver is not None and function.positional:
            self.learn(function, function.positional[0], value.receiver)
        for name, (_, argument) in call.arguments.items() if sure else ():
            if isinstance(callee, StagingSite) and argument.may(Kind.NUMPY):
                argument = replace(argument, kind=argument.kind & ~Kind.NUMPY | Kind.TENSOR)
            if concrete and argument.path.startswith("tf.") and argument.path.endswith("Spec"):
                argument = model.TENSOR
            self.learn(function, name, replace(argument, constant=None))
        if concrete:
            return model.UNKNOWN
        self.read(RETURNS, function)
        result = function.returns if function.returns.kind else model.UNKNOWN
        if isinstance(callee, StagingSite) and result.may(Kind.NUMBER | Kind.BOOL):
            kind = result.kind & ~(Kind.NUMBER | Kind.BOOL) | Kind.TENSOR
            result = replace(result, kind=kind, constant=None)
        return result

    def _bind(self, function: Function, node: ast.Call, bound: bool) -> LintedCall:
        """The call's arguments by the names of the function's parameters."""
        names = function.positional[1 if bound and not function.is_plain_static else 0 :]
        arguments: dict[str, tuple[ast.expr, PossibleValue]] = {}
        rest = function.node.args.vararg
        for index, argument in enumerate(node.args):
            value = self.values[argument]
            if isinstance(argument, ast.Starred):
                for name in names[index:]:
                    arguments[name] = (argument, value)
                break
            if index < len(names):
                arguments[names[index]] = (argument, value)
            elif rest is not None:
                earlier = arguments[rest.arg][1].each() if rest.arg in arguments else model.NOTHING
                arguments[rest.arg] = (argument, containing(join_two(earlier, value)))
        every = {*function.positional, *(a.arg for a in function.node.args.kwonlyargs)}
        for keyword in node.keywords:
            if keyword.arg in every:
                arguments[keyword.arg] = (keyword.value, self.values[keyword.value])
        return LintedCall(node, arguments, self.function)

    def learn(self, function: Function, parameter: str, value: PossibleValue) -> None:
        """Note that a call passes this as a parameter."""
        before = function.parameters.get(parameter, model.NOTHING)
        after = join_two(before, value)
        if after != before:
            function.parameters[parameter] = after
            self.changed.add(function)

    def _construct(self, one: Class, node: ast.Call) -> PossibleValue:
        constructed = PossibleValue(Kind.OBJECT, classes=frozenset([one]), makers=frozenset([node]))
        init = one.member("__init__")
        for function in init.functions if init else ():
            self._call_function(function, node, PossibleValue(Kind.FUNCTION, receiver=constructed))
        return constructed

    def _call_object(self, callee: PossibleValue, node: ast.Call) -> PossibleValue:
        for one in callee.classes:
            method = one.member("__call__") or one.member("call")
            if method is not None:
                bound = replace(method, receiver=callee)
                return join([self._call_function(f, node, bound) for f in method.functions])
        if callee.path.startswith(("tf.keras.layers.", "tf.keras.Sequential", "tf.keras.losses.")):
            return model.TENSOR
        return model.UNKNOWN

    # External functions

    def _call_external(
        self, path: str, node: ast.Call, arguments: list[PossibleValue]
    ) -> PossibleValue:
        name = "_external_" + path.replace(".", "_")
        special: Callable[[ast.Call, list[PossibleValue]], PossibleValue] | None = getattr(
            self, name, None
        )
        if special is not None:
            return special(node, arguments)
        value = externals.result(path)
        if value.may(Kind.OBJECT):
            return replace(value, makers=frozenset([node]))
        if value.is_only(Kind.TENSOR | Kind.NUMPY):
            return self._shaped(replace(value, dtype=self._dtype(node)), path, node, arguments)
        return value

    def _dtype(self, node: ast.Call) -> str:
        """The dtype that a call states."""
        for argument in (*node.args, *(k.value for k in node.keywords)):
            value = self.values[argument]
            if value.dtype and value.may(Kind.EXTERNAL):
                return value.dtype
        return ""

    def _shaped(
        self, tensor: PossibleValue, path: str, node: ast.Call, arguments: list[PossibleValue]
    ) -> PossibleValue:
        """The tensor of `tf.ones` and the like with its shape, or marked if a loop changes it."""
        shape = arguments[0] if arguments and path in externals.MAKERS else None
        for keyword in node.keywords if path in externals.MAKERS else ():
            shape = self.values[keyword.value] if keyword.arg == "shape" else shape
        if shape is None:
            return tensor
        if path in externals.OF_FLOATS and not tensor.dtype:
            tensor = replace(tensor, dtype="float64" if path.startswith("np.") else "float32")
        parts = shape.items if shape.items is not None else (shape,)
        if any(part.varying for part in parts):
            return replace(tensor, varying=True)
        sizes = tuple(part.constant for part in parts if isinstance(part.constant, int))
        known = shape.items is not None and len(sizes) == len(parts)
        return replace(tensor, shape=sizes) if known else tensor

    def _external_tf_constant(
        self, node: ast.Call, arguments: list[PossibleValue]
    ) -> PossibleValue:
        """The tensor of `tf.constant` and `tf.convert_to_tensor`, with a literal's type."""
        dtype = self._dtype(node)
        source = node.args[0] if node.args else None
        if source is None:
            return PossibleValue(Kind.TENSOR, dtype=dtype)
        shape, guessed = literal_type(source)
        value = arguments[0]
        return PossibleValue(
            Kind.TENSOR,
            dtype=dtype or guessed,
            shape=shape,
            varying=value.varying and value.may(Kind.NUMPY | Kind.TENSOR | Kind.CONTAINER),
        )

    _external_tf_convert_to_tensor = _external_tf_constant

    def _external_tf_Variable(
        self, node: ast.Call, arguments: list[PossibleValue]
    ) -> PossibleValue:
        tensor = self._external_tf_constant(node, arguments)
        return PossibleValue(Kind.VARIABLE, dtype=tensor.dtype, makers=frozenset([node]))

    def _external_np_array(self, node: ast.Call, arguments: list[PossibleValue]) -> PossibleValue:
        tensor = self._external_tf_constant(node, arguments)
        wide = {"float32": "float64", "int32": "int64"}
        dtype = self._dtype(node) or wide.get(tensor.dtype, tensor.dtype)
        return PossibleValue(Kind.NUMPY, dtype=dtype, shape=tensor.shape)

    def _external_tf_cast(self, node: ast.Call, arguments: list[PossibleValue]) -> PossibleValue:
        return PossibleValue(Kind.TENSOR, dtype=self._dtype(node))

    def _external_iter(self, node: ast.Call, arguments: list[PossibleValue]) -> PossibleValue:
        value = arguments[0] if arguments else model.UNKNOWN
        if value.is_only(Kind.DATASET | Kind.DATA_ITERATOR):
            return PossibleValue(Kind.DATA_ITERATOR)
        if value.is_only(Kind.CONTAINER | Kind.ITERATOR | Kind.NUMPY):
            return PossibleValue(Kind.ITERATOR, element=value.each())
        return model.UNKNOWN

    def _external_next(self, node: ast.Call, arguments: list[PossibleValue]) -> PossibleValue:
        return self.items(arguments[0]) if arguments else model.UNKNOWN

    def _external_range(self, node: ast.Call, arguments: list[PossibleValue]) -> PossibleValue:
        if any(value.may(TENSORS) for value in arguments):
            return model.TENSOR
        varying = any(value.varying for value in arguments)
        return replace(containing(model.NUMBER), varying=varying)

    def _external_enumerate(self, node: ast.Call, arguments: list[PossibleValue]) -> PossibleValue:
        value = arguments[0] if arguments else model.UNKNOWN
        graph = value.is_only(TENSORS | Kind.DATASET | Kind.DATA_ITERATOR)
        index = model.TENSOR if graph else PossibleValue(Kind.NUMBER, varying=True)
        pairs = containing(container([index, self.items(value)]))
        return replace(pairs, kind=Kind.CONTAINER | value.kind & Kind.ITERATOR)

    def _external_zip(self, node: ast.Call, arguments: list[PossibleValue]) -> PossibleValue:
        tuples = containing(container([self.items(value) for value in arguments]))
        consumed = any(value.is_only(Kind.ITERATOR) for value in arguments)
        return replace(tuples, kind=Kind.ITERATOR if consumed else Kind.CONTAINER)

    def _external_list(self, node: ast.Call, arguments: list[PossibleValue]) -> PossibleValue:
        if not arguments:
            return container([])
        value = arguments[0]
        if value.items is not None and value.may(Kind.CONTAINER):
            return container(value.items)
        return containing(self.items(value))

    _external_tuple = _external_sorted = _external_reversed = _external_list

    def _external_set(self, node: ast.Call, arguments: list[PossibleValue]) -> PossibleValue:
        return replace(self._external_list(node, arguments), path="set")

    def _external_dict(self, node: ast.Call, arguments: list[PossibleValue]) -> PossibleValue:
        return containing(join([self.values[k.value] for k in node.keywords]))

    def _external_int(self, node: ast.Call, arguments: list[PossibleValue]) -> PossibleValue:
        value = arguments[0] if arguments else model.NUMBER
        if value.is_only(TENSORS) and self.function and self.function.root:
            return model.TENSOR  # AutoGraph's
        return PossibleValue(Kind.NUMBER, varying=value.varying)

    _external_float = _external_abs = _external_round = _external_int

    def _external_super(self, node: ast.Call, arguments: list[PossibleValue]) -> PossibleValue:
        klass = self.function.klass if self.function else None
        bases = frozenset(b for v in (klass.bases if klass else ()) for b in v.classes)
        return PossibleValue(Kind.OBJECT, classes=bases) if bases else model.UNKNOWN

    def _external_functools_partial(
        self, node: ast.Call, arguments: list[PossibleValue]
    ) -> PossibleValue:
        """The value of a partial application: of `tf.function`, or of a function."""
        if not arguments:
            return model.UNKNOWN
        first = arguments[0]
        if first.path == "tf.function":
            return replace(first, makers=first.makers | {node})
        for function in first.functions:
            plain = function.function if isinstance(function, StagingSite) else function
            for keyword in node.keywords:
                if keyword.arg:
                    self.learn(plain, keyword.arg, self.values[keyword.value])
        # Its positional arguments are shifted, so calls of it say nothing of parameters.
        if len(arguments) > 1 and self.function is not None:
            for function in first.functions:
                if isinstance(function, Function):
                    self.function.callees.setdefault(function, node)
            return model.UNKNOWN
        return first

    # Methods of values

    def _method(
        self,
        owner: PossibleValue,
        name: ast.Attribute,
        node: ast.Call,
        arguments: list[PossibleValue],
    ) -> PossibleValue:
        """The value that a method returns, where no class of this file defines it."""
        attribute = name.attr
        if owner.may(Kind.CONTAINER) and attribute in LIST_METHODS:
            self._grow(name.value, owner, attribute, arguments)
            return model.NONE
        if owner.may(Kind.TENSOR_ARRAY):
            written = attribute in ("write", "unstack", "scatter", "split")
            return PossibleValue(Kind.TENSOR_ARRAY) if written else model.TENSOR
        if owner.is_only(Kind.DATASET):
            if attribute == "as_numpy_iterator":
                return model.ITERATOR
            return PossibleValue(Kind.DATASET) if attribute != "reduce" else model.UNKNOWN
        if owner.may(TENSORS):
            if attribute == "numpy":
                return model.NUMPY
            return model.TENSOR if TENSOR_METHODS.fullmatch(attribute) else model.UNKNOWN
        if owner.is_only(Kind.NUMPY):
            return model.NUMPY
        if owner.is_only(Kind.TEXT):
            return model.UNKNOWN if attribute.startswith(("split", "find")) else model.TEXT
        if owner.path == "tf.GradientTape" and attribute in ("gradient", "jacobian"):
            sources = arguments[1] if len(arguments) > 1 else model.UNKNOWN
            if sources.is_only(Kind.CONTAINER):
                return containing(model.TENSOR)
            return model.TENSOR if sources.is_only(TENSORS) else model.UNKNOWN
        return model.UNKNOWN

    def _grow(
        self, target: ast.expr, owner: PossibleValue, method: str, arguments: list[PossibleValue]
    ) -> None:
        """Learn from a change of a container what its items may be."""
        if method in ("append", "add") and arguments:
            added = arguments[0]
        elif method == "extend" and arguments:
            added = self.items(arguments[0])
        else:
            added = model.UNKNOWN
        if isinstance(target, ast.Name) and target.id in self.environment:
            grown = containing(
                join_two(
                    owner.each() if owner.items != () else model.NOTHING,
                    replace(added, constant=None),
                )
            )
            self.environment[target.id] = replace(grown, kind=owner.kind)


def literal_type(node: ast.expr) -> tuple[tuple[int, ...] | None, str]:
    """The shape and dtype of a literal as a tensor; None and "" where it is no literal."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return literal_type(node.operand)
    if isinstance(node, ast.Constant):
        names = {bool: "bool", int: "int32", float: "float32", str: "string", bytes: "string"}
        return (), names.get(type(node.value), "")
    if isinstance(node, (ast.List, ast.Tuple)):
        inner = [literal_type(item) for item in node.elts]
        shapes, dtypes = {shape for shape, _ in inner}, {dtype for _, dtype in inner}
        shape = next(iter(shapes)) if len(shapes) == 1 else None
        dtype = next(iter(dtypes)) if len(dtypes) == 1 else ""
        dtype = "float32" if dtypes == {"float32", "int32"} else dtype
        return None if shape is None else (len(inner), *shape), dtype
    return None, ""
