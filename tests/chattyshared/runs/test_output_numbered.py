import json
from pathlib import Path

from chattyshared.runs.output import Output


def opened(path: Path) -> Output:
    return Output(path, {"run": 1}, header={"head": True}, add_number=lambda line, number: {**line, "id": number})


def lines(path: Path) -> list[object]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_lines_are_numbered_as_they_stand_in_the_file_whatever_is_left_out(tmp_path: Path):
    whole, broken = tmp_path / "whole.jsonl", tmp_path / "broken.jsonl"
    with opened(whole) as output:
        for index, put in ((2, [{"x": 2}]), (0, []), (1, [{"x": 1}]), (3, [{"x": 3}])):
            output.record_lines(index, {"": put})
        output.complete()
    with opened(broken) as output:
        output.record_lines(1, {"": [{"x": 1}]})
        output.record_lines(0, {"": []})
    with opened(broken) as output:
        output.record_lines(3, {"": [{"x": 3}]})
        output.record_lines(2, {"": [{"x": 2}]})
        output.complete()
    assert lines(whole) == [{"head": True}, {"x": 1, "id": 1}, {"x": 2, "id": 2}, {"x": 3, "id": 3}]
    assert broken.read_bytes() == whole.read_bytes()
