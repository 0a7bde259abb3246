"""What is asked: the questions of a benchmark, of a file, of a list, each with the entry that a manifest states."""

import hashlib

import pytest
from chattyshared.benchmark import Benchmark, make_header, read_benchmark
from chattyshared.dialogue import Dialogue, Seed, Turn, Value
from chattyshared.errors import ConfigError

from chattykg.runs.inputs import make_input


@pytest.fixture
def bench():
    gold = (Value("1", "number"),)
    turns = tuple(Turn(n, f"Q{n}", f"S{n}", "count", "opens", "number", True, "easy", "", gold) for n in (1, 2))
    made = {"options": {}, "seed": 0, "model": "rules", "prompts": {}, "versions": {}}
    header = make_header("b", sources=["b.ttl"], fingerprint="f", triples=1, generate=made)
    return Benchmark(header, (Dialogue("d1", Seed("http://e/s", "S", "http://e/C"), turns),))


def test_a_benchmark_is_asked_as_its_file_is(tmp_path, bench):
    bench.save(tmp_path / "b.jsonl")
    by_object, by_file = make_input(bench, "follow-up"), make_input(tmp_path / "b.jsonl", "follow-up")
    assert by_object.conversations == by_file.conversations and by_object.manifest_entry == by_file.manifest_entry
    digest = hashlib.sha256((tmp_path / "b.jsonl").read_bytes()).hexdigest()[:16]
    assert bench.digest() == read_benchmark(tmp_path / "b.jsonl").digest() == digest
    assert by_object.fingerprint == by_file.fingerprint == "f" and by_object.question_count == 2
    standalone = make_input(bench, "standalone").conversations[0]
    assert [item.question for item in standalone.items] == ["S1", "S2"] and standalone.is_standalone


def test_texts_are_conversations_of_their_own():
    one, two = make_input(["A?", "B?"], "follow-up"), make_input(("A?", "C?"), "follow-up")
    assert [[item.question for item in each.items] for each in one.conversations] == [["A?"], ["B?"]]
    assert one.manifest_entry != two.manifest_entry and one.source is None


@pytest.mark.parametrize("source", [None, 5, [5], ["A?", None], b"A?"])
def test_other_things_are_no_questions(source):
    with pytest.raises(ConfigError, match="a Benchmark, the path of a file, or a list of texts"):
        make_input(source, "follow-up")
