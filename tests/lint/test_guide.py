"""The guide's cases, where they are at hand: every pitfall is found, and nothing else.

The table holds what is expected of each case by line; a case without an entry must be clean. Some
cases show a pitfall on purpose while they are about something else; what they show is true of them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from graphwright.lint.check import check_file, check_text
from graphwright.lint.lint_config import Config
from tools.run_docs import blocks

ABOVE = Path(__file__).resolve().parents[3:]
SHARED = next((p / "shared" for p in ABOVE if (p / "shared" / "guide").is_dir()), Path("shared"))
CASES = sorted((SHARED / "guide" / "cases").glob("*.py"))

#: Case -> (code, words of the line) of every finding.
EXPECTED = {
    "05_rules_containers": [("GW401", "f(4)")],  # literals, each a trace
    "07_rules_objects": [
        ("GW108", 'print("Tracing with value", obj.value)'),
        ("GW108", "return tf.constant(obj.value)"),
        ("GW403", "print(f(uno))"),
    ],
    "11_python_or_tensor_arguments": [("GW401", "train(num_steps=20)")],
    "12_separate_functions": [("GW407", "tf.function(f)()")],
    "13_tracing_protocol": [
        ("GW403", "get_mixed_flavor(Apple(), Mango()) # Traces a new concrete function again"),
        ("GW403", "get_mixed_flavor(Apple(), Mango()) # Traces a new concrete function again"),
    ],
    "21_debugging_eagerly": [("GW101", 'print("Python print")')],
    "28_conditionals": [("GW301", "if x > 0:"), ("GW302", "if x > 0:")],
    "29_loops": [("GW304", "for v in values:")],
    "30_measure_graph_size": [("GW304", "for x, y in dataset:")],
    "31_dataset_sources": [("GW304", "for x, y in dataset:")],  # one call passes a list
    "35_external_list": [
        ("GW101", "print('Python side effect')"),
        ("GW102", "external_list.append(x)"),
    ],
    "36_python_counter": [("GW103", "self.counter += 1")],
    "38_iterator_buggy": [("GW106", 'tf.print("Value:", next(iterator))')],
    "40_leak_global": [("GW201", "x = a + 1")],
    "41_leak_captured": [("GW201", "x = a + 1")],
    "43_recursion_tensor": [("GW305", "return recursive_fn(n - 1)")],
    "44_recursion_python": [("GW305", "return recursive_fn(n - 1)")],
    "45_globals": [("GW107", "return 1 + foo")],
    "47_python_objects": [("GW108", "return model.weight * x + model.bias")],
    "50_variable_creation_error": [("GW203", "v = tf.Variable(1.0)")],
    "52_optimizers_error": [("GW204", "train_step(w, x, y, opt2)")],
    "55_multiple_models": [("GW204", "apply(Scale(3.0), x)")],
    "56_saved_model": [("GW401", "module.scale(tf.constant([1.0, 2.0]), 3)")],  # two traces to save
    "58_grappler": [("GW407", "tf.function(constants)(")],  # with other options each time
    "61_article_loop_incorrect": [
        ("GW202", "result.append(tf.square(item))"),
        ("GW304", "for item in data:"),
        ("GW405", "print(process_data([1, 2, 3, 4, 5]))"),
    ],
    "63_article_conditional_incorrect": [("GW401", "print(conditional_op(1))")],
    "64_article_conditional_corrected": [
        ("GW306", "return tf.cond(x > 2"),  # its own calls fail, as the case shows
        ("GW402", "print(conditional_op_correct(x))"),
    ],
    "65_article_numpy_incorrect": [("GW501", "return np.sin(x)")],
    "67_article_claims": [
        ("GW107", 'return x + state["n"]'),
        ("GW406", "print(double(np.array([3.0, 4.0])))"),
    ],
    "70_article_dtypes_incorrect": [("GW504", "return x + y")],
    "72_article_unhashable_incorrect": [("GW403", "print(use_custom_class(data2))")],
    "74_article_retracing_warning": [("GW405", "process_data(tf.ones([n]))")],
    "75_article_other_causes": [
        ("GW107", "return x * factor"),
        ("GW404", "print(use(a))"),
        ("GW405", "print(count([tf.constant(1), tf.constant(2)]))"),
    ],
}

#: Article -> for each of its programs the codes that are found.
ARTICLES = {
    "retracing_article": [["GW405"], ["GW406", "GW504"], ["GW403"]],
    "runtime_error_article": [["GW202"], [], ["GW401"], ["GW306", "GW401"], ["GW501"], []],
}


@pytest.mark.skipif(not CASES, reason="the guide's cases are not here")
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_case(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    found = sorted(
        (finding.code, lines[finding.line - 1].strip()) for finding in check_file(path, Config())
    )
    expected = sorted(EXPECTED.get(path.stem, []))
    assert [code for code, _ in found] == [code for code, _ in expected]
    for (_, line), (_, words) in zip(found, expected):
        assert words in line


@pytest.mark.skipif(not CASES, reason="the articles are not here")
@pytest.mark.parametrize("name", ARTICLES)
def test_article(name: str) -> None:
    text = (SHARED / "seeds" / f"{name}.txt").read_text(encoding="utf-8")
    programs = [block.text for block in blocks(text) if block.is_python]
    found = [sorted({finding.code for finding in check_text(text)}) for text in programs]
    assert found == ARTICLES[name]
