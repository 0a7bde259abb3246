"""Three small invented graphs, and word pairs over them: which names of the graph a question means by other words."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg

_PREFIXES = """
@prefix : <http://pairs.example/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""
_GRAPHS = {
    "press": """
:Novel rdfs:label "novel" . :Painter rdfs:label "painter" . :Composer rdfs:label "composer" .
:Movie rdfs:label "movie" . :Attorney rdfs:label "attorney" . :Character rdfs:label "character" .
:Magazine rdfs:label "magazine" . :deathPlace rdfs:label "death place" .
:isThick rdfs:label "thickness" . :purchased rdfs:label "purchase date" .
:n1 a :Novel ; rdfs:label "The Mill" ; :writer :p1 ; :narrator :p2 ; :cost 12 ; :isThick 3 ; :character :c1 ;
  :address "A speech to the reader" ; :discoveryDate "1950-01-01"^^xsd:date ; :championship "none" ; :language "Ido" .
:m1 a :Movie ; rdfs:label "Old Salt" ; :writer :p2 ; :cost 9000 ; :drama "yes" ; :principal "Mo" ; :command "none" .
:p1 a :Painter ; rdfs:label "Ann Moe" ; :spouse :p2 ; :income 900 ; :deathPlace :v1 ; :heir :p3 ; :student :p3 .
:p2 a :Composer ; rdfs:label "Bo Lind" ; :income 700 ; :spouse :p1 ; :teacher :p1 .
:c1 a :Character ; rdfs:label "Tib" .
:p3 a :Attorney ; rdfs:label "Cy Holm" ; :child :p1 . :v1 a :Village ; rdfs:label "Vik" .
:g1 a :Magazine ; rdfs:label "Tide" ; :purchased "1999-01-01"^^xsd:date ; :editor :p3 .
""",
    "clinic": """
:Physician rdfs:label "physician" . :Patient rdfs:label "patient" . :Illness rdfs:label "illness" .
:Medicine rdfs:label "medicine" . :Child rdfs:label "child" . :Slope rdfs:label "slope" .
:d1 a :Physician ; rdfs:label "Ida Berg" ; :salary 500 ; :height 170 ; :dwelling :s1 ; :assistant :d2 ; :phone "12" .
:d2 a :Physician ; rdfs:label "Ole Dahl" ; :salary 400 ; :height 180 ; :dwelling :s1 ; :grade "A" .
:k1 a :Patient ; rdfs:label "Una Roe" ; :physician :d1 ; :illness :i1 ; :torso "slim" ; :tie "red" ; :mind "calm" .
:k2 a :Child ; rdfs:label "Per Roe" ; :physician :d1 ; :operation "hip" ; :admissionDate "2001-02-03"^^xsd:date .
:i1 a :Illness ; rdfs:label "Fen Fever" ; :remedy :h1 ; :symptom "cough" . :h1 a :Medicine ; rdfs:label "Zeldrin" .
:h1 :dose 5 ; :footrace "no" ; :fund 100 . :s1 a :Slope ; rdfs:label "Mill Bank" ; :fountain "two" .
""",
    "garage": """
:Car rdfs:label "car" . :Motorcycle rdfs:label "motorcycle" . :Mechanic rdfs:label "mechanic" .
:Store rdfs:label "store" . :Customer rdfs:label "customer" . :Factory rdfs:label "factory" .
:repairDate rdfs:label "repair date" . :purchaseDate rdfs:label "purchase date" . :startDate rdfs:label "start date" .
:completionDate rdfs:label "completion date" .
:a1 a :Car ; rdfs:label "Volta 5" ; :price 900 ; :weight 1200 ; :speed 140 ; :proprietor :u1 ;
  :repairDate "2020-01-02" ; :purchaseDate "2019-01-01"^^xsd:date ;
  :purchaser :u1 ; :vendor :s1 ; :factory :f1 ; :mold "steel" ; :exit "left" .
:a2 a :Motorcycle ; rdfs:label "Hare" ; :price 300 ; :weight 200 ; :speed 90 ; :peak "none" ; :factory :f1 .
:w1 a :Mechanic ; rdfs:label "Liv Ek" ; :startDate "2010-01-01"^^xsd:date . :u1 a :Customer ; rdfs:label "Tor Ny" .
:f1 a :Factory ; rdfs:label "Works One" ; :completionDate "1960-01-01"^^xsd:date ; :volume 20 ; :accusation "none" .
:s1 a :Store ; rdfs:label "Ek Motors" ; :escort "none" ; :stage "two" .
""",
}


@pytest.fixture(scope="session")
def pair_graph(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], KnowledgeGraph]:
    """Open one of the three graphs by its name."""

    @cache
    def open_graph(name: str) -> KnowledgeGraph:
        path = tmp_path_factory.mktemp("pairs") / f"{name}.ttl"
        path.write_text(_PREFIXES + _GRAPHS[name], encoding="utf-8")
        return open_kg([str(path)])

    return open_graph
