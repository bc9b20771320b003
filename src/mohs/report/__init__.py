"""What does a person see? Figures, one self-contained HTML page, static pictures, lines in a terminal."""
