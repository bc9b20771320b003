"""How does a kernel read a row of a table? A deterministic table has empty `indptr` and `prob`."""

from __future__ import annotations

from mohs.core.kernel import law


@law
def first_entry(row, indptr):
    """Where the entries of a row begin; those of the row before end there."""
    return row if len(indptr) == 0 else indptr[row]


@law
def span(row, indptr):
    """The first entry of a row and the one after its last."""
    return first_entry(row, indptr), first_entry(row + 1, indptr)


@law
def prob_of(entry, prob):
    """The probability of an entry of its row."""
    return 1.0 if len(prob) == 0 else prob[entry]
