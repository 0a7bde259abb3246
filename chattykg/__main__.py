"""``python -m chattykg``: the command ``chattykg``."""

from chattykg.cli import main

if __name__ == "__main__":
    main(prog_name="chattykg")
