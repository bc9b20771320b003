"""`python -m mohs` is the command `mohs`."""

from mohs.cli import main

if __name__ == "__main__":
    main()
