"""Errors for branches and loops that cannot be part of the graph.

Each says what is wrong, in TensorFlow's words where it has some. It adds what to write instead, and
the line of the program.
"""

from __future__ import annotations

from opcode import opname

from graphwright.base.errors import (
    InaccessibleTensorError,
    OperatorNotAllowedInGraphError,
    is_own,
    user_location,
)

RETURN_VALUE = "retval_"  # the variable of `jumps` that holds what a function returns


def refusal(kind: type[Exception], what: str, instead: str) -> Exception:
    """An error, with the innermost line of the program."""
    location = user_location(2)
    where = "" if location is None else f"\n  {location}"
    return kind(f"{what}\n{instead}{where}")


def missing(name: str, branch: str) -> Exception:
    return refusal(
        ValueError,
        f"'{name}' must also be initialized in the {branch} branch",
        f"A tensor decides which branch runs, and `{name}` is used afterwards: assign it before "
        "the `if`, or in both branches.",
    )


def out_of_scope(name: str) -> Exception:
    return refusal(
        ValueError,
        f"'{name}' has no value outside of a branch or a loop that a tensor decides",
        f"A function that is called elsewhere reads `{name}`: assign it before the statement.",
    )


def is_none(name: str, branch: str) -> Exception:
    if name.startswith(RETURN_VALUE):
        instead = (
            "A tensor decides what the function returns: return a tensor on each path, and a bool "
            "tensor beside it that says whether it counts."
        )
    else:
        instead = (
            f"A tensor decides what `{name}` is, and None is no tensor: begin with one that stands "
            "for it, such as -1 or zeros, and keep a bool tensor that says whether it counts."
        )
    return refusal(ValueError, f"'{name}' is None at the end of the {branch} branch.", instead)


def other_structure_in_branch(name: str, error: Exception) -> Exception:
    return refusal(
        TypeError,
        f"'{name}' must have the same nested structure in the main and else branches:\n\n{error}",
        "A tensor decides which branch runs: give both the same keys and as many items, or keep "
        "what grows in a tf.TensorArray.",
    )


def other_objects(name: str, one: object, two: object) -> Exception:
    return refusal(
        TypeError,
        f"'{name}' is {one!r} in the main branch, but {two!r} in the else branch",
        "A tensor cannot decide between values that are not tensors: decide between tensors that "
        "are made of them.",
    )


def other_dtype_in_branch(name: str, one: str, two: str) -> Exception:
    return refusal(
        TypeError,
        f"'{name}' has dtype {one} in the main branch, but dtype {two} in the else branch",
        f"Make them alike, as by `tf.cast(..., tf.{two})` in the main branch.",
    )


def operand(word: str, value: object) -> Exception:
    return refusal(
        TypeError,
        f"after a tensor, the operands of `{word}` must be bools, not {value!r}",
        f"Only the graph knows which operand `{word}` gives: write `b if a else c`, or compare "
        "the operand, as in `x != 0`.",
    )


def changing_setter(name: str) -> Exception:
    return refusal(
        ValueError,
        f"'{name}' is another value than the one assigned to it, even where that was its own",
        "A branch or a loop of the graph assigns the attribute whenever it begins or ends. Keep "
        "the value in a variable there, and assign the attribute after it.",
    )


def no_value(name: str, is_none: bool) -> Exception:
    what = (
        f"'{name}' may not be None before the loop"
        if is_none
        else (f"'{name}' must be defined before the loop")
    )
    return refusal(
        ValueError,
        f"{what}: only the first turn would find it so, and the graph has one trace for all turns.",
        f"Begin with a tensor that stands for it, such as -1 or zeros, and keep a bool tensor that "
        f"says whether `{name}` counts.",
    )


def other_structure_in_loop(name: str, error: Exception) -> Exception:
    return refusal(
        TypeError,
        f"'{name}' does not have the same nested structure after one iteration.\n\n{error}",
        "The loop is one of the graph: give it the same keys and as many items before the loop, "
        "or keep what grows in a tf.TensorArray.",
    )


