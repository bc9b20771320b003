"""How much look-ahead over the random policy is needed? Q-value iteration, GORP and SQIRL on tables."""
