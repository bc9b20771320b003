"""What can be typed? Commands that all studies share, and those of every protocol."""

from mohs.cli.entry import main

__all__ = ["main"]
