"""What does a study file ask, what does it cost, and what came of it? Studies as data."""
