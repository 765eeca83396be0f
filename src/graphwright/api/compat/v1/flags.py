"""`tf.compat.v1.flags`: flags of the command line, which are absl's."""

from typing import TYPE_CHECKING, Any

from graphwright.api import lacking

if TYPE_CHECKING:
    from absl.flags import (
        DEFINE_bool,
        DEFINE_boolean,
        DEFINE_enum,
        DEFINE_float,
        DEFINE_integer,
        DEFINE_list,
        DEFINE_string,
        mark_flag_as_required,
        mark_flags_as_required,
    )

    FLAGS: Any

__all__ = [
    "FLAGS",
    "DEFINE_bool",
    "DEFINE_boolean",
    "DEFINE_enum",
    "DEFINE_float",
    "DEFINE_integer",
    "DEFINE_list",
    "DEFINE_string",
    "mark_flag_as_required",
    "mark_flags_as_required",
]


def __getattr__(name: str) -> Any:
    from graphwright.portable.classic import program_flags  # few programs have flags

    if name == "FLAGS":
        return program_flags.ProgramFlags()
    try:
        return program_flags.flag_name(name)
    except AttributeError:
        raise lacking(__name__, name) from None
