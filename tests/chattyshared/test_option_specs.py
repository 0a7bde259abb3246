from dataclasses import dataclass
from pathlib import Path

import click
import pytest
from chattyshared.commands.group import SettingsCommand, options_from_specs
from chattyshared.errors import ConfigError
from chattyshared.option_specs import OptionSpec, TomlKey, did_you_mean, option, read_toml, setting, specs_of
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
    found = read_toml(toml('max_depth = 3\ntag = ["a", 2]\nloud = true'), KNOWN, {})
    assert found == {"max-depth": "3", "tag": ["a", "2"], "loud": True}
    assert read_toml(toml('tag = "a"'), KNOWN, {}) == {"tag": ["a"]}


def test_a_table_says_shares(toml):
    assert read_toml(toml("[tag]\nred = 20\nblue = 0.5"), KNOWN, {}) == {"tag": ["red=20", "blue=0.5"]}
    assert read_toml(toml("[max-depth]\nsea = 1\nlake = 2"), KNOWN, {}) == {"max-depth": "sea=1,lake=2"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("max-deep = 3", "unknown key 'max-deep'; did you mean max-depth?"),
        ("old = 3", "unknown key 'old'; use new"),
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
        read_toml(toml(text), KNOWN, {"old": "new"})


def test_a_missing_file_is_told(tmp_path: Path):
    with pytest.raises(ConfigError, match="cannot read .*none.toml: No such file"):
        read_toml(tmp_path / "none.toml", KNOWN, {})


def test_near_words():
    assert did_you_mean("Shp", ("Ship", "Harbor")) == "; did you mean Ship?"
    assert did_you_mean("zzz", ("Ship",)) == ""
    assert did_you_mean("zzz", ("Ship",), list_known=True) == "; there are Ship"


SPECS = (
    OptionSpec("depth", "How deep.", "integer", 2, "N", minimum=0, maximum=9),
    OptionSpec("place", "Where.", default="", environment_variable="TEST_PLACE"),
    OptionSpec("shade", "How dark.", "number", 0.5, minimum=0, maximum=1, is_setting=True),
    OptionSpec("tag", "A word.", is_repeatable=True, shown_default="none", is_setting=True),
    OptionSpec("kind", "Which.", "choice", "sea", choices=("sea", "lake"), is_setting=True),
    OptionSpec("is_salt", "Salt?", "switch", None, is_setting=True),
)


@click.command(cls=SettingsCommand)
@options_from_specs(*SPECS)
def command(**options: object) -> None:
    """Do nothing."""
    click.echo(repr(sorted(options.items())))


def said(*arguments: str, **env: str) -> str:
    done = CliRunner().invoke(command, arguments, env=env)
    assert done.exit_code == 0, done.output
    return done.output


def test_the_order_is_flag_environment_file_default(toml):
    path = str(toml('depth = 4\nplace = "file"\ntag = ["x"]\nis_salt = true'))
    assert "('depth', 2)" in said() and "('tag', ())" in said() and "('is_salt', None)" in said()
    assert "('depth', 4)" in said("--config", path) and "('tag', ('x',))" in said("--config", path)
    assert "('is_salt', True)" in said("--config", path)
    assert "('depth', 7)" in said("--config", path, "--depth", "7")
    assert "('place', 'file')" in said("--config", path)
    assert "('place', 'here')" in said("--config", path, TEST_PLACE="here")
    assert "('place', 'flag')" in said("--place", "flag", "--config", path, TEST_PLACE="here")
    assert "('tag', ('y', 'z'))" in said("--set", "tag=y", "--config", path, "--set", "tag=z")
    assert "('shade', 0.25)" in said("--set", "shade=1", "--set", "shade=0.25")
    assert "('is_salt', False)" in said("--set", "is-salt=off", "--config", path)


@pytest.mark.parametrize(
    ("given", "line"),
    [
        (["--set", "shad=1"], "unknown setting 'shad'; did you mean shade?"),
        (["--set", "depth=1"], "unknown setting 'depth': it is an option, --depth"),
        (["--set", "zzz=1"], "unknown setting 'zzz'; command settings lists them"),
        (["--set", "runner=dask"], "unknown setting 'runner': use --set scheduler="),
        (["--set", "shade"], "--set takes NAME=VALUE, such as shade=VALUE, not 'shade'"),
        (["--set", "shade=2"], "Invalid value for '--set shade=': 2.0 is not in the range"),
        (["--set", "kind=pond"], "Invalid value for '--set kind=': 'pond' is not one of"),
    ],
)
def test_a_setting_that_cannot_be_is_refused(given, line):
    done = CliRunner().invoke(command, given)
    assert done.exit_code == 2 and line in done.output


@pytest.mark.parametrize("text", ["depth = 10", "depth = 2.5", 'kind = "pond"', "shade = 2"])
def test_a_file_keeps_the_bounds_that_flags_keep(toml, text):
    done = CliRunner().invoke(command, ["--config", str(toml(text))])
    assert done.exit_code == 2
    assert "Invalid value for '" in done.output and "of --config" in done.output


def test_the_help_shows_options_and_no_settings():
    text = CliRunner().invoke(command, ["--help"], terminal_width=100).output
    assert "--depth N" in text and "--set NAME=VALUE" in text and "--config FILE" in text
    assert not any(name in text for name in ("shade", "tag", "kind", "salt"))


def test_a_dataclass_declares_options():
    @dataclass(frozen=True)
    class Declared:
        depth: int = option(2, "How deep.", metavar="N", minimum=0)
        marks: tuple[str, ...] = setting((), "A word.", name="mark", is_repeatable=True, shown_default="none")
        other: int = 1

    assert specs_of(Declared) == {
        "depth": OptionSpec("depth", "How deep.", "integer", 2, "N", minimum=0),
        "marks": OptionSpec("mark", "A word.", is_repeatable=True, shown_default="none", is_setting=True),
    }
    assert Declared() == Declared(2, (), 1)


@pytest.mark.parametrize("bounds", [{"minimum": 0}, {"minimum": 0, "maximum": 1}])
@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "1e999", "-0.1"])
def test_a_number_of_an_option_or_a_file_is_finite(toml, bounds, number):
    @click.command(cls=SettingsCommand)
    @options_from_specs(OptionSpec("share", "A share.", "number", is_setting=True, **bounds))
    def command(share):
        raise AssertionError(share)

    for given in (["--set", f"share={number}"], ["--config", str(toml(f"share = {number}"))]):
        refused = CliRunner().invoke(command, given)
        assert refused.exit_code == 2
        assert "Invalid value for '" in refused.stderr and "share" in refused.stderr
