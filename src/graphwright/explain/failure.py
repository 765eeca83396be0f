"""Calls that failed: the mistake, and the form that works.

An error is known by its class and by the words that all errors of its kind share.
"""

from __future__ import annotations

import linecache
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from graphwright.base.errors import Location
from graphwright.explain.fix import Fix
from graphwright.explain.proposal import ProposalCase
from graphwright.explain.replay import count
from graphwright.explain.trace_record import Failure
from graphwright.explain.wording import listed, show_place


@dataclass(frozen=True)
class FailureReport:
    """A call that failed, why, and what to write."""

    error: str
    message: str
    caller: str
    line: str
    sentence: str
    fix: Fix | None


#: Whether an error at a line is of a kind, beside its words.
Where: TypeAlias = Callable[[Location | None, ProposalCase], bool]


def is_anywhere(line: Location | None, case: ProposalCase) -> bool:
    """True: the words alone tell the kind."""
    return True


def is_unconverted(line: Location | None, case: ProposalCase) -> bool:
    """Whether a statement failed in a function that was made with `autograph=False`."""
    return not case.converts and not is_comprehension(line, case)


def is_comprehension(line: Location | None, case: ProposalCase) -> bool:
    """Whether a comprehension failed, which is a function of its own before Python 3.12."""
    if line is None:
        return False
    text = source(line)
    return line.function in _COMPREHENSIONS or (" for " in text and not text.startswith("for "))


_COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")


@dataclass(frozen=True)
class FailureKind:
    """A kind of error, and what to write instead.

    In its code `{line}` is the line that failed, and `{head}` the first line of the function. Its
    name is `{name}`, and the first group of the pattern is `{0}`.
    """

    error: type[BaseException]
    pattern: str
    sentence: str
    title: str
    code: str
    where: Where = is_anywhere


_TRUTH = r"Using a symbolic `tf\.Tensor` as a Python `bool`(?:.*?`(tf\.cond\([^`]*)`)?"
_ITERATION = r"Iterating over a symbolic `tf\.Tensor`(?:.*?`(tf\.map_fn\([^`]*)`)?"

