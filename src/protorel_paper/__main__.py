"""`python -m protorel_paper` is the command `protorel-paper`."""

from protorel_paper.cli import main

if __name__ == "__main__":
    main()
