import pytest
from chattyshared.errors import BudgetSpent, ConfigError, EndpointUnavailable, ModelUnavailable
from chattyshared.exits import INTERRUPTED, ending, starting


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
    assert ending(error) == (code, line)


def test_an_unreachable_world_at_the_start_is_bad_input():
    with pytest.raises(ConfigError, match="http://x: down"), starting():
        raise EndpointUnavailable("down", endpoint="http://x")
