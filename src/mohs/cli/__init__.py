"""What can be typed? Commands that all studies share, and those of every protocol; each calls a layer below and prints."""

from mohs.cli.entry import main

__all__ = ["main"]
