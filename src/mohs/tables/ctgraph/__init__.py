"""The CT-graph: its states, and how tasks on it are aligned and compared."""
