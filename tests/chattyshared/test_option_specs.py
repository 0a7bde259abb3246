from pathlib import Path

import click
import pytest
from chattyshared.commands.group import SectionedCommand, config_option, options_from_specs
from chattyshared.errors import ConfigError
from chattyshared.option_specs import OptionSpec, TomlKey, did_you_mean, read_toml
from click.testing import CliRunner

KNOWN = {"max-depth": TomlKey(), "tag": TomlKey(is_repeatable=True), "loud": TomlKey(is_switch=True)}


@pytest.fixture
def toml(tmp_path: Path):
    def written(text: str) -> Path:
        path = tmp_path / "run.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return written


def test_values_come_back_as_a_user_would_type_them(toml):
    found = read_toml(toml('max_depth = 3\ntag = ["a", 2]\nloud = true'), KNOWN)
    assert found == {"max-depth": "3", "tag": ["a", "2"], "loud": True}
    assert read_toml(toml('tag = "a"'), KNOWN) == {"tag": ["a"]}


def test_a_table_says_shares(toml):
    assert read_toml(toml("[tag]\nred = 20\nblue = 0.5"), KNOWN) == {"tag": ["red=20", "blue=0.5"]}
    assert read_toml(toml("[max-depth]\nsea = 1\nlake = 2"), KNOWN) == {"max-depth": "sea=1,lake=2"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("max-deep = 3", "unknown key 'max-deep'; did you mean max-depth?"),
        ("zzz = 3", "unknown key 'zzz'; there are max-depth, tag, loud"),
        ("max-depth = 1\nmax_depth = 2", "'max-depth' stands there twice"),
        ("max-depth = [1]", "max-depth takes one value, not an array"),
        ("max-depth = true", "max-depth is a text or a number, not True"),
        ('loud = "yes"', "loud is true or false"),
        ("max-depth = ", "is no TOML"),
        ("max-depth = " + "[" * 50_000, "is no TOML: nested too deeply"),
    ],
)
def test_what_cannot_be_meant_is_refused(toml, text, said):
    with pytest.raises(ConfigError, match=said.replace("?", r"\?").replace("[", r"\[")):
        read_toml(toml(text), KNOWN)


def test_a_missing_file_is_told(tmp_path: Path):
    with pytest.raises(ConfigError, match="cannot read .*none.toml: No such file"):
        read_toml(tmp_path / "none.toml", KNOWN)


def test_near_words():
    assert did_you_mean("Shp", ("Ship", "Harbor")) == "; did you mean Ship?"
    assert did_you_mean("zzz", ("Ship",)) == ""
    assert did_you_mean("zzz", ("Ship",), list_known=True) == "; there are Ship"


SETTINGS = (
    OptionSpec("depth", "How deep.", "integer", 2, "N", minimum=0, maximum=9),
    OptionSpec("shade", "How dark.", "number", 0.5, "S", "Colors", minimum=0, maximum=1),
    OptionSpec("tag", "A word.", is_repeatable=True, section="Colors", shown_default="none"),
    OptionSpec("kind", "Which.", "choice", "sea", choices=("sea", "lake")),
)


@click.command(cls=SectionedCommand)
@options_from_specs(SETTINGS)
@click.option("--place", envvar="TEST_PLACE")
@config_option
def command(**options: object) -> None:
    """Do nothing."""
    click.echo(repr(sorted(options.items())))


def said(*arguments: str, **env: str) -> str:
    done = CliRunner().invoke(command, arguments, env=env)
    assert done.exit_code == 0, done.output
    return done.output


def test_the_order_is_flag_environment_file_default(toml):
    path = str(toml('depth = 4\nplace = "file"\ntag = ["x"]'))
    assert "('depth', 2)" in said() and "('tag', ())" in said()
    assert "('depth', 4)" in said("--config", path) and "('tag', ('x',))" in said("--config", path)
    assert "('depth', 7)" in said("--config", path, "--depth", "7")
    assert "('place', 'file')" in said("--config", path)
    assert "('place', 'here')" in said("--config", path, TEST_PLACE="here")
    assert "('place', 'flag')" in said("--place", "flag", "--config", path, TEST_PLACE="here")


@pytest.mark.parametrize("text", ["depth = 10", "depth = 2.5", 'kind = "pond"', "shade = 2"])
def test_a_file_keeps_the_bounds_that_flags_keep(toml, text):
    done = CliRunner().invoke(command, ["--config", str(toml(text))])
    assert done.exit_code == 2
    assert "Invalid value for '--" in done.output


def test_the_help_has_sections():
    text = CliRunner().invoke(command, ["--help"], terminal_width=100).output
    first, colors = text.split("\nColors:\n")
    assert "--depth N" in first and "--help" in first and "--shade" not in first
    assert "--shade S" in colors and "[default: (none)]" in colors and "0<=x<=1" in colors


@pytest.mark.parametrize("bounds", [{"minimum": 0}, {"minimum": 0, "maximum": 1}])
@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "1e999", "-0.1"])
def test_a_number_of_an_option_or_a_file_is_finite(toml, bounds, number):
    @click.command(cls=SectionedCommand)
    @config_option
    @options_from_specs([OptionSpec("share", "A share.", "number", **bounds)])
    def command(share):
        raise AssertionError(share)

    for given in (["--share", number], ["--config", str(toml(f"share = {number}"))]):
        refused = CliRunner().invoke(command, given)
        assert refused.exit_code == 2
        assert "Invalid value for '--share'" in refused.stderr
