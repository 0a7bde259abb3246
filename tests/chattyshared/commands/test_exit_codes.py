from pathlib import Path

import pytest
from chattyshared.commands.exit_codes import INTERRUPTED, exit_code_and_message, require_distinct_paths, startup_errors
from chattyshared.errors import BudgetSpent, ConfigError, EndpointUnavailable, ModelUnavailable


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (ConfigError("no such\n file"), 2, "no such file"),
        (EndpointUnavailable("down", endpoint="http://x"), 3, "http://x: down"),
        (ModelUnavailable("busy", model="openai:m"), 3, "openai:m: busy"),
        (BudgetSpent("100 calls"), 3, "100 calls"),
        (KeyboardInterrupt(), 3, INTERRUPTED),
    ],
)
def test_errors_become_exit_codes_and_lines(error, code, line):
    assert exit_code_and_message(error) == (code, line)


def test_an_unreachable_world_at_the_start_is_bad_input():
    with pytest.raises(ConfigError, match="http://x: down"), startup_errors():
        raise EndpointUnavailable("down", endpoint="http://x")


def test_an_unreachable_world_later_is_what_it_is():
    with pytest.raises(EndpointUnavailable), startup_errors(lambda: True):
        raise EndpointUnavailable("down", endpoint="http://x")


def test_control_characters_of_a_graph_do_not_reach_the_terminal():
    assert exit_code_and_message(ConfigError("a\x1b[31m\x07 b")) == (2, "a [31m b")


@pytest.mark.parametrize("name", ["in.jsonl", "../{folder}/in.jsonl", "link.jsonl"])
def test_what_is_read_is_not_written(tmp_path, name):
    (tmp_path / "in.jsonl").write_text("precious")
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "in.jsonl")
    with pytest.raises(ConfigError, match="is what is to be read"):
        require_distinct_paths(
            tmp_path / name.format(folder=tmp_path.name), ["demo", "http://x/sparql", tmp_path / "in.jsonl"]
        )
    require_distinct_paths(tmp_path / "out.jsonl", ["demo", tmp_path / "in.jsonl"])


@pytest.mark.parametrize("name", ["", ".", "x" * 300])
def test_a_name_that_no_file_can_have_is_bad_input(name):
    with pytest.raises(ConfigError):
        require_distinct_paths(Path(name), ["demo"])