KNOWN = (
    FailureKind(
        ValueError, r"only supports singleton tf\.Variables.*?\n    line .*? makes one:\n(.*)",
        "A variable is created while the function is traced again: each call would have a new one.",
        "Create it once", "{0}",
    ),
    FailureKind(
        ValueError, r"only supports singleton tf\.Variables",
        "A variable is created while the function is traced again: each call would have a new one.",
        "Create it once, outside",
        "{line}  # once, outside the function\n\n@tf.function\n{head} ...",
    ),
    FailureKind(
        TypeError, _TRUTH,
        "Python asks for the truth of a tensor that has no value while the function is traced.",
        "Let AutoGraph convert the condition, or use tf.cond",
        "@tf.function  # without autograph=False\n{head} ...\n# or: {0}",
        is_unconverted,
    ),
    FailureKind(
        TypeError, _TRUTH,
        "A comprehension asks for the truth of a tensor, and AutoGraph converts statements alone.",
        "Use an op",
        "tf.where(condition, a, b)  # or tf.boolean_mask(items, mask)",
        is_comprehension,
    ),
    FailureKind(
        TypeError, _TRUTH,
        "Code that AutoGraph does not convert asks for the truth of a tensor without a value.",
        "Use tf.cond", "{0}",
    ),
    FailureKind(
        TypeError, _ITERATION,
        "Python iterates over a tensor that has no value while the function is traced.",
        "Let AutoGraph convert the loop, or use tf.map_fn",
        "@tf.function  # without autograph=False\n{head} ...\n# or: {0}",
        is_unconverted,
    ),
    FailureKind(
        TypeError, _ITERATION,
        "Code that AutoGraph does not convert iterates over a tensor without a value.",
        "Use tf.map_fn, or a `for` statement", "{0}",
    ),
    FailureKind(
        TypeError, r"len is not well defined for a symbolic Tensor.*?`(tf\.shape\([^`]*)`",
        "`len` needs a number, and the length is known only when the graph runs.",
        "Ask for the shape", "{0}",
    ),
    FailureKind(
        TypeError, r"has no Python (int|float|index|complex).*?`(tf\..*?)`",
        "Python asks for the {0} of a tensor that has no value while the function is traced.",
        "Keep to tensors", "{1}",
    ),
    FailureKind(
        ValueError, r"is out of scope and cannot be used here",
        "A tensor that was made in the body of a loop or branch was kept in a Python object and "
        "used outside of it.",
        "Collect in a tf.TensorArray",
        "result = tf.TensorArray(dtype, size=0, dynamic_size=True)\n"
        "for i in tf.range(tf.shape(data)[0]):\n    result = result.write(i, ...)\n"
        "return result.stack()",
    ),
    FailureKind(
        TypeError,
        r"<tf\.Tensor '(.+?)'.* is out of scope and cannot be used here.*?"
        r"was defined here:\n\s*(.*?)\n\s*(.*?)\n",
        "The tensor {0}, made by `{2}` ({1}), was stored outside the function that made it. It was "
        "used after this function had ended.",
        "Return it",
        "return ..., tensor  # where `{2}` makes it; take it from the call's results",
    ),
    FailureKind(
        TypeError, r"Could not generate a generic TraceType for",
        "An argument is an object that can be neither hashed nor referred to weakly. So no trace "
        "could be found again for it.",
        "Say which type it has",
        "# in its class:\ndef __hash__(self):\n    return hash(tuple(vars(self).values()))\n"
        "# or __tf_tracing_type__(self, context), which returns a tf.types.experimental.TraceType",
    ),
    FailureKind(
        TypeError, r"unsupported operand type\(s\) for .*'NoneType'",
        "An operand is None, which has no arithmetic. tape.gradient gives None for a tensor that "
        "the tape did not watch, and a function without a `return` gives it too.",
        "Watch what the gradient is for", "tape.watch(x)  # first in the `with`",
    ),
    FailureKind(
        TypeError,
        r"argument '(\w+)' is (.+?); input_signature has (.+?)\n +(tf\.[^\n]+) (?:fits|in)",
        "input_signature has {2} for the argument `{0}`, which is {1}.",
        "Convert the argument, or relax the signature", "{3}",
    ),
    FailureKind(
        TypeError, r"Can not cast (.+?) to (.+?)`",
        "The argument {0} does not have the type that input_signature fixes: {1}.",
        "Relax the signature, or convert the argument",
        "@tf.function(input_signature=[tf.TensorSpec(None, ...)])\n{head} ...",
    ),
    FailureKind(
        TypeError, r"Binding inputs to tf\.function failed due to `(.+?)`",
        "The call does not fit the function's parameters: {0}.",
        "Call it by its signature", "{head} ...",
    ),
    FailureKind(
        RecursionError, r"recursion",
        "The function calls itself, and a tensor decides when that ends. Both branches are traced, "
        "so tracing never ends.",
        "Loop instead, or pass a Python number",
        "while n > 0:\n    n = n - 1\n# or: {name}(5), one trace for each number",
    ),
    FailureKind(
        ValueError, r"'(\w+)' must also be initialized in the (\w+) branch",
        "`{0}` gets its value in one branch only, and a tensor decides which runs.",
        "Give it a value before", "{0} = ...  # before the `if`",
    ),
    FailureKind(
        ValueError, r"a tensor decides whether this function returns a value",
        "A tensor decides whether the function returns a value.",
        "Return on both paths", "return ...  # at the end of the function",
    ),
    FailureKind(
        TypeError, r"pred must not be a Python bool",
        "tf.cond has a Python bool for its condition, which is known while tracing.",
        "Use Python's `if`, or make the operand a tensor",
        "if condition: ...\n# or: {name}(tf.constant(...))",
    ),
    FailureKind(
        AttributeError, r"has no attribute '\w+': `(.*?)` is a tensor of a graph.*?`(tf\.py_.*?)`",
        "The program reads the value of `{0}`, which has none while the function is traced.",
        "Compute with the tensor, or read it when the graph runs", "{1}",
    ),
    FailureKind(
        AttributeError, r"has no attribute '(\w+)': write `(.*?)`",
        "Tensors have no `{0}`, which arrays have.",
        "Use the op", "{1}",
    ),
    FailureKind(
        NotImplementedError,
        r"Cannot convert a symbolic tf\.Tensor.*?`(tf\.numpy_function\(.*?\))`",
        "NumPy asks for the value of a tensor that has none while the function is traced.",
        "Use the op of the same name, or tf.numpy_function",
        "{0}",
    ),
    FailureKind(
        TypeError,
        r"has type (\w+) that does not match type (\w+) .*?\n +(tf\.[^\n]+) converts it",
        "Two operands differ in dtype: {0} and {1}.",
        "Convert one of them", "{2}",
    ),
    FailureKind(
        TypeError, r"Python functions must return zero or more Tensors.*of type (\w+),",
        "The function returns a {0}, which no graph can give back.",
        "Return tensors", "return tf.nest.map_structure(tf.convert_to_tensor, ...)",
    ),
    FailureKind(
        TypeError,
        r"Loop var (\w+).*? enters the loop with type <dtype: '(.+?)'> but has type "
        r"<dtype: '(.+?)'>",
        "A loop variable changes its dtype from {1} to {2}.",
        "Begin with the dtype that an iteration ends with",
        "{0} = tf.cast({0}, tf.{2})  # before the loop",
    ),
    FailureKind(
        ValueError, r"shape invariant|enters the loop with shape|shape_invariants",
        "A loop variable changes its shape.",
        "Say which dimensions are constant",
        "tf.autograph.experimental.set_loop_options(\n"
        "    shape_invariants=[(x, tf.TensorShape([None]))])  # first line in the loop",
    ),
    FailureKind(
        ReferenceError, r"The object that the method '(\w+)' was bound to is gone",
        "The instance whose method `{0}` is called is gone.",
        "Keep the instance", "model = Model()  # kept while its method is used",
    ),
    FailureKind(
        ValueError, r"A structure that contains itself",
        "A container holds itself, so its type has no end.",
        "Remove it from itself", "items.remove(items)",
    ),
)  # fmt: skip


