"""Ordinary Python over tensors, staged into typed dataflow graphs."""

from graphwright.api import top as _top

globals().update({_name: getattr(_top, _name) for _name in _top.__all__})

__version__ = "0.1.0"
