"""Random programs as people write them, run in every tier and compared with plain Python.

`python -m everyday --seed 7` runs one; `everyday/__main__.py` says what else there is.

- `scope` (names and their types), `expressions`, `statements`, `writer`: a program of a number.
- `programs`: a program is source text; how it is loaded and called.
- `calls`, `outcomes`, `coding`: what calls give, how two outcomes differ, outcomes as JSON.
- `tiers`: the ways in which a program runs.
- `runs`: one program in some tiers, many programs one after the other.
- `shrinking`: the smallest program that differs still; `limits` ends those that do not end.
- `peer`: programs under TensorFlow.
"""