def failure_report(failure: Failure, case: ProposalCase) -> FailureReport:
    """A call that failed, in words."""
    line = failure.line or failure.caller
    for known in KNOWN:
        match = re.search(known.pattern, failure.message, re.DOTALL)
        fits = match is not None and issubclass(failure.kind, known.error)
        if match is not None and fits and known.where(line, case):
            words = {
                "line": source(line),
                "head": f"def {case.name}{case.signature}:",
                "name": case.name,
            }
            sentence = known.sentence.format(*match.groups(), **words)
            code = textwrap.dedent(known.code.format(*match.groups(), **words))
            fix = Fix(known.title, code, max(count(case.requests, case.reduces), 1))
            return worded(failure, line, sentence, fix)
    return worded(failure, line, failure.message.partition("\n")[0], None)


def worded(
    failure: Failure, line: Location | None, sentence: str, fix: Fix | None
) -> FailureReport:
    """The report on a call that failed."""
    caller = show_place(failure.caller)
    if failure.stored:
        sentence += f" It was stored by {listed(failure.stored)}."
    return FailureReport(
        failure.kind.__name__, failure.message, caller, show_place(line), sentence, fix
    )


def source(line: Location | None) -> str:
    """The text of a line of the program."""
    return "" if line is None else linecache.getline(line.filename, line.lineno).strip()
