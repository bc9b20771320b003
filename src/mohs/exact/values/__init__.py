"""What is the value of a policy? Values, returns and their distributions."""
