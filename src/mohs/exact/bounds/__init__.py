"""What does theory say of the effective horizon? Bounds that need no runs."""
