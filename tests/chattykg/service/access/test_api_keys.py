"""The file of API keys: what it may say, and what a wrong one is told without showing a key."""

import os

import pytest
from chattyshared.errors import ConfigError

from chattykg.service.access.api_keys import ApiKey, ApiKeys, read_api_keys
from chattykg.service.access.daily_limits import DailyLimits

ALICE, BOB = "sk-alice-0123456789", "sk-bob-0123456789#x"


def read(folder, text, mode=0o600):
    path = folder / "keys.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    path.chmod(mode)
    return read_api_keys(path)


def test_names_limits_and_comments_are_read(tmp_path):
    text = f"\ufeff# the team\n\nalice: {ALICE} usd=2.5 questions=500  # until May\r\n  bob:{BOB}\n"
    keys, warning = read(tmp_path, text)
    assert keys == (ApiKey("alice", ALICE, DailyLimits(500, None, 2.5)), ApiKey("bob", BOB))
    assert warning == ""


def test_a_key_without_a_name_keeps_its_name_when_the_file_is_sorted(tmp_path):
    (first, second), _ = read(tmp_path, f"{ALICE}\n{BOB}\n")
    assert {key.name for key in read(tmp_path, f"{BOB}\n{ALICE}\n")[0]} == {first.name, second.name}
    assert first.name != second.name and ALICE not in first.name


def test_a_name_may_have_an_old_and_a_new_key(tmp_path):
    keys, _ = read(tmp_path, f"alice: {ALICE} usd=1\nalice: {BOB} usd=1")
    assert [key.name for key in keys] == ["alice", "alice"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no API key"),
        ("# none yet\n", "holds no API key"),
        ("alice:\n", "line 1: write NAME: KEY"),
        (f"{BOB}\nalice: sk-short\n", "line 2: write NAME: KEY, "),
        (f"alice: {ALICE}\nbob: {ALICE}\n", "line 2: this key stands in an earlier line too"),
        (f"alice: {ALICE}\nalice: {BOB} usd=1\n", "line 2: alice has other limits in an earlier line"),
        (f"alice: {ALICE}ü\n", "of at least 16 visible ASCII characters"),
        (f"a b: {ALICE}\n", "line 1: write NAME: KEY"),
        (f"{'a' * 65}: {ALICE}\n", "the name of at most 64 letters"),
        (f"{ALICE} dollars=3\n", "then perhaps limits a day: questions=N tokens=N usd=N"),
        (f"{ALICE} {BOB}\n", "line 1: write NAME: KEY"),
        (f"{ALICE} usd=nan\n", "line 1: write NAME: KEY"),
        (f"{ALICE} questions=1.5\n", "line 1: write NAME: KEY"),
        (f"{ALICE} tokens=-1\n", "line 1: write NAME: KEY"),
        (b"\xff\xfe\n", "it is not UTF-8"),
    ],
)
def test_a_wrong_file_is_refused_without_showing_a_key(tmp_path, text, said):
    with pytest.raises(ConfigError) as error:
        read(tmp_path, text)
    assert said in str(error.value)
    assert ALICE not in str(error.value) and BOB not in str(error.value)


def test_a_file_that_cannot_be_read_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="cannot read the API keys in .*: No such file"):
        read_api_keys(tmp_path / "missing.txt")
    with pytest.raises(ConfigError, match="cannot read the API keys in .*: Is a directory"):
        read_api_keys(tmp_path)


@pytest.mark.skipif(os.name != "posix", reason="modes of files are those of a Unix")
def test_a_file_that_others_can_read_is_warned_of(tmp_path):
    assert read(tmp_path, ALICE, 0o644)[1].startswith("other users may read the API keys in ")
    assert read(tmp_path, ALICE, 0o600)[1] == ""


def test_keys_are_found_whole_and_can_be_replaced():
    keys = ApiKeys([ApiKey("alice", ALICE, DailyLimits(3))])
    assert keys.find(ALICE.encode()) == ("alice", DailyLimits(3))
    assert [keys.find(wrong) for wrong in (b"", ALICE[:-1].encode(), ALICE.encode() + b" ", b"\xff" * 9)] == [None] * 4
    keys.replace([ApiKey("bob", BOB)])
    assert keys.find(ALICE.encode()) is None and keys.find(BOB.encode()) == ("bob", DailyLimits())
    assert ALICE not in repr(ApiKey("alice", ALICE))
