"""Sizes as numbers, in runs that a program's guards allow.

Where a trace knows all sizes there is one such run, so a claim that holds in it is proved. Where
sizes arrive with the call, a claim is tested in several runs. There sizes are different primes, so
that two expressions which are equal by chance in one run differ in another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graphwright.compile.nests.nest import Program
from graphwright.compile.nests.sizes import DERIVATIONS, Size

#: The values of sizes that a trace does not know. They ascend in the first run and descend in the
#: next, so that neither of two sizes is the smaller one in both.
_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29)

#: The number of runs, and of trials to find runs that the guards allow.
_RUNS, _TRIALS = 2, 12


class Quantities:
    """The sizes of one run."""

    def __init__(self, symbols: dict[int, int]) -> None:
        self._symbols = symbols
        self._known: dict[Size, int] = {}

    def of(self, size: Size) -> int:
        """A size as a number."""
        known = self._known.get(size)
        if known is None:
            known = size.factor
            for symbol in size.symbols:
                known *= self._symbols[symbol]
            self._known[size] = known
        return known

    def product(self, sizes: Sequence[Size]) -> int:
        """The number of elements of a shape."""
        result = 1
        for size in sizes:
            result *= self.of(size)
        return result


def runs_of(program: Program) -> list[Quantities]:
    """Some runs that the guards allow; none if they allow none of the trials."""
    expected = dict(zip([s for s, _, _ in program.symbols], program.expected))
    free = [s for s, n in expected.items() if n < 0] + [s for s, _ in program.numbers]
    tied = ties(program, free)
    runs: list[Quantities] = []
    for values in choices(len(free), {n for n in expected.values() if n > 1}):
        run = run_with(program, {**expected, **dict(zip(free, values))}, tied)
        if run is not None:
            runs.append(run)
        if len(runs) == (_RUNS if free else 1):
            break
    return runs


def choices(count: int, known: set[int]) -> Iterator[tuple[int, ...]]:
    """Trials of values for free sizes: primes, then ones with one known size among them."""
    if not count:
        yield ()
        return
    for trial in range(_TRIALS):
        numbers = _PRIMES[::-1] if trial % 2 else _PRIMES
        yield tuple([numbers[(i + trial // 2) % len(numbers)] for i in range(count)])
    yield (1,) * count
    for number in sorted(known):
        for i in range(count):
            yield (*(1,) * i, number, *(1,) * (count - i - 1))


def ties(program: Program, free: Sequence[int]) -> dict[int, Size]:
    """The free sizes that guards make equal to others."""
    equals: dict[int, Size] = {}
    for a, b in program.guards:
        for one, other in ((a, b), (b, a)):
            symbol = one.symbols[0] if one.factor == 1 and len(one.symbols) == 1 else -1
            if symbol in free and symbol not in equals and symbol not in other.symbols:
                equals[symbol] = other
                break
    return equals


def run_with(program: Program, values: dict[int, int], tied: dict[int, Size]) -> Quantities | None:
    """A run with these sizes; None if the guards do not allow it."""
    symbols: dict[int, int] = {}
    derived = {s: (function, operands) for s, function, operands in program.derived}

    def settle(symbol: int, around: tuple[int, ...]) -> None:
        if symbol in symbols:
            return
        inside = (*around, symbol)
        if symbol in derived:
            function, operands = derived[symbol]
            a, b = [number(size, inside) for size in operands]
            symbols[symbol] = DERIVATIONS[function](a, b)
        elif symbol in tied and not any(s in inside for s in tied[symbol].symbols):
            symbols[symbol] = number(tied[symbol], inside)
        else:
            symbols[symbol] = values[symbol]

    def number(size: Size, around: tuple[int, ...]) -> int:
        result = size.factor
        for symbol in size.symbols:
            if symbol in around:
                symbols.setdefault(symbol, values.get(symbol, 1))
            settle(symbol, around)
            result *= symbols[symbol]
        return result

    for symbol in (*values, *derived):
        settle(symbol, ())
    run = Quantities(symbols)
    # Guards may require that a size is twice itself, say: no call passes these.
    derives = all(
        symbols[s] == DERIVATIONS[f](run.of(a), run.of(b)) for s, (f, (a, b)) in derived.items()
    )
    return run if derives and all(run.of(a) == run.of(b) for a, b in program.guards) else None
