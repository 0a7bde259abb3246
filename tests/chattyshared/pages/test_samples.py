"""Samples of dialogues and of questions: what they hold, and how an id selects them."""

import base64
import hashlib
import json
import re

import pytest
from chattyshared.answers import AnswerLine
from chattyshared.dialogue import Value
from chattyshared.errors import ConfigError
from chattyshared.formats.gold import read_gold
from chattyshared.jsonlines import to_json_line
from chattyshared.pages.frame import render_document
from chattyshared.pages.samples import (
    MAX_SAMPLES,
    MAX_VALUES,
    Sample,
    SampleAnswer,
    TraceStep,
    group_by_dialogue,
    render_samples,
    samples_of_dialogues,
    samples_of_gold,
    select_samples,
    value_name,
)
from vessel_talk import DIALOGUES, vessels

EVIL = '</script><script>alert("1")</script><!--'


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


def data_of(html: str):
    return json.loads(html.partition('id="sample-data">')[2].partition("</script>")[0])


def test_the_data_holds_turns_with_gold_answers_and_steps():
    ship = Value("https://ships.example/Albatross", "iri", label="Albatross")
    line = AnswerLine("d1/1", (ship.value,), (ship.label,), sparql="ASK { ?x ?p 1 }")
    answer = SampleAnswer("ours", line, 0.5, "linking", (TraceStep("qir", "{}", 0.1),))
    sample = Sample(
        "d1/1",
        "Which?",
        "d1",
        form="list",
        gold=(ship,),
        answers=(answer, SampleAnswer("theirs", AnswerLine("d1/1"), 0.0)),
    )
    data = data_of(render_samples([sample, Sample("d1/2", "When?", "d1", 2, gold=())], ("ours", "theirs")))
    assert data["systems"] == ["ours", "theirs"]
    first, second = data["samples"]
    assert (first["gold"], first["form"], second["gold"], second["turn"]) == (
        [["Albatross", ship.value]],
        "list",
        [],
        2,
    )
    assert first["answers"] == [
        {"f1": 0.5, "values": [["Albatross", ship.value]], "stage": "linking", "query": "ASK {\n  ?x ?p 1\n}",
         "steps": [["qir", "{}", 0.1]]},
        {"f1": 0.0},
    ]  # fmt: skip


def test_no_text_of_a_graph_or_a_model_ends_the_data():
    html = render_samples([Sample(EVIL, EVIL, gold=(Value(EVIL, "literal"),))], (EVIL,))
    assert html.count("<script") == html.count("</script>") == 1 and "<!--" not in html
    assert data_of(html)["samples"][0]["question"] == EVIL


def test_long_answers_and_many_turns_are_cut_with_a_count():
    many = tuple(Value(str(number), "number") for number in range(MAX_VALUES + 7))
    sample = data_of(render_samples([Sample("q", "Which?", gold=many)], ()))["samples"][0]
    assert (len(sample["gold"]), sample["more"]) == (MAX_VALUES, 7)
    html = render_samples([Sample(str(number), "Which?") for number in range(MAX_SAMPLES + 2)], ())
    assert "2 more turns are left out" in html and len(data_of(html)["samples"]) == MAX_SAMPLES
    assert render_samples([], ()) == ""


def test_only_the_script_of_the_viewer_may_run():
    page = render_document("Ships", render_samples([Sample("q", "Which?")], ()), parts=("samples",))
    script = re.findall(r"<script>(.*?)</script>", page, flags=re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script[0].encode()).digest()).decode()
    assert len(script) == 1 and f"script-src 'sha256-{digest}'" in page
    assert "script-src" not in render_document("Ships", "<p>plain</p>")