def changed_object(name: str, before: object, after: object) -> Exception:
    return refusal(
        TypeError,
        f"'{name}' is {before!r} before the loop, but {after!r} after one iteration",
        "Only tensors, and what converts to them, can change in a loop of the graph: begin with a "
        "tensor.",
    )


def other_list(name: str) -> Exception:
    return refusal(
        TypeError,
        f"'{name}' is another list afterwards than before, and a loop of the graph has changed one "
        "of the two: it has to stay one list whose items change.",
        f"Begin with the list before, and change it where it is: `{name}.clear()`, "
        f"`{name}.append(...)`, `{name} += [...]`.",
    )


def other_dtype_in_loop(name: str, before: str, after: str) -> Exception:
    return refusal(
        TypeError,
        f"'{name}' has dtype {before} before the loop, but dtype {after} after one iteration",
        f"A loop variable keeps its dtype: begin with `tf.cast(..., tf.{after})`, or cast to "
        f"{before} in the loop.",
    )


def other_shape(name: str, before: object, after: object, both: object) -> Exception:
    return refusal(
        ValueError,
        f"'{name}' has shape {before} before the loop, but shape {after} after one iteration. Use "
        "tf.autograph.experimental.set_loop_options to set shape invariants.",
        "Write this first in the loop: tf.autograph.experimental.set_loop_options("
        f"shape_invariants=[({name}, tf.TensorShape({both}))])",
    )


def python_truth(value: object) -> Exception:
    return refusal(
        OperatorNotAllowedInGraphError,
        f"Using a symbolic `tf.Tensor` as a Python `bool` is not allowed: {value} decides whether "
        "an assignment expression (`:=`) runs or a comprehension takes an item, which Python does.",
        "Assign in a statement before, or in both branches of an `if`; `tf.boolean_mask` takes "
        "some items of a tensor.",
    )


def match() -> Exception:
    return refusal(
        OperatorNotAllowedInGraphError,
        "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed: the patterns and guards "
        "of `match` compare as Python.",
        "Write `if` and `elif`, which become branches of the graph.",
    )


def lost_items(item: object) -> Exception:
    return refusal(
        InaccessibleTensorError,
        f"{item!r} is out of scope and cannot be used here: a loop or a branch of the graph put it "
        "into a list. Its body is traced once, so the list has one item for all turns.",
        "Keep them in `array = tf.TensorArray(dtype, size=0, dynamic_size=True)`: "
        "`array = array.write(array.size(), value)` in the loop, `array.size()` and "
        "`array.stack()` after it.",
    )


def too_many_turns(number: int) -> Exception:
    return refusal(
        NotImplementedError,
        "a tensor decides when this Python loop breaks or returns, and it has unrolled "
        f"{number} times.",
        "Loop over a tensor, such as tf.range, instead, or write a `while` that asks the tensor.",
    )


def condition(value: object, what: str, is_bool: bool) -> Exception:
    words = f"condition of {what} expected to be `tf.bool` scalar, got {value}"
    words += "; " if is_bool else "; to use as boolean Tensor, use `tf.cast`; "
    words += "to check for None, use `is not None`"
    if not is_bool:
        instead = "Which numbers count as true, say by a comparison: `x != 0`."
    else:
        instead = "One bool must decide: tf.reduce_all or tf.reduce_any of it. For a choice "
        instead += "element by element there is tf.where."
    return refusal(ValueError, words, instead)


def note_raise(error: BaseException) -> None:
    """Notes at an error that a branch of the program raises why it did so while it was traced."""
    entry = error.__traceback__
    while entry is not None and entry.tb_next is not None:
        entry = entry.tb_next
    add = getattr(error, "add_note", None)  # from Python 3.11 on
    if entry is None or add is None or is_own(entry.tb_frame.f_code):
        return
    is_raise = opname[entry.tb_frame.f_code.co_code[entry.tb_lasti]] == "RAISE_VARARGS"
    if is_raise and _RAISED not in getattr(error, "__notes__", ()):
        add(_RAISED)


_RAISED = (
    "A tensor decides an `if` around this, and AutoGraph traces both branches of it: so this was "
    "raised while tracing, whatever the tensor holds. Use `tf.debugging.assert_greater` or another "
    "of `tf.debugging`, which check when the graph runs."
)
