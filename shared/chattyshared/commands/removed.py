"""The options and commands of version 0.2 that are gone, with what is used instead: one table."""

from __future__ import annotations

from collections.abc import Mapping

REMOVED: Mapping[str, str] = {
    "chattygen cache": "chattykg cache",
    "chattykg graph": "chattykg explain",
    "chattykg parse": 'chattykg explain --kg KG "QUESTION"',
    "--runner": "--set scheduler=ADDRESS, which alone means a Dask cluster",
    "--switch": "--set NAME=VALUE",
    "--candidates": "--engine candidates:FILE",
    "--list": "--set say=off",
    "chattykg answer --context": "--set history_view=none|questions|answers",
    "chattykg converse --context": "--set history_view=none|questions|answers",
    "chattykg judge --benchmark": "a second FILE: chattykg judge ANSWERS BENCHMARK",
}
"""What is used instead of commands ("chattykg graph"), options of one command ("chattykg judge --benchmark"), or
options of any ("--runner"). Options that are settings now are not listed: commands know them by their settings."""


def find_successor(command: str, name: str) -> str:
    """Return what is used instead of an option or a subcommand of a command ("chattykg answer"); "": it never was."""
    return REMOVED.get(f"{command} {name}", "") or REMOVED.get(name, "")


def successors_of_keys(command: str) -> dict[str, str]:
    """Return what is used instead of options that are gone, by their keys in a file of a command's options."""
    flags = {flag.removeprefix(f"{command} "): successor for flag, successor in REMOVED.items()}
    return {flag[2:]: successor for flag, successor in flags.items() if flag.startswith("--")}
