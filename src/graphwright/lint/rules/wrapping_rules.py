"""Uses of `tf.function` that trace again and again, or cannot work."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from graphwright.lint.analysis import COMPREHENSIONS, LOOPS, Analysis, Place
from graphwright.lint.finding import Edit, Finding
from graphwright.lint.model import StagingSite
from graphwright.lint.rules.control_rules import assigned
from graphwright.lint.rules.rule import Rule
from graphwright.lint.statement_analysis import names_of

RENAMED = {
    "experimental_relax_shapes": "reduce_retracing",
    "experimental_compile": "jit_compile",
}


class WrappedAgain(Rule):
    """A function is wrapped anew for each call: every wrapper needs its own traces."""

    code = "GW407"

    def check_module(self, analysis: Analysis) -> Iterator[Finding]:
        wrapped_here: dict[tuple[object, object], StagingSite] = {}
        for staging in analysis.stagings:
            if staging.is_implicit:
                continue
            loop = analysis.loop_around(staging.node)
            if loop is not None and self._is_same(staging, loop, analysis):
                yield self._again(analysis, staging, "in a loop, so each iteration traces")
            elif self._is_called_at_once(staging.node, analysis):
                where = analysis.definition(staging.node)
                key = (staging.function, where)
                if key in wrapped_here:
                    yield self._again(analysis, staging, "again, so it is traced again")
                elif (
                    self._is_called_often(where) and staging.function.scope is analysis.flow.module
                ):
                    yield self._again(
                        analysis,
                        staging,
                        f"at each call of `{getattr(where, 'name', 'it')}`, so each traces",
                    )
                wrapped_here[key] = staging

    def _again(self, analysis: Analysis, staging: StagingSite, why: str) -> Finding:
        return self.finding(
            analysis,
            staging.node,
            f"`{staging.function.name}` is wrapped {why}; wrap it once and call the result",
        )

    def _is_same(self, staging: StagingSite, loop: ast.AST, analysis: Analysis) -> bool:
        """Whether each iteration wraps the same function and calls it there."""
        if isinstance(loop, COMPREHENSIONS):
            varied = {name for one in loop.generators for name in names_of(one.target)}
        else:
            varied = assigned([loop]) if isinstance(loop, ast.stmt) else set()
        varied.discard(staging.function.name)
        mentioned = {
            part.id for part in ast.walk(staging.function.node) if isinstance(part, ast.Name)
        }
        if isinstance(staging.node, ast.Call):
            names = {p.id for p in ast.walk(staging.node) if isinstance(p, ast.Name)}
            mentioned = mentioned | names if staging.function.node in ast.walk(loop) else names
        if varied & mentioned:
            return False
        if self._is_called_at_once(staging.node, analysis):
            return True
        inside = set(ast.walk(loop)) if isinstance(loop, LOOPS) else set()
        return any(call.node in inside and not call.concrete for call in staging.calls) and (
            self._shares_loop(staging, loop, analysis)
        )

    def _shares_loop(self, staging: StagingSite, loop: ast.AST, analysis: Analysis) -> bool:
        """Whether it is called as often as it is wrapped: no inner loop calls it."""
        return all(analysis.loop_around(call.node) is loop for call in staging.calls)

    def _is_called_at_once(self, node: ast.AST, analysis: Analysis) -> bool:
        parent = analysis.parents.get(node)
        return isinstance(parent, ast.Call) and parent.func is node

    def _is_called_often(self, where: ast.AST | None) -> bool:
        """Whether a function may be called more than once, judging by its name."""
        name = getattr(where, "name", "")
        once = ("test", "main", "_test", "run", "setUp", "example", "benchmark", "__init__")
        return bool(name) and not name.lower().startswith(once)


class DecoratorOrder(Rule):
    """`tf.function` stands above a decorator whose result is no plain function."""

    code = "GW601"

    def check_module(self, analysis: Analysis) -> Iterator[Finding]:
        for staging in analysis.stagings:
            node = staging.function.node
            if isinstance(node, ast.Lambda) or staging.node not in node.decorator_list:
                continue
            above = node.decorator_list.index(staging.node)
            for other in node.decorator_list[above + 1 :]:
                path = analysis.value(other).path
                if path in ("staticmethod", "classmethod", "property"):
                    yield self.finding(
                        analysis,
                        staging.node,
                        f"`@{path}` must stand above tf.function, which wraps plain functions",
                        self._swap(staging.node, other, analysis),
                    )
                    break

    def _swap(self, one: ast.AST, other: ast.expr, analysis: Analysis) -> list[Edit] | None:
        """The two decorators, if each is alone on its lines, in the other order."""
        if not isinstance(one, ast.expr) or one.end_lineno != one.lineno:
            return None
        if other.end_lineno != other.lineno:
            return None
        return [Edit.of(one, ast.unparse(other)), Edit.of(other, ast.unparse(one))]


class NoFunction(Rule):
    """A generator or coroutine is wrapped: a graph cannot yield or wait."""

    code = "GW602"

    def check_function(self, place: Place) -> Iterator[Finding]:
        if not place.is_root or isinstance(place.function.node, ast.Lambda):
            return
        if isinstance(place.function.node, ast.AsyncFunctionDef):
            yield self.finding(
                place,
                place.function.node,
                "a coroutine is wrapped by tf.function; a graph has no event loop",
            )
        elif place.is_generator:
            yield self.finding(
                place,
                place.function.node,
                "a generator is wrapped by tf.function; return tensors, or make a tf.data.Dataset",
            )


class RenamedOption(Rule):
    """An option of `tf.function` has another name now."""

    code = "GW603"

    def check_module(self, analysis: Analysis) -> Iterator[Finding]:
        seen = set()
        for staging in analysis.stagings:
            for name, value in staging.options.items():
                keyword = analysis.parents.get(value)
                if name in RENAMED and isinstance(keyword, ast.keyword) and keyword not in seen:
                    seen.add(keyword)
                    begin = (keyword.lineno, keyword.col_offset)
                    end = (keyword.lineno, keyword.col_offset + len(name))
                    fix = [Edit(begin, end, RENAMED[name])]
                    if RENAMED[name] in staging.options:
                        fix = []
                    yield self.finding(analysis, keyword, f"`{name}` is `{RENAMED[name]}` now", fix)


class Slots(Rule):
    """A method is staged whose objects allow no weak references."""

    code = "GW604"

    def check_module(self, analysis: Analysis) -> Iterator[Finding]:
        for staging in analysis.stagings:
            klass = staging.function.klass
            if klass is None or staging.function.is_static or klass.foreign_bases():
                continue
            stated = [slots for one in klass.lineage() for slots in _slots(one.node)]
            everywhere = all(_slots(one.node) for one in klass.lineage())
            if everywhere and stated and "__weakref__" not in stated:
                yield self.finding(
                    analysis,
                    staging.node,
                    f"`{klass.name}` has __slots__ without"
                    ' "__weakref__", and tf.function needs weak references to its'
                    " objects; add it",
                )


def _slots(node: ast.ClassDef) -> list[str]:
    """The slots that a class body states; "" stands for none."""
    for statement in node.body:
        if isinstance(statement, ast.Assign) and names_of(statement) == ["__slots__"]:
            parts = ast.walk(statement.value)
            return ["", *(str(p.value) for p in parts if isinstance(p, ast.Constant))]
    return []
