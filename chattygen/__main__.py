"""``python -m chattygen``: the command ``chattygen``."""

from chattygen.cli import main

if __name__ == "__main__":
    main(prog_name="chattygen")
