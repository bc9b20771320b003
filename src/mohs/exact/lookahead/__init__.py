"""How far must one look ahead of random play? Q-value iteration, GORP and SQIRL on tables."""
