"""The top-level name of the function that compiles others into libraries without Python."""

from graphwright.portable.native_library.library import compile_library

TOP_LEVEL = ("compile_library",)
