"""Whole programs of the kinds that people write, each for every library that has a way to say it.

`whole_program.py` says what a program is and how it is measured, `table.py` names them all, and
`native_loops.py` shows which of their loops run in machine code. The other modules hold programs.
"""
