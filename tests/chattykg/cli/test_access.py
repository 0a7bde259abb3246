"""The options of ``chattykg serve`` for keys, origins and limits: what they refuse, and what SIGHUP changes."""

import os
import signal
from pathlib import Path

import pytest

from chattykg.cli.access import open_access
from chattykg.service.access.daily_limits import DailyLimits

KEY, OTHER = "sk-alice-0123456789", "sk-bob-0123456789ab"


@pytest.fixture
def options(tmp_path: Path):
    limits = {f"max_{what}_per_day": None for what in ("questions", "tokens", "usd")}
    return {
        "api_key_file": None, "allow_origin": (), "client_requests_per_minute": None,
        "sessions": tmp_path / "talks.sqlite", **limits,
    }  # fmt: skip


def write_keys(folder: Path, text: str) -> Path:
    path = folder / "keys.txt"
    path.write_text(text)
    path.chmod(0o600)
    return path


def test_without_options_everybody_may_ask_and_nothing_is_written(options, tmp_path):
    access = open_access(options)
    assert (access.keys, access.origins, access.budget.limits_any(DailyLimits())) == (None, (), False)
    assert list(tmp_path.iterdir()) == []


def test_every_origin_needs_keys(options, tmp_path):
    keys = {"api_key_file": write_keys(tmp_path, KEY)}
    assert open_access({**options, **keys, "allow_origin": ("*",)}).origins == ("*",)


def test_origins_are_written_as_browsers_send_them(options):
    origins = ("HTTPS://App.Example.org:443/", "http://localhost:3000")
    access = open_access({**options, "allow_origin": origins})
    assert access.origins == ("https://app.example.org", "http://localhost:3000")


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="there is no SIGHUP here")
def test_sighup_reads_the_keys_again_and_keeps_them_if_the_file_is_wrong(options, tmp_path, capsys):
    path = write_keys(tmp_path, f"alice: {KEY}")
    before = signal.getsignal(signal.SIGHUP)
    try:
        keys = open_access({**options, "api_key_file": path}).keys
        write_keys(tmp_path, "# nobody")
        os.kill(os.getpid(), signal.SIGHUP)
        assert keys.find(KEY.encode()) and "holds no API key" in capsys.readouterr().err
        write_keys(tmp_path, f"bob: {OTHER}")
        os.kill(os.getpid(), signal.SIGHUP)
        assert keys.find(KEY.encode()) is None and keys.find(OTHER.encode()) == ("bob", DailyLimits())
        assert "read again" in capsys.readouterr().err
    finally:
        signal.signal(signal.SIGHUP, before)


def test_limits_of_tokens_and_money_do_not_go_with_several_processes(options, tmp_path):
    keys = write_keys(tmp_path, f"alice: {KEY} usd=1")
    for limited in ({"max_usd_per_day": 1.0}, {"max_tokens_per_day": 1}, {"api_key_file": keys}):
        assert open_access({**options, **limited}).limits_calls
    assert not open_access({**options, "max_questions_per_day": 1}).limits_calls
