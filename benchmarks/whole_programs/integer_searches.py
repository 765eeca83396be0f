"""Programs over integers: Collatz, edit distance, knapsack, queens, best paths, primes."""

from __future__ import annotations

from typing import Any

from benchmarks.whole_programs.whole_program import (
    Step,
    WholeProgram,
    blocking,
    integers,
    numbers,
)

# Collatz: which number below a limit takes the most steps.


def collatz_tf(tf: Any, n: int) -> Step:
    @tf.function
    def longest(limit: Any) -> Any:
        best, most = 1, 0
        for start in tf.range(1, limit):
            value, steps = start, 0
            while value != 1:
                if value % 2 == 0:
                    value //= 2
                else:
                    value = 3 * value + 1
                steps += 1
            if steps > most:
                best, most = start, steps
        return best, most

    limit = tf.constant(n)
    return lambda: longest(limit)


def collatz_jax(jax: Any, n: int) -> Step:
    jnp = jax.numpy

    def length(start: Any) -> Any:
        def step(state: Any) -> Any:
            value, steps = state
            return jnp.where(value % 2 == 0, value // 2, 3 * value + 1), steps + 1

        return jax.lax.while_loop(lambda state: state[0] != 1, step, (start, 0))[1]

    @jax.jit
    def longest(limit: Any) -> Any:
        def step(start: Any, state: Any) -> Any:
            best, most = state
            steps = length(start)
            return jnp.where(steps > most, start, best), jnp.maximum(steps, most)

        return jax.lax.fori_loop(1, limit, step, (1, 0))

    return blocking(jax, longest, jnp.int32(n))


# Edit distance: rows of a table, each cell after its left neighbour.


def distance_tf(tf: Any, n: int) -> Step:
    @tf.function
    def distance(a: Any, b: Any) -> Any:
        columns = b.shape[0]
        row = tf.range(columns + 1)
        for i in tf.range(a.shape[0]):
            cells = tf.TensorArray(tf.int32, columns + 1, clear_after_read=False)
            left = i + 1
            cells = cells.write(0, left)
            for j in tf.range(columns):
                changed = row[j] + tf.cast(a[i] != b[j], tf.int32)
                left = tf.minimum(changed, tf.minimum(left, row[j + 1]) + 1)
                cells = cells.write(j + 1, left)
            row = tf.reshape(cells.stack(), [columns + 1])
        return row[-1]

    a, b = map(tf.constant, words(n))
    return lambda: distance(a, b)


def distance_jax(jax: Any, n: int) -> Step:
    jnp = jax.numpy

    @jax.jit
    def distance(a: Any, b: Any) -> Any:
        def line(row: Any, given: Any) -> Any:
            i, letter = given
            changed = row[:-1] + (letter != b)

            def cell(left: Any, above: Any) -> Any:
                left = jnp.minimum(above[0], jnp.minimum(left, above[1]) + 1)
                return left, left

            cells = jax.lax.scan(cell, i + 1, (changed, row[1:]))[1]
            return jnp.concatenate([jnp.stack([i + 1]), cells]), None

        row = jnp.arange(n + 1, dtype=jnp.int32)
        return jax.lax.scan(line, row, (jnp.arange(n, dtype=jnp.int32), a))[0][-1]

    return blocking(jax, distance, *map(jnp.asarray, words(n)))


def words(n: int) -> tuple[Any, Any]:
    """Two words of four letters."""
    return integers(4, n), integers(4, n, seed=1)


# Knapsack: the best value for each capacity, item by item.

CAPACITY = 1000


def knapsack_tf(tf: Any, n: int) -> Step:
    @tf.function
    def fill(weights: Any, values: Any) -> Any:
        best = tf.zeros([CAPACITY + 1], tf.int32)
        room = tf.range(CAPACITY + 1)
        for i in tf.range(weights.shape[0]):
            taken = tf.roll(best, weights[i], 0) + values[i]
            best = tf.where(room >= weights[i], tf.maximum(best, taken), best)
        return best[-1]

    weights, values = map(tf.constant, items(n))
    return lambda: fill(weights, values)


def knapsack_jax(jax: Any, n: int) -> Step:
    jnp = jax.numpy

    @jax.jit
    def fill(weights: Any, values: Any) -> Any:
        room = jnp.arange(CAPACITY + 1)

        def step(best: Any, item: Any) -> Any:
            weight, value = item
            taken = jnp.roll(best, weight) + value
            return jnp.where(room >= weight, jnp.maximum(best, taken), best), None

        best = jnp.zeros(CAPACITY + 1, jnp.int32)
        return jax.lax.scan(step, best, (weights, values))[0][-1]

    return blocking(jax, fill, *map(jnp.asarray, items(n)))


def knapsack_torch(torch: Any, n: int) -> Step:
    weights, values = items(n)
    pairs = list(zip(weights.tolist(), values.tolist()))

    def fill() -> Any:
        best = torch.zeros(CAPACITY + 1, dtype=torch.int32)
        for weight, value in pairs:
            best[weight:] = torch.maximum(best[weight:], best[:-weight] + value)
        return best[-1]

    return fill


def items(n: int) -> tuple[Any, Any]:
    """Weights and values."""
    return integers(60, n) + 1, integers(100, n, seed=1) + 1


# Queens: how many ways there are on a board, by going back where a row has no place left.


def queens_tf(tf: Any, n: int) -> Step:
    @tf.function
    def count(places: Any) -> Any:
        rows = tf.range(n)
        row, ways = tf.constant(0), 0
        while row >= 0:
            column = places[row] + 1
            if column == n:
                places = tf.tensor_scatter_nd_update(places, [[row]], [-1])
                row -= 1
            else:
                places = tf.tensor_scatter_nd_update(places, [[row]], [column])
                aside = tf.abs(places - column)
                hit = (rows < row) & (tf.equal(aside, 0) | tf.equal(aside, row - rows))
                if not tf.reduce_any(hit):
                    if row == n - 1:
                        ways += 1
                    else:
                        row += 1
        return ways

    places = tf.fill([n], -1)
    return lambda: count(places)


def queens_jax(jax: Any, n: int) -> Step:
    jnp = jax.numpy

    @jax.jit
    def count(places: Any) -> Any:
        rows = jnp.arange(n)

        def step(state: Any) -> Any:
            places, row, ways = state
            column = places[row] + 1
            over = column == n
            places = places.at[row].set(jnp.where(over, -1, column))
            aside = jnp.abs(places - column)
            hit = jnp.any((rows < row) & ((aside == 0) | (aside == row - rows)))
            free, last = ~over & ~hit, row == n - 1
            ways += free & last
            return places, row - over + (free & ~last), ways

        return jax.lax.while_loop(lambda state: state[1] >= 0, step, (places, 0, 0))[2]

    return blocking(jax, count, jnp.full(n, -1))


# Viterbi: the best path through hidden states, forth for its score and back for its states.

STATES = 16


def path_tf(tf: Any, n: int) -> Step:
    @tf.function
    def decode(scores: Any, moves: Any) -> Any:
        length = scores.shape[0]
        origins = tf.TensorArray(tf.int32, length)
        score = scores[0]
        for t in tf.range(1, length):
            each = score[:, None] + moves
            origins = origins.write(t, tf.argmax(each, 0, tf.int32))
            score = tf.reduce_max(each, 0) + scores[t]
        path = tf.TensorArray(tf.int32, length)
        state = tf.argmax(score, 0, tf.int32)
        for t in tf.range(length - 1, 0, -1):
            path = path.write(t, state)
            state = origins.read(t)[state]
        path = path.write(0, state)
        return path.stack(), tf.reduce_max(score)

    scores, moves = map(tf.constant, hidden(n))
    return lambda: decode(scores, moves)


def path_jax(jax: Any, n: int) -> Step:
    jnp = jax.numpy

    @jax.jit
    def decode(scores: Any, moves: Any) -> Any:
        def forth(score: Any, row: Any) -> Any:
            each = score[:, None] + moves
            return jnp.max(each, 0) + row, jnp.argmax(each, 0)

        def back(state: Any, origin: Any) -> Any:
            return origin[state], state

        score, origins = jax.lax.scan(forth, scores[0], scores[1:])
        first, path = jax.lax.scan(back, jnp.argmax(score), origins, reverse=True)
        return jnp.concatenate([jnp.stack([first]), path]), jnp.max(score)

    return blocking(jax, decode, *map(jnp.asarray, hidden(n)))


def path_torch(torch: Any, n: int) -> Step:
    scores, moves = map(torch.tensor, hidden(n))

    def decode() -> Any:
        score, origins = scores[0], []
        for row in scores[1:]:
            best, origin = (score[:, None] + moves).max(0)
            origins.append(origin)
            score = best + row
        path = [score.argmax()]
        for origin in reversed(origins):
            path.append(origin[path[-1]])
        return torch.stack(path[::-1]), score.max()

    return decode


def hidden(n: int) -> tuple[Any, Any]:
    """The scores of states at each time, and of moves between them."""
    return numbers(n, STATES), numbers(STATES, STATES, seed=1)


# Primes: each number is divided by the primes before it, which are as many as there are.


def primes_tf(tf: Any, n: int) -> Step:
    @tf.function
    def search(limit: Any) -> Any:
        primes = tf.TensorArray(tf.int32, 0, dynamic_size=True, clear_after_read=False)
        primes = primes.write(0, 2)
        for number in tf.range(3, limit, 2):
            i, prime = 0, True
            while i < primes.size():
                divisor = primes.read(i)
                if divisor * divisor > number:
                    break
                if number % divisor == 0:
                    prime = False
                    break
                i += 1
            if prime:
                primes = primes.write(primes.size(), number)
        return primes.stack()

    limit = tf.constant(n)
    return lambda: search(limit)


def primes_jax(jax: Any, n: int) -> Step:
    jnp = jax.numpy

    @jax.jit
    def search(limit: Any) -> Any:
        def step(i: Any, state: Any) -> Any:
            primes, count = state
            number = 2 * i + 3

            def may_divide(place: Any) -> Any:
                divisor = primes[place]
                return (divisor * divisor <= number) & (number % divisor != 0)

            place = jax.lax.while_loop(may_divide, lambda place: place + 1, 0)
            prime = primes[place] * primes[place] > number
            place = jnp.where(prime, count, n)
            return primes.at[place].set(number, mode="drop"), count + prime

        primes = jnp.full(n, 2**15).at[0].set(2)
        return jax.lax.fori_loop(0, (limit - 2) // 2, step, (primes, 1))

    def call() -> Any:
        primes, count = search(jnp.int32(n))
        return primes[: int(count)]

    return call


PROGRAMS = (
    WholeProgram("collatz", "longest Collatz chain below 1,000", 1000, 30, collatz_tf, collatz_jax),
    WholeProgram("distance", "edit distance of 60 letters", 60, 6, distance_tf, distance_jax),
    WholeProgram(
        "knapsack", "knapsack of 100 items", 100, 5, knapsack_tf, knapsack_jax, knapsack_torch
    ),
    WholeProgram("queens", "ways of 6 queens", 6, 4, queens_tf, queens_jax),
    WholeProgram("path", "Viterbi path of 100 steps", 100, 5, path_tf, path_jax, path_torch),
    WholeProgram("primes", "primes below 10,000", 10000, 50, primes_tf, primes_jax, xla=False),
)
