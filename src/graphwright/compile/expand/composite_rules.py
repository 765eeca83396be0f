"""What composite ops are made of: rules from an op and its operands to the results.

None says that a rule does not apply. What an operand on the host holds must mostly be known: then
elements are moved by index maps, and joined.
"""

from __future__ import annotations

from graphwright.compile.expand import (
    colour_rules,
    draw_rules,
    normalization_rules,
    rounding_rules,
)
from graphwright.op.op import Op
from graphwright.ops.core.rule_words import (
    Rule,
)

RULES: dict[type[Op], Rule] = {
    **colour_rules.RULES,
    **draw_rules.RULES,
    **normalization_rules.RULES,
    **rounding_rules.RULES,
}
