"""Vary the thresholds of linking and querying, and print F1 on development sets.

    python benchmarks/calibrate.py list
    python benchmarks/calibrate.py vary QUESTIONS=KG... --constant linking.coverage._MIN_NAME_SCORE [--factors 0.8 1.2]
    python benchmarks/calibrate.py vary QUESTIONS=KG... --constant query.*  --limit 50

``list`` prints the constants: module-level numbers with a docstring in ``chattykg.linking`` and ``chattykg.query``, and
the weights of ``linking.toml`` as ``linking.weights.NAME``.
``vary`` sets each constant that matches a pattern to its value times each factor, in this process only, answers each
set of questions with the embedded rules, and prints F1 per variant and the best value. With --together all matching
constants take the same factor at once. A set is a file of questions with gold answers and the file of its graph.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib
import io
import pkgutil
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from types import ModuleType

import chattykg.linking
import chattykg.query
from chattykg.cli import main as chattykg_command
from chattykg.evaluation.evaluate import evaluate
from chattykg.linking.predicate_candidates import WEIGHTS

Number = int | float
_CACHED = type(lru_cache(lambda: None))
_WEIGHTS = "chattykg.linking.weights"
"""In place of a module, for the weights of ``linking.toml``."""


@dataclass(frozen=True, slots=True)
class Constant:
    """A named number of a module, with the docstring below it."""

    module: str
    name: str
    value: Number
    description: str

    @property
    def label(self) -> str:
        """Return its name for the command line."""
        return f"{self.module.removeprefix('chattykg.')}.{self.name}"


def find_constants() -> Iterator[Constant]:
    """Yield the weights, then the constants of both rooms in the order of the modules."""
    text = files("chattydata").joinpath("linking.toml").read_text(encoding="utf-8")
    for description, name in re.findall(r"# (.+)\n(\w+) = ", text):
        yield Constant(_WEIGHTS, name, WEIGHTS[name], description)
    for package in (chattykg.linking, chattykg.query):
        for info in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            module = importlib.import_module(info.name)
            body = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8")).body
            for statement, following in zip(body, body[1:], strict=False):
                if isinstance(statement, ast.Assign) and isinstance(following, ast.Expr):
                    yield from _numbers_of(module, statement, following)


def _numbers_of(module: ModuleType, statement: ast.Assign, following: ast.Expr) -> Iterator[Constant]:
    target, text = statement.targets[0], following.value
    if not isinstance(text, ast.Constant) or not isinstance(text.value, str):
        return
    for name in target.elts if isinstance(target, ast.Tuple) else [target]:
        value = getattr(module, name.id) if isinstance(name, ast.Name) else None
        if isinstance(name, ast.Name) and isinstance(value, Number) and not isinstance(value, bool):
            yield Constant(module.__name__, name.id, value, text.value)


@contextlib.contextmanager
def with_values(values: Sequence[tuple[Constant, Number]]) -> Iterator[None]:
    """Set weights, and constants in their modules and in those that import them by name, for the time of a block."""
    weights = dict(WEIGHTS)
    WEIGHTS.update({constant.name: value for constant, value in values if constant.module == _WEIGHTS})
    changed: list[tuple[ModuleType, str, Number]] = []
    modules = [module for name, module in sys.modules.items() if name.startswith("chattykg.")]
    for constant, value in values:
        for module in modules:
            if module.__name__ == constant.module or _imports(module, constant):
                changed.append((module, constant.name, getattr(module, constant.name)))
                setattr(module, constant.name, value)
    _clear_caches(modules)
    try:
        yield
    finally:
        WEIGHTS.update(weights)
        for module, name, value in reversed(changed):
            setattr(module, name, value)
        _clear_caches(modules)


def _imports(module: ModuleType, constant: Constant) -> bool:
    if not module.__file__ or not hasattr(module, constant.name):
        return False
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module == constant.module)
    return any(alias.name == constant.name for node in imports for alias in node.names)


def _clear_caches(modules: Sequence[ModuleType]) -> None:
    """Empty what the modules keep, as it depends on the constants."""
    for module in modules:
        for name, value in vars(module).items():
            if isinstance(value, _CACHED):
                value.cache_clear()
            elif name == "_CACHE":
                value.clear()


def varied(constant: Constant, factor: float) -> Number:
    """Return the value times a factor; an integer stays one."""
    value = constant.value * factor
    return max(1, round(value)) if isinstance(constant.value, int) else round(value, 4)


def measure(sets: Sequence[tuple[Path, Path]], limit: int) -> float:
    """Answer all sets and return the mean of their F1."""
    figures = []
    for questions, graph in sets:
        with tempfile.TemporaryDirectory() as folder:
            asked, answers = Path(folder) / questions.name, Path(folder) / "answers.jsonl"
            lines = questions.read_text(encoding="utf-8").splitlines(keepends=True)
            asked.write_text("".join(lines[:limit] if limit else lines), encoding="utf-8")
            arguments = ["answer", "--kg", str(graph), "--questions", str(asked), "-o", str(answers)]
            with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
                chattykg_command([*arguments, "--model", "rules"], standalone_mode=False)
            figures.append(evaluate(asked, answers).f1)
    return sum(figures) / len(figures)


def vary(
    sets: Sequence[tuple[Path, Path]], groups: Sequence[Sequence[Constant]], factors: Sequence[float], limit: int
) -> None:
    """Print F1 with the present values, then for each group of constants and factor, and the best factor."""
    present = measure(sets, limit)
    print(f"{present:.4f}  present values")
    for group in groups:
        scores = {1.0: present}
        for factor in factors:
            values = [(constant, varied(constant, factor)) for constant in group]
            with with_values(values):
                scores[factor] = measure(sets, limit)
            shown = ", ".join(f"{constant.label} = {value}" for constant, value in values[:3])
            print(f"{scores[factor]:.4f}  x{factor:g}: {shown}{' ...' if len(values) > 3 else ''}", flush=True)
        best = max(scores, key=lambda factor: (scores[factor], factor == 1.0))
        for constant in group:
            value = constant.value if best == 1.0 else varied(constant, best)
            print(f"        best: {constant.label} = {value} (F1 {scores[best]:.4f})")


def main(arguments: Sequence[str] | None = None) -> None:
    """List the constants, or vary them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("list", "vary"))
    parser.add_argument("sets", nargs="*", metavar="QUESTIONS=KG")
    parser.add_argument("--constant", nargs="+", default=["*"], help="names as `list` prints them; * is a wildcard")
    parser.add_argument("--factors", nargs="+", type=float, default=[0.8, 1.2])
    parser.add_argument("--together", action="store_true", help="vary all of them by the same factor")
    parser.add_argument("--limit", type=int, default=0, help="questions of each JSON Lines file that are asked; 0: all")
    options = parser.parse_args(arguments)
    constants = [c for c in find_constants() if any(fnmatch(c.label, pattern) for pattern in options.constant)]
    if options.what == "list":
        for constant in constants:
            print(f"{constant.label} = {constant.value}: {constant.description}")
        return
    sets = [(Path(questions), Path(graph)) for questions, _, graph in (pair.partition("=") for pair in options.sets)]
    if not sets or not all(path.is_file() for pair in sets for path in pair) or not constants:
        parser.error("give QUESTIONS=KG with files that exist, and constants that `list` prints")
    groups = [constants] if options.together else [[constant] for constant in constants]
    vary(sets, groups, options.factors, options.limit)


if __name__ == "__main__":
    main()
