"""Samples of dialogues and of questions: what they hold, and how an id selects them."""

import pytest
from chattyshared.dialogue import Value
from chattyshared.errors import ConfigError
from chattyshared.formats.gold import read_gold
from chattyshared.jsonlines import to_json_line
from chattyshared.pages.samples import (
    group_by_dialogue,
    samples_of_dialogues,
    samples_of_gold,
    select_samples,
    value_name,
)
from vessel_talk import DIALOGUES, vessels


def test_a_benchmark_gives_a_sample_a_turn(tmp_path):
    samples = samples_of_gold(read_gold(vessels(tmp_path)))
    assert [sample.id for sample in samples[:5]] == ["d0001/1", "d0001/2", "d0001/3", "d0001/4", "d0002/1"]
    second = samples[1]
    assert (second.form, second.link, second.seed, second.seed_class) == ("boolean", "answer", "Albatross", "ship")
    assert second.standalone == "Was Ada Holt born in Gullwick?" and second.gold[0].text == "no"
    assert samples[6].gold == ()


def test_a_file_without_annotation_has_no_gold_and_no_form():
    sample = samples_of_dialogues(DIALOGUES, is_annotated=False)[0]
    assert (sample.gold, sample.form, sample.link) == (None, "", "")


def test_questions_are_grouped_by_conversation_and_name_their_gold(tmp_path):
    path = tmp_path / "questions.jsonl"
    lines = [
        {"id": "a", "dialogue_id": "t", "turn": 2, "question": "Where?", "answers": ["Ada"], "answer_iris": ["urn:x"]},
        {"id": "b", "question": "Alone?", "answers": ["true"]},
        {"id": "c", "dialogue_id": "t", "turn": 1, "question": "Who?", "form": "list"},
    ]
    path.write_text("\n".join(map(to_json_line, lines)))
    samples = samples_of_gold(read_gold(path))
    assert [[sample.id for sample in group] for group in group_by_dialogue(samples)] == [["c", "a"], ["b"]]
    assert [(sample.turn, sample.form, sample.gold) for sample in samples] == [
        (1, "list", None), (2, "", (Value("urn:x", "iri", label="Ada"),)), (1, "", (Value("true", "boolean"),)),
    ]  # fmt: skip


def test_an_id_selects_a_turn_or_a_dialogue_and_an_unknown_one_is_refused(tmp_path):
    samples = samples_of_gold(read_gold(vessels(tmp_path)))
    assert [sample.id for sample in select_samples(samples, "d0002/3")] == ["d0002/3"]
    assert len(select_samples(samples, "d0001")) == 4
    with pytest.raises(ConfigError, match=r"'d001/2'; did you mean d0001/2 or"):
        select_samples(samples, "d001/2")
    with pytest.raises(ConfigError, match="no dialogue or turn 'zzz'; there are d0001 to d0002"):
        select_samples(samples, "zzz")


def test_an_iri_without_a_label_is_named_by_its_local_name():
    names = map(value_name, (Value("https://x.example/Old_Bramley", "iri"), Value("false", "boolean")))
    assert list(names) == ["Old Bramley", "no"]
