"""How does a process show that a long call into a custom agent gets on? It counts the environment steps.

A custom agent trains in one call from one evaluation to the next. The worker that hosts it looks at the count from
another thread, and tells its coordinator when it has grown.
"""

from __future__ import annotations


class Pulse:
    """The environment steps of custom agents in this process, in training and in evaluations."""

    steps = 0
