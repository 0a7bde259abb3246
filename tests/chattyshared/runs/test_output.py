from __future__ import annotations

import json
import subprocess
import sys

import pytest
from chattyshared.errors import ConfigError
from chattyshared.runs.output import Output, describe_differences

HEADER = {"benchmark": {"name": "b"}}


def opened(folder, manifest=None, **options):
    path = folder / "b.jsonl"
    beside = {"rejected": folder / "b.rejected.jsonl"}
    return Output(path, {"a": 1} if manifest is None else manifest, header=HEADER, side_files=beside, **options)


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def line(number):
    return {"": [{"n": number}]}


def test_lines_come_in_index_order_whatever_the_order_of_puts(tmp_path):
    with opened(tmp_path) as out:
        out.record_lines(2, line(2))
        assert lines(tmp_path / "b.jsonl") == [HEADER]
        out.record_lines(0, {"": [{"n": 0}], "rejected": [{"why": "é"}]})
        assert lines(tmp_path / "b.jsonl") == [HEADER, {"n": 0}]
        out.record_lines(1, {})
        assert lines(tmp_path / "b.jsonl") == [HEADER, {"n": 0}, {"n": 2}]
        out.complete()
        assert out.is_complete
    assert (tmp_path / "b.jsonl").read_text() == '{"benchmark": {"name": "b"}}\n{"n": 0}\n{"n": 2}\n'
    assert (tmp_path / "b.rejected.jsonl").read_text() == '{"why": "é"}\n'
    assert names(tmp_path) == ["b.jsonl", "b.jsonl.run.json", "b.rejected.jsonl"]
    assert lines_of_manifest(tmp_path) == {"a": 1, "complete": True}
    assert (tmp_path / "b.jsonl").stat().st_mode & 0o777 == 0o644


def lines_of_manifest(folder):
    return json.loads((folder / "b.jsonl.run.json").read_text())


def test_nothing_is_written_before_the_first_put(tmp_path):
    with opened(tmp_path / "new" / "folder"):
        pass
    assert names(tmp_path) == []


def test_a_run_that_was_cut_off_goes_on(tmp_path):
    with opened(tmp_path) as out:
        out.record_lines(0, line(0))
        out.record_lines(2, line(2))
    assert lines_of_manifest(tmp_path) == {"a": 1, "complete": False}
    with opened(tmp_path) as out:
        assert [out.is_finished(index) for index in range(4)] == [True, False, True, False]
        assert not out.is_complete
        out.record_lines(1, line(1))
        out.complete()
    assert lines(tmp_path / "b.jsonl") == [HEADER, {"n": 0}, {"n": 1}, {"n": 2}]


def test_what_a_kill_left_half_written_is_made_again(tmp_path):
    with opened(tmp_path) as out:
        out.record_lines(0, line(0))
        out.record_lines(1, line(1))
    journal = tmp_path / "b.jsonl.journal.jsonl"
    whole = journal.read_bytes()
    for cut in range(len(whole.splitlines(keepends=True)[0]), len(whole)):
        journal.write_bytes(whole[:cut])
        with (tmp_path / "b.jsonl").open("a") as file:
            file.write('{"n": 1, "ha')
        with opened(tmp_path) as out:
            assert [out.is_finished(0), out.is_finished(1)] == [True, False]
    with opened(tmp_path) as out:
        out.record_lines(1, line(1))
        out.complete()
    assert lines(tmp_path / "b.jsonl") == [HEADER, {"n": 0}, {"n": 1}]


def test_a_complete_run_has_nothing_to_do_and_is_left_alone(tmp_path):
    with opened(tmp_path) as out:
        out.record_lines(0, line(0))
        out.complete()
    before = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    with opened(tmp_path) as out:
        assert out.is_complete
        assert out.is_finished(17)
        out.complete()
    assert {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == before


def test_a_complete_run_whose_file_is_gone_is_made_again(tmp_path):
    with opened(tmp_path) as out:
        out.record_lines(0, line(0))
        out.complete()
    (tmp_path / "b.jsonl").unlink()
    assert not opened(tmp_path).is_finished(0)


def test_a_complete_run_is_not_made_again_for_a_file_beside(tmp_path):
    with opened(tmp_path) as out:
        out.record_lines(0, line(0))
        out.complete()
    (tmp_path / "b.rejected.jsonl").unlink()
    assert opened(tmp_path).is_complete


def test_a_journal_that_somebody_took_away_is_said(tmp_path):
    with opened(tmp_path) as out:
        out.record_lines(0, line(0))
    (tmp_path / "b.jsonl.journal.jsonl").unlink()
    with pytest.raises(ConfigError, match=r"b\.jsonl is half done and b\.jsonl\.journal\.jsonl is gone; --overwrite"):
        opened(tmp_path)
    assert lines(tmp_path / "b.jsonl") == [HEADER, {"n": 0}]


def test_another_manifest_is_refused_and_each_difference_named(tmp_path):
    with opened(tmp_path, {"seed": 0, "kg": {"sources": ["a"]}, "old": None}) as out:
        out.record_lines(0, line(0))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(ConfigError) as caught:
        opened(tmp_path, {"seed": 1, "kg": {"sources": ["b"]}, "model": "rules"})
    assert str(caught.value) == (
        f'{tmp_path}/b.jsonl was made by another run (seed: 0 there, 1 now; kg.sources: ["a"] there, ["b"] now; '
        'model: null there, "rules" now): choose another name, or overwrite it with --overwrite'
    )
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_overwriting_begins_anew_and_not_before_there_is_something_new(tmp_path):
    with opened(tmp_path) as out:
        out.record_lines(0, {"": [{"n": 0}], "rejected": [{"r": 0}]})
    with opened(tmp_path, {"a": 2}, overwrite=True) as out:
        assert not out.is_finished(0)
        assert lines(tmp_path / "b.jsonl") == [HEADER, {"n": 0}]
        out.record_lines(0, line(7))
        out.complete()
    assert lines(tmp_path / "b.jsonl") == [HEADER, {"n": 7}]
    assert lines(tmp_path / "b.rejected.jsonl") == []
    assert lines_of_manifest(tmp_path) == {"a": 2, "complete": True}


def test_a_file_of_no_run_is_not_touched(tmp_path):
    (tmp_path / "b.jsonl").write_text("mine")
    with pytest.raises(ConfigError, match=r"is there already and no b\.jsonl\.run\.json says what made it"):
        opened(tmp_path)
    assert (tmp_path / "b.jsonl").read_text() == "mine"


@pytest.mark.parametrize("broken", ["", "[]", "{", "\x00"])
def test_a_broken_manifest_is_said(tmp_path, broken):
    (tmp_path / "b.jsonl").write_text("")
    (tmp_path / "b.jsonl.run.json").write_text(broken)
    with pytest.raises(ConfigError, match=r"b\.jsonl\.run\.json .*--overwrite starts anew"):
        opened(tmp_path)


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match=r"cannot write .*/file/b\.jsonl: Not a directory"):
        opened(tmp_path / "file")


