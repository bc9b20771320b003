"""What must be fast? The local pivotal method (`pivotal.py`) and differences of neighbours (`variance.py`)."""

from __future__ import annotations

from mohs.core.kernel import kernel, law

SURE = 1e-9  # a probability as near to 0 or 1 as this is decided


@law
def duels(features, rows, first, size, probability, uniforms, used):
    """The second local pivotal method (Grafström, Lundström and Schelin 2012) on `rows[first : first + size]`.

    A random undecided point meets its nearest undecided neighbour. One of them takes as much as it can of their
    summed probability, at random so that both expectations stay. Each duel decides at least one of the two. The rows
    are in random order, so that of several nearest neighbours a random one is met.

    Returns the number of uniforms used; probabilities are 0 or 1 afterwards.
    """
    for a in range(size - 1, 0, -1):
        b = int(uniforms[used] * (a + 1))
        used += 1
        rows[first + a], rows[first + b] = rows[first + b], rows[first + a]
    left = size
    for a in range(size - 1, -1, -1):
        if not SURE < probability[rows[first + a]] < 1 - SURE:
            left -= 1
            rows[first + a], rows[first + left] = rows[first + left], rows[first + a]
    while left > 1:
        a = int(uniforms[used] * left)
        i = rows[first + a]
        nearest, b = 1e300, -1
        for c in range(left):
            if c != a:
                j = rows[first + c]
                distance = 0.0
                for f in range(features.shape[1]):
                    distance += (features[i, f] - features[j, f]) ** 2
                if distance < nearest:
                    nearest, b = distance, c
        j = rows[first + b]
        p, q = probability[i], probability[j]
        both, u = p + q, uniforms[used + 1]
        used += 2
        if both < 1:
            wins = u * both < p
            probability[i], probability[j] = (both, 0.0) if wins else (0.0, both)
        else:
            wins = u * (2 - both) < 1 - q
            probability[i], probability[j] = (1.0, both - 1) if wins else (both - 1, 1.0)
        if a < b:  # the later place first: what fills it is then never the other of the two
            a, b = b, a
        for place in (a, b):
            if not SURE < probability[rows[first + place]] < 1 - SURE:
                left -= 1
                rows[first + place], rows[first + left] = rows[first + left], rows[first + place]
    for a in range(size):
        probability[rows[first + a]] = round(probability[rows[first + a]])
    return used


@law
def taken_first(rows, first, size, probability):
    """Moves the chosen rows before the others; returns how many there are."""
    taken = 0
    for a in range(first, first + size):
        if probability[rows[a]] == 1.0:
            rows[a], rows[first + taken] = rows[first + taken], rows[a]
            taken += 1
    return taken


@kernel
def choose(features, rows, probability, uniforms):
    """A locally balanced sample of all rows, which come first afterwards; returns their number."""
    duels(features, rows, 0, len(rows), probability, uniforms, 0)
    return taken_first(rows, 0, len(rows), probability)


@kernel
def halve(features, rows, probability, uniforms, stack):
    """Orders rows so that every prefix is balanced: a balanced half comes first, and each half is ordered alike."""
    used, depth = 0, 1
    stack[0, 0], stack[0, 1] = 0, len(rows)
    while depth > 0:
        depth -= 1
        first, size = stack[depth, 0], stack[depth, 1]
        half = size // 2
        for a in range(first, first + size):
            probability[rows[a]] = half / size
        used = duels(features, rows, first, size, probability, uniforms, used)
        taken_first(rows, first, size, probability)
        for start, part in ((first, half), (first + half, size - half)):
            if part > 1:
                stack[depth, 0], stack[depth, 1] = start, part
                depth += 1


@kernel
def neighbour_sums(distances, rows, y, factors, neighbours, tied, found, first):
    """Adds factor · ½ · the mean over the nearest neighbours of the products of differences to `found` [K, K].

    Neighbours are the nearest one or two, and all others that are as near as the last of them. `first` marks the points
    with a neighbour further back in the sample, in either direction.
    """
    n, k = len(rows), len(y)
    for a in range(n):
        nearest, second = 1e300, 1e300
        for b in range(n):
            if b != a:
                d = distances[rows[a], rows[b]]
                if d < nearest:
                    nearest, second = d, nearest
                elif d < second:
                    second = d
        reach = (second if neighbours > 1 else nearest) + tied
        count = 0
        for b in range(n):
            if b != a and distances[rows[a], rows[b]] <= reach:
                count += 1
        for b in range(n):
            if b != a and distances[rows[a], rows[b]] <= reach:
                first[min(a, b)] = True
                share = factors[a] / (2 * count)
                for i in range(k):
                    for j in range(k):
                        found[i, j] += share * (y[i, a] - y[i, b]) * (y[j, a] - y[j, b])
