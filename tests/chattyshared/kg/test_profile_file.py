"""The file of a profile: written whole, edited by people, read back."""

from pathlib import Path
from random import Random

import pytest
from chattyshared.endpoint.connection_options import ConnectionOptions
from chattyshared.errors import ConfigError, QueryRejected, UnsafeQuery
from chattyshared.kg.factory import open_kg
from chattyshared.kg.profile_detection import detect_profile_with_statistics
from chattyshared.kg.profile_file import ProfileSettings, profile_file_to_json, read_profile, render_profile
from chattyshared.profile import Profile

TURTLE = """
@prefix e: <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
e:a a e:Kiln ; rdfs:label "Old kiln"@en ; e:nick "Smoky" ; e:code "K-17-A" .
e:b a e:Kiln ; rdfs:label "New kiln"@en ; e:nick "Bright" ; e:code "K-18-B" .
"""


@pytest.fixture
def kiln(tmp_path):
    (tmp_path / "kiln.ttl").write_text(TURTLE)
    return str(tmp_path / "kiln.ttl")


def test_what_is_written_is_read_back(tmp_path):
    profile = Profile(
        ("http://e/a\"b\\", "http://e/é"), (), ("en", ""), frozenset({"http://e/z", "http://e/y"}), frozenset(),
        (("http://e/K", "http://e/n"),), ("http://e/is",), (), (),
        (("http://e/K", 'old "kiln"'), ("http://e/n", "name")),
    )  # fmt: skip
    path = tmp_path / "p.toml"
    path.write_text("\n".join(render_profile(profile, timeout=12.5, notes=["a\nb", "x = 1"])))
    found = read_profile(path)
    assert (found.apply_to(Profile()), found.is_complete, found.timeout, found.per_second) == (
        profile,
        True,
        12.5,
        None,
    )
    assert path.read_text().startswith("# a b\n# x = 1\n[kg]\n")


def test_a_whole_profile_spares_the_detection_and_reads_the_same(tmp_path, kiln):
    detected = open_kg([kiln])
    path = tmp_path / "p.toml"
    path.write_text("\n".join(render_profile(detected.profile)))
    stated = open_kg([kiln], connection=ConnectionOptions(profile_path=path))
    assert stated.profile == detected.profile == detect_profile_with_statistics(detected.endpoint)[1]
    assert stated.types() == detected.types()


def test_names_are_what_people_call_things_and_are_not_detected(tmp_path, kiln):
    path = tmp_path / "p.toml"
    path.write_text('[kg.names]\n"http://e/Kiln" = "oven"\n')
    kg = open_kg([kiln], connection=ConnectionOptions(profile_path=path))
    assert (kg.spoken_names["http://e/Kiln"], kg.vocabulary.classes["http://e/Kiln"].label) == ("oven", "oven")
    assert profile_file_to_json(path) == {"names": [["http://e/Kiln", "oven"]]}
    assert kg.profile.digest != open_kg([kiln]).profile.digest


def test_what_is_left_out_is_detected(tmp_path, kiln):
    path = tmp_path / "p.toml"
    path.write_text('[kg]\nlabels = ["http://e/nick"]\n[endpoint]\nmax-requests-per-second = 5\ntimeout = 7\n')
    assert read_profile(path) == ProfileSettings({"labels": ("http://e/nick",)}, 7.0, 5.0)
    kg = open_kg([kiln], connection=ConnectionOptions(profile_path=path))
    assert "Smoky" in kg.labels(kg.sample_entities("http://e/Kiln", rng=Random(0), limit=9)).values()
    assert kg.profile.languages == open_kg([kiln]).profile.languages


def test_functions_that_it_names_may_be_called(tmp_path, kiln, sparql_server):
    path = tmp_path / "p.toml"
    path.write_text('[endpoint]\nfunctions = ["bif:", "http://e/fn#"]\n')
    assert read_profile(path).functions == ("bif:", "http://e/fn#")
    assert (profile_file_to_json(path), profile_file_to_json(None)) == ({"functions": ["bif:", "http://e/fn#"]}, {})
    query = "SELECT ?s { ?s ?p ?o FILTER(<bif:floor>(?o) > 1) }"
    for source in (kiln, sparql_server(TURTLE).url):
        with pytest.raises(UnsafeQuery, match="calls a function that is not allowed: bif:floor"):
            open_kg([source]).endpoint.untrusted_view().select(query)
        with pytest.raises(QueryRejected, match="The custom function <bif:floor> is not supported"):
            open_kg([source], connection=ConnectionOptions(profile_path=path)).endpoint.untrusted_view().select(query)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[kgs]", "unknown key 'kgs'; did you mean kg?"),
        ("kg = 1", "kg and endpoint are tables, as in [kg]"),
        ('[kg]\nlabel = ["x"]', "unknown key 'label' in [kg]; did you mean labels or alt-labels or type-labels?"),
        ('[kg]\nlabels = "x"', "labels is an array of texts"),
        ("[kg]\ntypes = []", "types names at least one"),
        (
            '[kg.names]\n"http://e/n" = "a\\nb"',
            "names is a table of a class's or predicate's IRI and what people call it",
        ),
        ('[kg.names]\n"http://e/n" = " "', "names is a table of a class's or predicate's IRI"),
        ("[kg.type-labels]\na = 1", "type-labels is a table of a class's IRI and a predicate's IRI"),
        ("[endpoint]\ntimeout = 0", "timeout is a number above 0"),
        ("[endpoint]\ntimeout = true", "timeout is a number above 0"),
        ("[endpoint]\nfunctions = 5", "functions is an array of texts"),
        ('[endpoint]\nfunctions = [""]', "functions: '' is no beginning of an IRI"),
        ('[endpoint]\nfunctions = ["fn#"]', "functions: 'fn#' is no beginning of an IRI"),
        ("[kg", "is no TOML: "),
        ("[kg]\nlabels = " + "[" * 50_000, "is no TOML: nested too deeply"),
        ("[endpoint]\ntimeout = 1" + "0" * 400, "timeout is a number above 0"),
    ],
)
def test_what_is_no_profile(tmp_path, text, said):
    path = tmp_path / "p.toml"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        read_profile(path)
    assert str(caught.value).startswith(str(path)) and said in str(caught.value)


def test_no_file(tmp_path):
    with pytest.raises(ConfigError, match="cannot read .*No such file"):
        read_profile(tmp_path / "none.toml")


def test_a_label_by_a_path_names_things(tmp_path: Path):
    (tmp_path / "trees.ttl").write_text(
        "@prefix : <urn:x:> . :t a :Tree ; :hasName [ :text 'Oak' ] ; :height 30 .", encoding="utf-8"
    )
    (tmp_path / "profile.toml").write_text(
        '[kg]\nlabels = ["urn:label"]\npaths = { "urn:label" = "<urn:x:hasName>/<urn:x:text>" }\n', encoding="utf-8"
    )
    kg = open_kg([str(tmp_path / "trees.ttl")], connection=ConnectionOptions(profile_path=tmp_path / "profile.toml"))
    assert [hit.iri for hit in kg.search(["oak"])["oak"]] == ["urn:x:t"]


@pytest.mark.parametrize("path", ["<urn:x:a> . ?s ?p ?o", "urn:x:a", "<relative>"])
def test_what_is_no_property_path_is_refused(tmp_path: Path, path: str):
    (tmp_path / "profile.toml").write_text(f'[kg]\npaths = {{ "urn:label" = "{path}" }}\n', encoding="utf-8")
    with pytest.raises(ConfigError, match="property paths"):
        read_profile(tmp_path / "profile.toml")
