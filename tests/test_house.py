"""The house keeps its plan: who imports whom, what the wheel holds, sizes, names, and a README that tells the truth."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from chattyshared.commands.group import Setting
from chattyshared.runs.manifest import DISTRIBUTION, install_command
from click import Context, Option
from import_graph import count_lines, find_circles, find_modules, read_imports

import chattygen.cli
import chattykg.cli

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("chattygen", "chattykg", "shared/chattyshared", "prompts/chattyprompts", "data/chattydata")
CONTAINMENT = "shared/chattyshared/runs/containment.py"
"""The only module that catches every exception, once: it keeps one item's from ending a run."""
LANGUAGE = Path("shared/chattyshared/language")
MAX_MODULE_LINES, MAX_FUNCTION_LINES = 600, 80
"""Lines of a piece; the sum of a room has its budget in ``size_budget.toml``."""
MAX_NEEDED_LINES = {"chattykg.agents.direct": 9_000, "chattykg.agents.agent": 10_500}
"""Raw lines of chattykg that importing a strategy needs."""
MAX_LISTED_WORDS = 8
WORD = re.compile(r"[a-z][a-z'-]*(?: [a-z'-]+)?")
ALTERNATIVES = re.compile(r"\(\??:?([a-z][a-z' -]*(?:\|[a-z][a-z' -]*){8,})\)")
NOT_ENGLISH = frozenset({
    "no-gold not-sparql", "format misaligned", "seed plan", "context length question", "denial unchecked",  # kinds
    "most least",
    "system id", "question status", "values scores", "sparql standalone", "turn question", "shape target",  # keys
    "object subject", "ask ask having", "unknown-name unknown-relation", "receive classifier",  # forms, codes, nodes
    "select ask", "abs ceiling", "type properties", "output overwrite", "approach context", "rdf rdfs",  # options
    "benchmark questions", "kg types",  # formats of files, keys of figures
    "en de", "er or", "unsupported unrecognized",  # language codes, suffixes, words of servers' messages
    "answer chat", "generate types", "id dialogue", "id question", "graph system", "kg questions",  # commands, columns
    "goal status", "conversations statuses", "topic be", "noun topic", "use other", "use one",  # of talks, slots
})  # fmt: skip
"""How lists begin whose texts are keys, codes or names of a format."""
LANGUAGE_NAMES = ("en", "de", "english", "german")
LANGUAGE_COMPARISONS = {
    "chattygen/dialogue_language.py": "the language of dialogues (--lang), which a hosted model writes",
    "chattygen/lint/lint_context.py": "dialogues in other languages are judged by the rules that hold in any",
    "chattygen/runs/recording.py": "the rules write English: a graph with names in another language gets a warning",
    "shared/chattyshared/kg/profile_detection.py": "the order of languages of labels where nobody states one",
}
"""Modules that compare a language by name, each with the reason."""
THIRD_PARTIES = {
    "SPARQLWrapper": {"shared/chattyshared/endpoint/remote.py"},
    "openai": {"shared/chattyshared/model/openai.py"},
    "pyoxigraph": {"shared/chattyshared/endpoint/"},
    "langgraph": {"chattykg/graph.py", "chattykg/exploration/loop.py"},
    "prometheus_client": {"chattykg/service/metrics.py"},
    "pydantic": {"chattykg/service/"},
    "starlette": {"chattykg/service/"},
    "anyio": {"chattykg/service/"},
    "mcp": {"chattykg/service/mcp/server.py"},
    "mcp_types": {"chattykg/service/mcp/server.py"},
    "dask": {"shared/chattyshared/runs/dask.py"},
    "distributed": {"shared/chattyshared/runs/dask.py"},
    "uvicorn": {"chattykg/service/server.py"},
    "pandas": {"shared/chattyshared/formats/data_frames.py"},
    "click": {
        "chattygen/cli/",
        "chattykg/cli/",
        "shared/chattyshared/commands/",
    },
    "jinja2": {"shared/chattyshared/templates.py"},
    "tqdm": {"chattygen/cli/", "chattykg/cli/", "shared/chattyshared/commands/"},
}


def modules() -> Iterator[Path]:
    for room in ROOMS:
        yield from sorted((ROOT / room).rglob("*.py"))


def imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.split(".")[0]


