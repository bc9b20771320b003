"""Do the findings of the MDP Playground paper hold here? Claims as data, decided by intervals."""
