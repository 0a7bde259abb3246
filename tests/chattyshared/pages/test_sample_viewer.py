"""The sample viewer: its data, its limits, and the policy that lets its script run and no other."""

import base64
import hashlib
import json
import re

from chattyshared.answers import AnswerLine
from chattyshared.dialogue import Value
from chattyshared.pages.frame import render_document
from chattyshared.pages.sample_viewer import MAX_SAMPLES, MAX_VALUES, render_samples
from chattyshared.pages.samples import Sample, SampleAnswer, TraceStep

EVIL = '</script><script>alert("1")</script><!--'


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
    assert len(script) == 1 and f"script-src &#x27;sha256-{digest}&#x27;" in page
    assert "script-src" not in render_document("Ships", "<p>plain</p>")
