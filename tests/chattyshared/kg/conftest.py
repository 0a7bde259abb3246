from collections.abc import Callable
from pathlib import Path

import pytest
from chattyshared.endpoint.local import LocalEndpoint

PREFIXES = """@prefix : <http://ex.org/r/> .
@prefix v: <http://ex.org/v#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""

PLACES = r"""
v:City a owl:Class ; rdfs:label "city"@en , "Stadt"@de ; rdfs:subClassOf v:Place .
v:Place a owl:Class ; rdfs:label "place"@en ; rdfs:subClassOf v:Thing .
v:Thing rdfs:subClassOf v:Place .
v:country a owl:ObjectProperty ; rdfs:label "country"@en ; rdfs:comment "Where it lies."@en ;
  rdfs:domain v:City ; rdfs:range v:Country .
<http://ex.org/onto> a owl:Ontology ; rdfs:label "places" ; dct:creator :Anna .

:Paris a v:City ; rdfs:label "Paris"@en , "Paris"@fr ; v:country :France ;
  v:population 2100000 ; v:founded "0250"^^xsd:gYear ;
  v:code "PAR-0001" ; foaf:depiction <http://ex.org/paris.jpg> .
:ParisTexas a v:City ; rdfs:label "Paris (Texas)"@en ; v:country :USA ;
  v:population 24000 ; v:founded "1844"^^xsd:gYear ;
  v:code "PAR-0002" .
:Koeln a v:City ; rdfs:label "Köln"@de , "Cologne"@en ; skos:altLabel "Colonia" ; v:country :Germany ;
  v:population 1080000 ;
  v:code "COL-0001" ; v:opened "1880-10-15"^^xsd:date ; v:note [ v:text "blank" ] .
:Quote a v:City ; rdfs:label "The \"Big\" Apple\\Pie"@en ; v:country :USA ; v:code "QUO-0001" ; v:motto "Always on" .
:France a v:Country ; rdfs:label "France"@en , "Frankreich"@de .
:Germany a v:Country ; rdfs:label "Germany"@en , "Deutschland"@de .
:USA a v:Country ; rdfs:label "United States"@en ; skos:altLabel "US" .
:Anna a v:Person ; rdfs:label "Anna Álvarez" ; v:born :Koeln ; v:visited :Paris , :Koeln , :Lonely_Island .
"""


@pytest.fixture
def turtle(tmp_path: Path) -> Callable[[str], LocalEndpoint]:
    """Make an endpoint of a Turtle text; the prefixes are there already."""

    def make(text: str, name: str = "kg.ttl") -> LocalEndpoint:
        path = tmp_path / name
        path.write_text(PREFIXES + text, encoding="utf-8")
        return LocalEndpoint([path])

    return make


@pytest.fixture
def places(turtle: Callable[[str], LocalEndpoint]) -> LocalEndpoint:
    return turtle(PLACES)
