"""All whole programs by name, and their rows."""

from __future__ import annotations

from benchmarks.whole_programs import (
    chance,
    decoding,
    inference,
    integer_searches,
    learning,
    networks,
    pictures,
    routes,
    simulations,
    solvers,
    texts,
)
from benchmarks.workload import Workload

PROGRAMS = {
    program.name: program
    for program in (
        *simulations.PROGRAMS,
        *integer_searches.PROGRAMS,
        *decoding.PROGRAMS,
        *learning.PROGRAMS,
        *inference.PROGRAMS,
        *networks.PROGRAMS,
        *chance.PROGRAMS,
        *solvers.PROGRAMS,
        *routes.PROGRAMS,
        *pictures.PROGRAMS,
        *texts.PROGRAMS,
    )
}

TABLE: tuple[Workload, ...] = tuple(program.row() for program in PROGRAMS.values())
