"""What can be typed? A module for each group of commands; a command calls a layer below and prints what it returns."""

from mohs.cli.entry import app, main

__all__ = ["app", "main"]
