"""Test cases over tensors fail with words that say where, and clean up."""

from __future__ import annotations

import os
import unittest

import pytest

import graphwright as tf


class Case(tf.test.TestCase):
    def test_values(self):
        self.assertAllClose(tf.constant([1.0, 2.0]), [1.0, 2.0])
        with self.assertRaisesOpError("5 values"):
            tf.reshape(tf.range(5), [4])
        with self.cached_session():
            self.assertEqual(self.evaluate(tf.constant(3)), 3)

    def test_seed(self):
        Case.drawn.append(tf.random.uniform([]).numpy())

    test_seed_again = test_seed
    drawn: list[float] = []

    def test_folder(self):
        Case.folder = self.get_temp_dir()
        assert os.path.isdir(Case.folder)

    @tf.test.disable_with_predicate(lambda: True, "not here")
    def test_skipped(self):
        raise AssertionError

    def test_thread(self):
        thread = self.checkedThread(lambda: 1 / 0)
        thread.start()
        with self.assertRaisesRegex(AssertionError, "division by zero"):
            thread.join()


def test_a_case_runs_and_cleans_up():
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Case).run(result)
    assert not result.failures + result.errors
    assert [reason for _, reason in result.skipped] == ["not here"]
    assert len(set(Case.drawn)) == 1
    assert not os.path.exists(Case.folder)


def test_a_failure_says_where():
    case = tf.test.TestCase()
    where = r"at \['a'\]\[1\]\n1 of 2 elements differ:\n  \[1\]: "
    with pytest.raises(AssertionError, match=where):
        case.assertAllClose({"a": [1.0, tf.constant([1.0, 2.0])]}, {"a": [1.0, [1.0, 2.5]]})


def test_graph_defs_are_compared_without_their_order():
    graphs = [
        tf.function(f).get_concrete_function(tf.TensorSpec([])).graph.as_graph_def()
        for f in (lambda x: x + 1.0, lambda x: x + 1.0, lambda x: x + 2.0)
    ]
    del graphs[1].node[:]
    graphs[1].node.extend(reversed(graphs[0].node))
    tf.test.assert_equal_graph_def(graphs[0], graphs[1])
    with pytest.raises(AssertionError, match="differ in the nodes"):
        tf.test.assert_equal_graph_def(graphs[0], graphs[2])
