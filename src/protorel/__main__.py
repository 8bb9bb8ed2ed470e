"""`python -m protorel` is the command line."""

from protorel.cli import main

if __name__ == "__main__":
    main()