def test_the_import_contract_holds() -> None:
    command = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_no_modules_stand_in_a_circle_and_strategies_need_little() -> None:
    """Imports within functions count; a circle through ``TYPE_CHECKING`` is one too."""
    found = find_modules(ROOT)
    graph = read_imports(found)
    assert find_circles(read_imports(found, with_types=True)) == []
    needed = {start: count_lines(found, graph, start) for start in MAX_NEEDED_LINES}
    assert {start: lines for start, lines in needed.items() if lines > MAX_NEEDED_LINES[start]} == {}


def test_no_agent_imports_a_rulebook() -> None:
    graph = read_imports(find_modules(ROOT))
    readers = {name for name in graph if name.startswith("chattykg.agents.")}
    assert [name for name in readers if any(other.startswith("chattykg.rulebook") for other in graph[name])] == []


def test_third_parties_live_in_one_place_each() -> None:
    strays = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in modules()
        for name in imported(ast.parse(path.read_text(encoding="utf-8")))
        if name in THIRD_PARTIES
        and not any(str(path.relative_to(ROOT)).startswith(place) for place in THIRD_PARTIES[name])
    ]
    assert strays == []


def test_modules_and_functions_keep_their_size() -> None:
    too_long = []
    for path in modules():
        text = path.read_text(encoding="utf-8")
        if text.count("\n") > MAX_MODULE_LINES:
            too_long.append(f"{path.relative_to(ROOT)}: {text.count(chr(10))} lines")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno >= MAX_FUNCTION_LINES:
                too_long.append(f"{path.relative_to(ROOT)}: {node.name}")
    assert too_long == []


def test_no_two_public_classes_have_one_name() -> None:
    homes: dict[str, list[str]] = {}
    for path in modules():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(str(path.relative_to(ROOT)))
    assert {name: paths for name, paths in homes.items() if len(paths) > 1} == {}


def word_lists(tree: ast.AST) -> Iterator[tuple[int, list[str]]]:
    """Yield the lists of lower-case words in a module's code: literals, keys, split texts, alternatives of patterns."""
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        texts: list[object] = []
        if isinstance(node, ast.Tuple | ast.List | ast.Set):
            texts = [each.value for each in node.elts if isinstance(each, ast.Constant)]
        elif isinstance(node, ast.Dict):
            texts = [each.value for each in node.keys if isinstance(each, ast.Constant)]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "split":
            text = node.func.value
            texts = list(text.value.split()) if isinstance(text, ast.Constant) and isinstance(text.value, str) else []
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            for found in ALTERNATIVES.finditer(node.value):
                yield node.lineno, found[1].split("|")
        words = [text for text in texts if isinstance(text, str) and WORD.fullmatch(text)]
        if len(words) > MAX_LISTED_WORDS:
            yield getattr(node, "lineno", 0), words


def test_word_lists_lie_in_the_data() -> None:
    strays = [
        f"{path.relative_to(ROOT)}:{line}: {' '.join(words[:6])} ..."
        for path in modules()
        if LANGUAGE not in path.relative_to(ROOT).parents
        for line, words in word_lists(ast.parse(path.read_text(encoding="utf-8")))
        if " ".join(words[:2]) not in NOT_ENGLISH
    ]
    assert strays == []


def compares_a_language(node: ast.AST) -> bool:
    """Tell whether code compares something with a language by its name, tag or constant."""
    return isinstance(node, ast.Compare | ast.MatchValue) and any(
        part.value in LANGUAGE_NAMES
        if isinstance(part, ast.Constant)
        else getattr(part, "id", getattr(part, "attr", "")).strip("_").startswith(("ENGLISH", "GERMAN"))
        for part in ast.walk(node)
    )


def test_no_module_compares_a_language_by_name() -> None:
    """What differs between languages lies in their folders of words and their modules of morphology."""
    found = {
        str(path.relative_to(ROOT))
        for path in modules()
        if LANGUAGE not in path.relative_to(ROOT).parents
        and any(map(compares_a_language, ast.walk(ast.parse(path.read_text(encoding="utf-8")))))
    }
    assert found == set(LANGUAGE_COMPARISONS)


def test_tests_mirror_the_rooms() -> None:
    """``tests/ROOM/test_NAME.py``, or ``test_NAME_ASPECT.py``, tests the module or the room ``NAME`` of that room."""
    strays = []
    for path in sorted((ROOT / "tests").glob("chatty*/**/test_*.py")):
        top, *rest = path.relative_to(ROOT / "tests").parent.parts
        room = ROOT.joinpath("shared" if top == "chattyshared" else "", top, *rest)
        names = {each.stem for each in room.glob("*.py")} | {each.name for each in room.glob("*/")}
        if not any(path.stem == f"test_{name}" or path.stem.startswith(f"test_{name}_") for name in names):
            strays.append(str(path.relative_to(ROOT)))
    assert strays == []


