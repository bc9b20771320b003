"""Agents that plan: GORP, SQIRL and the optimal policy."""
