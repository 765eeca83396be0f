"""The C header of a library."""

from __future__ import annotations

from collections.abc import Sequence

from graphwright.portable.native_library.library_interface import (
    C_TYPES,
    InterfaceArray,
    InterfaceFunction,
)

#: What functions return, by the ends of their names in C.
CODES = {"OK": 0, "SIZE": 1, "VALUE": 2, "MEMORY": 3, "WEIGHTS": 4}

#: What these mean.
MESSAGES = (
    "no error",
    "the sizes of the arguments are not those that the function takes, or do not fit together",
    "a value is out of range: an index, a divisor of 0, a size; or there is too little memory",
    "there is too little memory",
    "the weights are not loaded, or are those of another library",
)


def header(prefix: str, functions: Sequence[InterfaceFunction], weights: str | None) -> str:
    """The text of the header; `weights` is the file beside the library, if there is one."""
    guard = f"{prefix.upper()}_H"
    codes = ", ".join(f"{prefix.upper()}_{name} = {code}" for name, code in CODES.items())
    lines = [
        f"/* The functions of the library {prefix}. graphwright wrote this file. */",
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
        "#include <stdint.h>",
        "",
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        "",
        "/* What functions return. */",
        f"enum {{ {codes} }};",
        "",
        "/*",
        " * An array is the address of its elements, row after row, and the sizes of its axes.",
        " * A scalar has no sizes. A `?` is any size; all others must be as they stand here.",
        f" * Results are new memory, which `{prefix}_free` frees. After an error they are null.",
        " * Functions may be called by several threads at once.",
        " */",
    ]
    for function in functions:
        lines += ["", *documented(function), prototype(prefix, function)]
    lines += [
        "",
        "/* Frees a result. */",
        f"void {prefix}_free(void *result);",
        "",
        "/* The words for what a function returned. */",
        f"const char *{prefix}_error(int code);",
    ]
    if weights is not None:
        lines += [
            "",
            f"/* Reads the weights from the file `{weights}`: once, before all other calls. */",
            f"int {prefix}_load(const char *path);",
        ]
    lines += [
        "",
        "/*",
        " * Shares work between threads from now on. `for_each` calls body(context, i) for each i",
        " * from 0 to count - 1, in any order and in any threads, and returns when all have ended.",
        " * Null, as at first: one thread does all. Results do not depend on it.",
        " */",
        f"void {prefix}_share(void (*for_each)(void (*body)(void *context, int64_t i),",
        f"    {' ' * len(prefix)}             void *context, int64_t count));",
        "",
        "#ifdef __cplusplus",
        "}",
        "#endif",
        "",
        "#endif",
        "",
    ]
    return "\n".join(lines)


def documented(function: InterfaceFunction) -> list[str]:
    """The comment with the types of a function."""
    lines = ["/*", *[f" * {array}" for array in function.arguments], " * ->"]
    return [*lines, *[f" * {array}" for array in function.results], " */"]


def prototype(prefix: str, function: InterfaceFunction) -> str:
    """The declaration of a function."""
    parameters = [text for array in function.arguments for text in argument(array)]
    parameters += [text for array in function.results for text in result(array)]
    head = f"int {prefix}_{function.name}("
    return f"{head}{(',' + chr(10) + ' ' * len(head)).join(parameters) or 'void'});"


def argument(array: InterfaceArray) -> list[str]:
    """The parameters for an argument."""
    data = f"const {C_TYPES[array.dtype]} *{array.name}"
    return [data, f"const int64_t {array.name}_dims[{array.rank}]"] if array.rank else [data]


def result(array: InterfaceArray) -> list[str]:
    """The parameters for a result."""
    data = f"{C_TYPES[array.dtype]} **{array.name}"
    return [data, f"int64_t {array.name}_dims[{array.rank}]"] if array.rank else [data]
