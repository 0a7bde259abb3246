"""The graph of a checkout's imports, read from its source: what a module needs, and which modules stand in a circle.

    python benchmarks/import_graph.py [MODULE...]

Prints the raw lines of chattykg that each module needs, itself included, and the circles of modules: strongly connected
components of more than one. An import within a function counts. One under ``TYPE_CHECKING`` counts for circles only.
``from package import name`` needs the module ``package.name`` where there is one, else the package itself.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

PACKAGES = {"chattykg": ".", "chattygen": ".", "chattyshared": "shared"}
"""The packages, with the folders of a checkout that they lie in."""
STRATEGIES = ("chattykg.agents.direct", "chattykg.agents.agent")

Graph = Mapping[str, frozenset[str]]
"""From a module to the modules that it imports."""


def find_modules(root: Path) -> dict[str, Path]:
    """Return the modules of a checkout by name."""
    modules = {}
    for package, folder in PACKAGES.items():
        for path in sorted((root / folder / package).rglob("*.py")):
            parts = path.relative_to(root / folder).with_suffix("").parts
            modules[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return modules


def read_imports(modules: Mapping[str, Path], *, with_types: bool = False) -> Graph:
    """Return who imports whom; ``with_types`` counts what stands under ``TYPE_CHECKING``."""
    graph = {}
    for name, path in modules.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        graph[name] = frozenset(_imported(tree, modules, with_types)) - {name}
    return graph


def _imported(tree: ast.AST, modules: Mapping[str, Path], with_types: bool) -> Iterator[str]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test) and not with_types:
            for other in node.orelse:
                yield from _imported(ast.Module([other], []), modules, with_types)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield from (name if name in modules else node.module,) if node.module in modules else ()
        else:
            yield from _imported(node, modules, with_types)


def reach(graph: Graph, start: str) -> set[str]:
    """Return the modules that a module imports, also through others; itself only where it stands in a circle."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        new = graph[waiting.pop()] - found
        found |= new
        waiting.extend(new)
    return found


def count_lines(modules: Mapping[str, Path], graph: Graph, start: str, package: str = "chattykg") -> int:
    """Return the raw lines of a package that a module needs, itself included."""
    needed = {start, *reach(graph, start)}
    return sum(
        modules[name].read_text(encoding="utf-8").count("\n") for name in needed if name.partition(".")[0] == package
    )


def find_circles(graph: Graph) -> list[list[str]]:
    """Return the circles: the modules of each import each other, also through others."""
    reached = {name: reach(graph, name) for name in graph}
    circles = {frozenset(other for other in reached[name] if name in reached[other]) for name in graph}
    return sorted(sorted(circle) for circle in circles if circle)


def main() -> int:
    """Print the lines and the circles of this checkout."""
    modules = find_modules(Path(__file__).resolve().parents[1])
    names = sys.argv[1:] or STRATEGIES
    if unknown := [name for name in names if name not in modules]:
        print(f"no such module: {', '.join(unknown)}", file=sys.stderr)
        return 2
    graph = read_imports(modules)
    for name in names:
        print(f"{name}: {count_lines(modules, graph, name):,} lines of chattykg")
    for circle in find_circles(read_imports(modules, with_types=True)):
        print(f"circle of {len(circle)}: {', '.join(circle)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
