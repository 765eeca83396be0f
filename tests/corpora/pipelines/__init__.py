"""Pipelines of `tf.data` as people write them, whose outcomes TensorFlow recorded.

`tools/record_data_goldens.py` runs them there, `tests/data/test_pipelines.py` here.

- `sources`, `functions`, `shapes`, `order`, `combinations`, `iterators` (and files), `loops`: tables of
  pipelines, by idea.
- `table`: what a table's text is, and all pipelines by name.
- `running`: a pipeline is run eagerly, in a function, or with parallel stages.
- `descriptions`: what a pipeline gives, as JSON can hold it.
"""
