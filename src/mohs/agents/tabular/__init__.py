"""Tabular agents in packs: the learner and its kernels."""
