import json
from pathlib import Path

import pytest
from chattyshared.errors import ConfigError, ModelRefused
from chattyshared.model import Completion, Request, Usage

from chattygen.option_parsing import parse_mix, parse_options, parse_popularity
from chattygen.options import DEFAULT_MIX, OPTION_SPECS, Options, complete_mix
from chattygen.sampling.seeds import read_seeds
from chattygen.stage_models import open_stage_models

NOTHING = {setting.name: () if setting.is_repeatable else setting.default for setting in OPTION_SPECS.values()}


def test_settings_as_they_stand_are_the_default_options():
    assert parse_options(NOTHING) == Options()


def test_every_field_of_the_options_has_a_setting():
    assert set(OPTION_SPECS) == {*Options.__dataclass_fields__} - {"class_bounds"}


def test_a_threshold_of_rare_types_needs_proportional_quotas():
    with pytest.raises(ConfigError, match="quota=proportional"):
        parse_options({**NOTHING, "rare": 0.2})


def test_settings_reach_the_options():
    given = {**NOTHING, "dialogues": 3, "domain": ("https://a/",), "type": ("Ship",), "no_type": ("Yard",), "rare": 0.2,
             "quota": "proportional", "block": ("cargo",), "lang": ("DE",),
             "hops": 1, "theta": 5, "workers": 4, "max_seeds": 9}  # fmt: skip
    options = parse_options(given)
    assert (options.dialogues, options.domains, options.types, options.no_types) == (
        3,
        ("https://a/",),
        ("Ship",),
        ("Yard",),
    )
    assert (options.rare, options.blocked, options.lang, options.hops) == (0.2, ("cargo",), ("de",), 1)
    assert (options.theta, options.workers, options.max_seeds, options.seed_limit) == (5, 4, 9, 9)
    assert options.turns == Options().turns


def test_forms_not_named_keep_their_proportions():
    shares = dict(parse_mix(["count=55"]))
    assert shares["count"] == 55
    assert sum(shares.values()) == pytest.approx(100)
    assert shares["lookup"] / shares["boolean"] == pytest.approx(5)
    assert parse_mix([]) == DEFAULT_MIX
    assert dict(parse_mix(["lookup=0", "date=10%"]))["date"] == 10


def test_shares_of_nothing_are_refused():
    with pytest.raises(ConfigError, match="no form has a share"):
        complete_mix({form: 0.0 for form, _ in DEFAULT_MIX})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("bolean=3", "--mix: unknown form 'bolean'; did you mean boolean"),
        ("count", "'count' is not of the form count=20"),
        ("count=-1", "'count=-1' is not of the form count=20"),
        ("count=many", "'count=many' is not of the form"),
    ],
)
def test_a_mix_that_cannot_be_meant_is_refused(given, said):
    with pytest.raises(ConfigError, match=said):
        parse_mix([given])


def test_shares_of_popularity_sum_to_one():
    assert parse_popularity("tail=3, head=1") == (("head", 0.25), ("tail", 0.75))
    assert parse_popularity("") == ()
    assert parse_popularity("tail=100") == (("tail", 1.0),)
    for wrong in ("heat=1", "head=1,head=2", "head", "head=0"):
        with pytest.raises(ConfigError, match="popularity"):
            parse_popularity(wrong)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"min_triples": 9, "max_triples": 8}, "min_triples=9 is more than max_triples=8"),
        ({"shape": "chain", "hops": 1}, "shape=chain .* needs hops=2"),
    ],
)
def test_contradictions_are_refused(given, said):
    with pytest.raises(ConfigError, match=said):
        parse_options({**NOTHING, **given})


def test_seeds_come_from_lines_of_several_kinds(tmp_path: Path):
    path = tmp_path / "seeds.txt"
    lines = [
        "# ours", "https://x.example/a", "<https://x.example/b>", "", '"https://x.example/c"',
        json.dumps({"benchmark": {}}), json.dumps({"iri": "https://x.example/d"}),
        json.dumps({"id": "d1", "seed": {"iri": "https://x.example/e"}, "turns": []}), "https://x.example/a",
    ]  # fmt: skip
    path.write_text("\n".join(lines), encoding="utf-8")
    assert [iri[-1] for iri in read_seeds(path)] == list("abcde")
    options = parse_options({**NOTHING, "seeds": path})
    assert (options.dialogues, len(options.seeds)) == (5, 5)
    assert parse_options({**NOTHING, "seeds": path, "dialogues": 2}).dialogues == 2
    assert options.to_header()["seeds"]["number"] == 5
    with pytest.raises(ConfigError, match="no_type has nothing to choose from"):
        parse_options({**NOTHING, "seeds": path, "no_type": ("Ship",)})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "names no entity"),
        ("https://x.example/a\nJuno", "line 2: no IRI: Juno"),
        ("{broken", "line 1: no JSON"),
        ('{"iri": ' * 50_000, "line 1: no JSON: nested too deeply"),
        ('{"name": "Juno"}', "line 1: no IRI"),
        ("https://x.example/a b", "line 1: no IRI"),
    ],
)
def test_seeds_that_are_no_iris_are_told_by_their_line(tmp_path: Path, text, said):
    path = tmp_path / "seeds.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=said):
        read_seeds(path)


class Named:
    """A model that replies with its name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def complete(self, request: Request) -> Completion:
        if self.name == "shy":
            raise ModelRefused("no", model=self.name)
        return Completion(self.name, Usage(1))


def test_each_stage_has_its_model():
    model = open_stage_models(["big", "queries=code", "labels=small"], Named)
    assert model.name == "big, queries=code, labels=small"
    agents = (
        "generate/questions",
        "generate/query",
        "generate/binding",
        "generate/label",
        "generate/plan_verbalization",
    )
    told = [model.complete(Request(agent, ())).text for agent in agents]
    assert told == ["big", "code", "code", "small", "big"]
    talk = open_stage_models(["dialogues=talk"], Named)
    texts = [talk.complete(Request(f"generate/{a}", ())).text for a in ("plan_verbalization", "dialogue")]
    assert texts == ["talk", "talk"]
    assert talk.complete(Request("generate/questions_only", ())).text == "rules"


def test_one_model_for_all_stages_is_itself():
    assert isinstance(open_stage_models(["openai:a=b"], Named), Named)
    assert open_stage_models([], Named).name == "rules"


@pytest.mark.parametrize(
    ("specs", "said"),
    [
        (["question=big"], "unknown stage 'question'; did you mean questions"),
        (["a", "b"], "two models for all stages"),
        (["queries=a", "queries=b"], "two models for queries"),
    ],
)
def test_stages_that_cannot_be_meant_are_refused(specs, said):
    with pytest.raises(ConfigError, match=said):
        open_stage_models(specs, Named)