def answers(folder, **options):
    return Output(folder / "a.jsonl", {"a": 1}, needs_retry=lambda line: "error" in line, **options)


def test_lines_to_redo_are_missing_from_a_complete_run(tmp_path):
    with answers(tmp_path) as out:
        out.record_lines(0, line(0))
        out.record_lines(1, {"": [{"n": 1, "error": "down"}]})
        out.record_lines(2, line(2))
        out.complete()
    with answers(tmp_path) as out:
        assert not out.is_complete
        assert [out.is_finished(index) for index in range(3)] == [True, False, True]
        assert len(lines(tmp_path / "a.jsonl")) == 3
        out.record_lines(1, line(1))
        out.complete()
    assert lines(tmp_path / "a.jsonl") == [{"n": 0}, {"n": 1}, {"n": 2}]
    assert answers(tmp_path).is_complete


def test_redoing_that_is_cut_off_loses_nothing(tmp_path):
    with answers(tmp_path) as out:
        for index in range(4):
            out.record_lines(index, {"": [{"n": index, **({"error": "x"} if index in (0, 1) else {})}]})
        out.complete()
    with answers(tmp_path) as out:
        out.record_lines(1, line(1))
    with answers(tmp_path) as out:
        assert [out.is_finished(index) for index in range(4)] == [False, True, True, True]
        out.record_lines(0, line(0))
        out.complete()
    assert lines(tmp_path / "a.jsonl") == [{"n": 0}, {"n": 1}, {"n": 2}, {"n": 3}]


def test_a_line_with_an_error_in_a_cut_off_run_is_missing_too(tmp_path):
    with answers(tmp_path) as out:
        out.record_lines(0, {"": [{"error": "x"}]})
        out.record_lines(1, line(1))
    assert [answers(tmp_path).is_finished(index) for index in range(2)] == [False, True]


def test_half_a_surrogate_pair_is_written_as_an_escape(tmp_path):
    with answers(tmp_path) as out:
        out.record_lines(0, {"": [{"q": "a\udc80"}]})
        out.complete()
    assert (tmp_path / "a.jsonl").read_bytes() == b'{"q": "a\\udc80"}\n'


def test_values_of_another_type_differ():
    assert describe_differences({"a": True, "b": 1}, {"a": 1, "b": 1}) == ["a: true there, 1 now"]


def test_what_was_put_survives_a_kill(tmp_path):
    program = (
        "import sys\nfrom pathlib import Path\nfrom chattyshared.runs.output import Output\n"
        "out = Output(Path(sys.argv[1]), {'a': 1})\n"
        "for index in range(10**6):\n"
        "    out.record_lines(index, {'': [{'n': index, 'long': 'x' * 500}]})\n"
        "    print(index, flush=True)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program, str(tmp_path / "k.jsonl")], stdout=subprocess.PIPE)
    for _ in range(50):
        process.stdout.readline()
    process.kill()
    said = 49 + len(process.communicate()[0].split())
    with Output(tmp_path / "k.jsonl", {"a": 1}) as out:
        assert [index for index in range(said) if not out.is_finished(index)] == []
        out.complete()
    kept = [each["n"] for each in lines(tmp_path / "k.jsonl")]
    assert len(kept) >= said
    assert kept == list(range(len(kept)))


def test_options_that_differ_are_called_by_their_names():
    mix = [[f"form{number}", number] for number in range(20)]
    then = {"benchmark": {"generate": {"seed": 0, "options": {"seed": 0, "mix": mix}}}}
    now = {"benchmark": {"generate": {"seed": 1, "options": {"seed": 1, "mix": mix[:9]}}}}
    assert set(describe_differences(then, now)) == {"seed: 0 there, 1 now", "mix: others there than now"}
