"""Random programs of the most used public names, with what TensorFlow 2.21 makes of them.

`python -m differential --seed 7 --tensorflow PYTHON` runs one; `differential/__main__.py` says what
else there is. PYTHON is an interpreter that has TensorFlow; the programs run in a process of it.

- `dense_forms`, `composite_forms`: how people write calls of each name, with places for operands.
- `operands`: literals of all dtypes, sizes 0 and 1 among them, and texts for the places.
- `author`: a program of a number. It runs each statement as it writes it, so most of them succeed.
- `results`: what calls give as JSON, and how two outcomes differ.
- `stages`: how a program runs: eagerly, traced, as machine code, traced without shapes.
- `recorder`: the process that has TensorFlow; one that takes too long is ended.
- `choices`: the ways in which a program may differ from TensorFlow, with reasons.
- `samples`: the programs whose outcomes are recorded.
"""
