"""The examples of the documentation run as they are printed, and print what the page shows."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner

from chattykg.cli import main
from chattykg.graph import AGENTS

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = re.compile(r"^```python\n(.*?)^```(?:\n\n```text\n(.*?)^```)?", flags=re.MULTILINE | re.DOTALL)


@pytest.mark.slow
@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_the_python_examples_run(
    page: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The examples of a page run in order, in one namespace; without pandas, data frames are left out."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    examples = EXAMPLE.findall((ROOT / page).read_text(encoding="utf-8"))
    for code, output in examples:
        if "to_pandas" not in code or find_spec("pandas"):
            exec(compile(code.replace("my.ttl", "demo"), page, "exec"), names)  # the page's own text
            printed = capsys.readouterr().out
            assert not output or printed == output
    assert any(output for _, output in examples)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "arguments"),
    [
        ("README.md", ("roundtrip", "--kg", "demo", "--dialogues", "5", "--turns", "5", "-o", "runs/demo")),
        ("README.md", ("answer", "--kg", "demo", "Which films did Christopher Nolan direct?")),
        ("docs/tutorial.md", ("answer", "--kg", "demo", "Who directed The Matrix Reloaded?")),
    ],
)
def test_a_page_shows_what_its_commands_print(
    page: str, arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")  # as without a terminal; pytest-xdist tells its workers another width
    done = CliRunner().invoke(main, arguments, prog_name="chattykg")
    assert done.exit_code == 0, done.output
    assert _without_seconds(done.stdout.strip()) in _without_seconds((ROOT / page).read_text(encoding="utf-8"))


def test_the_diagram_of_the_engine_names_its_agents() -> None:
    _, page = (ROOT / "docs/how-it-works.md").read_text(encoding="utf-8").split("## The engine", 1)
    diagram = page.split("```mermaid", 1)[1].split("```", 1)[0]
    without_question = {"receive", "retry", "respond"}
    assert {name for name in AGENTS if name not in diagram} <= without_question


def _without_seconds(text: str) -> str:
    return re.sub(r"(?m)^seconds a question .*$|[\d.]+ s;", "", text)
