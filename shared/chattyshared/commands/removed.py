"""The options and commands of earlier versions that are gone, and what is used instead: the table ``removed.toml``."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from importlib.resources import files


@lru_cache(maxsize=1)
def _table() -> dict[str, str]:
    text = files("chattyshared.commands").joinpath("removed.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def find_successor(command: str, name: str) -> str:
    """Return what is used instead of an option or a subcommand of a command ("chattykg answer"); "": it never was."""
    return _table().get(f"{command} {name}", "") or _table().get(name, "")


def successors_of_keys(command: str) -> dict[str, str]:
    """Return what is used instead of options that are gone, by their keys in a file of a command's options."""
    flags = {flag.removeprefix(f"{command} "): successor for flag, successor in _table().items()}
    return {flag[2:]: successor for flag, successor in flags.items() if flag.startswith("--")}
