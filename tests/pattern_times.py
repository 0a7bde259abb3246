"""Every regular expression of the product, and how long it takes for texts that make a slow one slow.

Patterns are those that modules and their classes hold (texts too, where the name says PATTERNS), and literal ones of
calls such as ``re.sub("...")``. Each is run in the way in which the code runs it.

    python tests/pattern_times.py
"""

import ast
import importlib
import pkgutil
import re
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

PACKAGES = ("chattygen", "chattykg", "chattyshared")
METHODS = frozenset({"search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split"})
LENGTH, MAX_SECONDS = 20_000, 0.05
UNITS = (
    " ", "a", "A", "1", '"', "'", "“", "«", "(", "[", "{", "<", "?", ".", ",", "-", "_", "/", ":", "\n", "\\", "a ",
    "A ", "( ", "() ", ", ", "Ab ", "1.", "1,", "a.", "a-", 'a" ', '"a", ', "the ", "of a ", "a:b ", "# ", " a\n",
)  # fmt: skip
"""What a text repeats."""

Key = tuple[Any, int]


class _TooLong(BaseException):
    pass


def find_slow_patterns() -> Iterator[str]:
    """Yield a line for each pattern that takes too long."""
    ways, names = _find_ways()
    for key, found in sorted(names.items(), key=lambda each: min(each[1])):
        slow = _slow_text(re.compile(*key), ways.get(key) or {"finditer"})
        if slow:
            yield f"{min(found)}: {slow}: {key[0]!r:.200}"


def _find_ways() -> tuple[dict[Key, set[str]], dict[Key, set[str]]]:
    """Return the methods by which patterns are used, and their names, by pattern and flags."""
    modules = [
        importlib.import_module(found.name)
        for package in map(importlib.import_module, PACKAGES)
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        if not found.name.endswith("__main__")
    ]
    ways: dict[Key, set[str]] = {}
    names: dict[Key, set[str]] = {}
    trees = {module.__name__: ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8")) for module in modules}
    used: dict[tuple[str, str], set[str]] = {}
    for name, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in METHODS:
                holder = ast.unparse(node.value).rpartition(".")[2]
                used.setdefault(_scope(name, holder), set()).add(node.attr)
            if (pattern := _literal(node)) is not None:
                key = (pattern.pattern, pattern.flags)
                ways.setdefault(key, set()).add(node.func.attr)  # type: ignore[attr-defined]
                names.setdefault(key, set()).add(f"{name}:{node.lineno}")  # type: ignore[attr-defined]
    for module in modules:
        for name, pattern in _held(module):
            key = (pattern.pattern, pattern.flags)
            ways.setdefault(key, set()).update(used.get(_scope(module.__name__, name), {"finditer"}))
            names.setdefault(key, set()).add(f"{module.__name__}.{name}")
    return ways, names


def _scope(module: str, name: str) -> tuple[str, str]:
    """Return what a name stands for: a private one is used in its module only."""
    return (module if name.startswith("_") else "", name)


def _held(module: ModuleType) -> Iterator[tuple[str, re.Pattern[Any]]]:
    """Yield the patterns of a module and of its classes, also those within containers, each with its name."""
    classes = [each for each in vars(module).values() if isinstance(each, type) and each.__module__ == module.__name__]
    holders = [vars(module), *map(vars, classes)]
    stack = [(name, value, 0) for holder in holders for name, value in holder.items()]
    while stack:
        name, value, depth = stack.pop()
        if isinstance(value, re.Pattern):
            yield name if not depth else f"{name}[]", value
        elif isinstance(value, str) and name.endswith("PATTERNS"):
            yield name if not depth else f"{name}[]", re.compile(value, re.IGNORECASE)
        elif depth < 4 and isinstance(value, dict):
            stack += [(name, each, depth + 1) for pair in value.items() for each in pair]
        elif depth < 4 and isinstance(value, list | tuple | set | frozenset):
            stack += [(name, each, depth + 1) for each in value]


def _literal(node: ast.AST) -> re.Pattern[Any] | None:
    """Return the pattern of a call such as ``re.sub("...", ...)``."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in METHODS):
        return None
    if ast.unparse(node.func.value) != "re" or not isinstance(node.args[0], ast.Constant):
        return None
    given = [*node.args[1:], *(keyword.value for keyword in node.keywords)]
    flags = [each for each in given if re.fullmatch(r"re\.[A-Z| .re]+", ast.unparse(each))]
    return re.compile(node.args[0].value, eval(ast.unparse(flags[0]), {"re": re}) if flags else 0)


def _slow_text(pattern: re.Pattern[Any], ways: set[str]) -> str:
    for unit in UNITS:
        text: Any = (unit * LENGTH)[:LENGTH]
        text = text.encode() if isinstance(pattern.pattern, bytes) else text
        for way in sorted(ways):
            if all(_seconds(pattern, way, text) > MAX_SECONDS for _ in range(3)):
                return f"{way} of {unit!r}"
    return ""


def _seconds(pattern: re.Pattern[Any], way: str, text: Any) -> float:
    begun = time.process_time()
    signal.setitimer(signal.ITIMER_VIRTUAL, 2 * MAX_SECONDS)
    try:
        if way in ("sub", "subn"):
            getattr(pattern, way)(text[:0], text)
        elif way == "finditer":
            for _ in pattern.finditer(text):
                pass
        else:
            getattr(pattern, way)(text)
    except _TooLong:
        pass
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return time.process_time() - begun


def _stop(*_: object) -> None:
    raise _TooLong


if __name__ == "__main__":
    signal.signal(signal.SIGVTALRM, _stop)
    for line in find_slow_patterns():
        sys.stdout.write(f"{line}\n")
