"""How are the values of the random policy averaged, ranked and subtracted without rounding? Compiled.

A fraction is a row of 64-bit words, the most significant one first: the numerator over a power of the number of
actions.
"""

from __future__ import annotations

import math

import numpy as np

from mohs.core.kernel import kernel, law

NO_KEY = -(2**63 - 1)  # below all keys
_WORD = 2.0**64


@law
def add(total, words, used):
    """`total += words`, in the last `used` words."""
    carry = np.uint64(0)
    for i in range(len(total) - 1, len(total) - 1 - used, -1):
        once = total[i] + words[i]
        twice = once + carry
        carry = np.uint64(1) if once < words[i] or twice < once else np.uint64(0)
        total[i] = twice


@law
def subtract(total, words, used):
    """`total -= words`, in the last `used` words."""
    borrow = np.uint64(0)
    for i in range(len(total) - 1, len(total) - 1 - used, -1):
        once = total[i] - words[i]
        twice = once - borrow
        borrow = np.uint64(1) if total[i] < words[i] or once < borrow else np.uint64(0)
        total[i] = twice


@law
def less(first, second):
    """Is the first number smaller?"""
    for i in range(len(first)):
        if first[i] != second[i]:
            return first[i] < second[i]
    return False


@kernel
def average(succ, gains, terminal, actions, depth, t, used, multiples, whole_after, part_after, whole, part):
    """One step back of the random policy: each value is a whole number and a fraction of at least 0 and below 1.

    `multiples[n]` is n times the denominator one step later; the last one is the denominator now.
    """
    for state in range(len(terminal)):
        if depth[state] < 0 or depth[state] > t or terminal[state]:
            continue
        first, total = state * actions, 0
        for i in range(part.shape[1]):
            part[state, i] = 0
        for row in range(first, first + actions):
            total += gains[row] + whole_after[succ[row]]
            add(part[state], part_after[succ[row]], used)
        whole[state] = total // actions
        add(part[state], multiples[total - whole[state] * actions], used)
        if not less(part[state], multiples[actions]):
            subtract(part[state], multiples[actions], used)
            whole[state] += 1


@kernel
def leading(part, states, word, shift, result):
    """The 64 bits of each fraction that follow the point; `word` and `shift` say where the denominator begins."""
    for i in range(len(states)):
        high, low = part[states[i], word], part[states[i], word + 1] if word + 1 < part.shape[1] else np.uint64(0)
        result[i] = high if shift == 0 else high << np.uint64(shift) | low >> np.uint64(64 - shift)


@kernel
def compare(part, ordered, changes):
    """Whether each fraction in this order differs from the one before, -1 where it is smaller."""
    for i in range(1, len(ordered)):
        before, now = part[ordered[i - 1]], part[ordered[i]]
        changes[i] = 1 if less(before, now) else -1 if less(now, before) else 0


@law
def apart(high, low, span, fractions, denominator, mantissa, exponent, scratch):
    """The difference of two keys as a number, to a few units in the last place, however close they are."""
    whole = high // span - low // span
    larger, smaller = fractions[high - high // span * span], fractions[low - low // span * span]
    for i in range(len(scratch)):
        scratch[i] = larger[i]
    if less(larger, smaller):
        add(scratch, denominator, len(scratch))
        whole -= 1
    subtract(scratch, smaller, len(scratch))
    return whole + number(scratch, mantissa, exponent)


@law
def number(words, mantissa, exponent):
    """A fraction whose denominator is mantissa · 2^exponent, as a floating-point number."""
    last = len(words) - 1
    for i in range(last + 1):
        if words[i] != 0:
            following = np.float64(words[i + 1]) / _WORD if i < last else 0.0
            return math.ldexp((np.float64(words[i]) + following) / mantissa, 64 * (last - i) - exponent)
    return 0.0


@kernel
def numbers(part, mantissa, exponent, result):
    """Every fraction as a floating-point number."""
    for i in range(len(part)):
        result[i] = number(part[i], mantissa, exponent)
