"""The toys of MDP Playground: what is generated, the automaton of rewardable sequences, and their tables."""
