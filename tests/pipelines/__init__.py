"""Random input pipelines, compared with a model of plain Python generators.

`PYTHONPATH=src:tests python -m pipelines --seed 7` runs one; `pipelines/__main__.py` says what else
there is. A pipeline is source text that reads `tf`: graphwright, TensorFlow, or the model.

- `streams`: datasets as generators over lists; `plain`: the ops of their functions, by NumPy.
- `composer` (`kinds`, `functions`): the pipeline of a number.
- `elements`: elements as plain values, folded, compared.
- `ways`: how a pipeline is iterated; `trials`: one pipeline in all ways, and the smallest that
  differs.
"""
