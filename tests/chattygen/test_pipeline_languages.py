"""Benchmarks in other languages and in several: the same gold, one dialogue a language, resumable."""

import json
from collections.abc import Iterator

import pytest
from chattyshared.errors import BudgetSpent, ConfigError
from chattyshared.model import Completion, Request
from chattyshared.model.rules import RuleModel

import chattygen
from chattygen.lint.readers import read_source
from chattygen.lint.runner import lint_source
from chattygen.rulebook import RULEBOOK


def _texts(value: object) -> Iterator[dict[str, str]]:
    if isinstance(value, dict):
        if "question" in value:
            yield value
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)


class Polyglot:
    """A model that writes what the rules write, behind the name of the language that its prompt asks for."""

    name = "polyglot"

    def __init__(self, limit: int = 10_000) -> None:
        self.limit, self.languages = limit, list[str]()

    def complete(self, request: Request) -> Completion:
        self.limit -= 1
        if self.limit < 0:
            raise BudgetSpent("no more calls")
        completion = RuleModel(RULEBOOK).complete(request)
        language = request.variables.get("language")
        if language is None or language.is_english:
            return completion
        self.languages.append(language.tag)
        reply = json.loads(completion.text)
        for item in _texts(reply):
            item.update({key: f"[{language.tag}] {item[key]}" for key in ("question", "standalone") if key in item})
        return Completion(json.dumps(reply), completion.usage)


def test_a_model_writes_in_the_language_and_the_file_says_which(tmp_path):
    path = tmp_path / "b.jsonl"
    bench = chattygen.generate("demo", 3, turns=4, seed=3, model=Polyglot(), lang="de", path=path)
    assert [dialogue.lang for dialogue in bench] == ["de"] * 3 and not any(dialogue.alignment for dialogue in bench)
    assert all(turn.question.startswith("[de] ") for dialogue in bench for turn in dialogue.turns)
    assert all("[de]" not in turn.sparql for dialogue in bench for turn in dialogue.turns)
    assert lint_source(read_source(path)).defects == ()


def test_names_are_labels_in_the_language_where_there_are_some():
    german, french = (
        {
            value.value: value.label
            for dialogue in chattygen.generate("demo", 12, turns=4, seed=3, model=Polyglot(), lang=[tag])
            for turn in dialogue.turns
            for value in turn.answers
        }
        for tag in ("de", "fr")
    )
    names = {(german[iri], french[iri]) for iri in german.keys() & french.keys()}
    assert any(one != other for one, other in names), "one thing at least is called otherwise in German"


@pytest.mark.parametrize("approach", ["planned", "multi-stage"])
def test_several_languages_ask_the_same(approach, tmp_path):
    path = tmp_path / "b.jsonl"
    options = {"turns": 4, "seed": 3, "lang": ["de", "en"], "approach": approach}
    bench = chattygen.generate("demo", 3, model=Polyglot(), path=path, **options)
    assert [dialogue.id for dialogue in bench] == [f"d000{n}" for n in range(1, 7)]
    assert [dialogue.lang for dialogue in bench] == ["de", "en"] * 3
    for german, english in zip(bench[::2], bench[1::2], strict=True):
        assert german.alignment == english.alignment != "" and german.seed == english.seed
        assert [(t.sparql, t.answers, t.link) for t in german.turns] == [
            (t.sparql, t.answers, t.link) for t in english.turns
        ]
        assert german.turns != english.turns
    assert len({dialogue.alignment for dialogue in bench}) == 3
    assert chattygen.load_benchmark(path) == bench


def test_a_run_in_several_languages_goes_on_where_it_stopped(tmp_path):
    options = {"turns": 3, "seed": 5, "lang": ["fr", "zh", "en"]}
    whole = chattygen.generate("demo", 3, model=Polyglot(), path=tmp_path / "a.jsonl", **options)
    with pytest.raises(BudgetSpent):
        chattygen.generate("demo", 3, model=Polyglot(5), path=tmp_path / "b.jsonl", **options)
    rest = Polyglot()
    assert chattygen.generate("demo", 3, model=rest, path=tmp_path / "b.jsonl", **options) == whole
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    assert 0 < len(rest.languages) < 6


@pytest.mark.parametrize("options", [{"lang": "de"}, {"lang": ["en", "fr"]}])
def test_the_rules_refuse_what_they_do_not_write(options):
    with pytest.raises(ConfigError, match="the embedded rules write English only; --model names one that writes it"):
        chattygen.generate("demo", 1, **options)


def test_the_rules_warn_of_names_in_another_language(open_turtle, caplog):
    text = (
        "@prefix : <urn:x:> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."
        " :Dorf rdfs:label 'Dorf'@LANG . :fluss rdfs:label 'Fluss'@LANG . :hat rdfs:label 'hat'@LANG ."
        + "".join(f" :d{n} a :Dorf ; rdfs:label 'Dorf {n}'@LANG ; :fluss :d{n // 2} ; :hat {n} ." for n in range(6))
    )
    message = "the names of the graph are in German; the embedded rules write English: use --model with --lang de"
    for tag, count in (("en", 0), ("de", 1)):
        caplog.clear()
        chattygen.generate(open_turtle(text.replace("LANG", tag)), 1, turns=2, min_predicates=1)
        assert [record.getMessage() for record in caplog.records].count(message) == count