def test_no_module_has_a_name_that_says_nothing() -> None:
    empty = {"utils", "helpers", "common", "core", "base", "misc"}
    assert [str(path) for path in modules() if path.stem in empty] == []


def test_nothing_catches_everything_or_prints_below_the_commands() -> None:
    rows = []
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ExceptHandler) and (
                node.type is None
                or any(
                    isinstance(name, ast.Name) and name.id in {"Exception", "BaseException"}
                    for name in ast.walk(node.type)
                )
            ):
                rows.append(f"{path.relative_to(ROOT)}:{node.lineno} catches everything")
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
                rows.append(f"{path.relative_to(ROOT)}:{node.lineno} prints")
    assert len(rows) == 1 and rows[0].startswith(f"{CONTAINMENT}:"), rows


def test_the_environment_is_read_at_the_edges_alone() -> None:
    readers = {str(path.relative_to(ROOT)) for path in modules() if "os.environ" in path.read_text(encoding="utf-8")}
    commands = {name for name in readers if name.startswith(("chattygen/cli/", "chattykg/cli/"))}
    a_child_process = "shared/chattyshared/model/vllm.py"
    assert readers - commands == {"shared/chattyshared/resources.py", a_child_process}


@pytest.mark.parametrize("package", [chattygen, chattykg])
def test_public_names_are_few_and_there(package: object) -> None:
    names = package.__all__  # type: ignore[attr-defined]
    assert 0 < len(names) <= 12
    assert all(hasattr(package, name) for name in names)


def test_nobody_is_told_to_install_a_strangers_package() -> None:
    """``chatty`` on the package index is somebody else's project: no text may name it as something to install."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["name"] == DISTRIBUTION == "chattykg"
    foreign = re.compile(
        r"\bchatty\[|\binstall\b[^\n]{0,40}\bchatty\b(?!kg|gen)|\bpip3? install\b[^\n'\"`]*\bchatty(?:kg|gen)\b"
    )
    named = [f"{name}: {found[0]}" for name, text in tracked_texts() for found in foreign.finditer(text)]
    assert named == []
    assert install_command("serve").startswith("pip install -e '.[serve]'")


def test_installation_hints_name_extras_that_there_are() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    hint = re.compile(r"install_command\([\"'](\w+)[\"']\)|\.\[([\w,]+)\]'|extras? `*\[([\w,]+)\]")
    named = {
        (extra, name)
        for name, text in tracked_texts()
        for found in hint.finditer(text)
        for extra in next(filter(None, found.groups())).split(",")
    }
    assert {extra for extra, _ in named} == set(extras)
    assert [place for place in named if place[0] not in extras] == []


def tracked_texts() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of every tracked file but this one and pictures."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in listed.splitlines():
        if name != "tests/test_house.py" and not name.endswith(".png") and (ROOT / name).is_file():
            yield name, (ROOT / name).read_text(encoding="utf-8")


def test_the_readme_is_short_and_its_links_lead_somewhere() -> None:
    assert (ROOT / "README.md").read_text(encoding="utf-8").count("\n") <= 150
    broken = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))
        for target in re.findall(r"\]\((?!https?:)([^)#\s]+)", page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ]
    assert broken == []


def test_the_index_names_each_command_and_fits_a_page() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    groups = {"chattygen": chattygen.cli.main, "chattykg": chattykg.cli.main}
    for name, group in groups.items():
        (listed,) = (part for part in index.split("\n\n") if part.startswith(f"`{name}` "))
        assert re.findall(r"`(\w+)`", listed)[1:] == group.list_commands(Context(group))
    assert index.count("\n") <= 110


def test_commands_have_few_options() -> None:
    """What a person decides is an option; the others are settings."""
    most = {"generate": 27, "answer": 24, "roundtrip": 30, "serve": 22, "chat": 22}
    for group in (chattygen.cli.main, chattykg.cli.main):
        for name in group.list_commands(Context(group)):
            command = group.get_command(Context(group), name)
            shown = [one for one in command.params if isinstance(one, Option) and not isinstance(one, Setting)]
            assert len(shown) <= most.get(name, 22), name
