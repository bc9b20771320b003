"""What is a policy worth in a table? Values, returns and their distributions."""
