"""The Gymnasium environments of control problems, and their pictures: one module for each."""
