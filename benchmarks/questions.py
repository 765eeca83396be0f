"""The questions of users that workloads answer, in the order of the page about performance."""

from __future__ import annotations

import re

#: A heading, and the names of the workloads under it.
QUESTIONS = {
    "Calls": r"W1|W1b|W13a|W13b",
    "First calls, and calls of new sizes": r"W9.|W10_\d+|U_\d+|C_\d+|P2|A_\w+_trace",
    "Loops": r"N5|N6|A_tanh|A_collatz|A_rnn",
    "Ops and fused ops": r"N[1-4]|W8|W11b?",
    "Training": r"W8g|T_\w+",
    "Whole programs: settled calls": r"Y_[a-z]+",
    "Pipelines of data": r"D\d+\w*",
    "Saved models": r"S\d\w*",
    "Python's control flow after conversion": r"S_\w+",
    "Import and memory": r"W12m?|M\d",
}


def question_of(name: str) -> str:
    """The heading over a workload.

    >>> question_of("Y_queens")
    'Whole programs: settled calls'
    """
    return next(heading for heading, names in QUESTIONS.items() if re.fullmatch(names, name))
