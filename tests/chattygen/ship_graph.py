"""A small graph of ships, made here: captains with genders, harbors in two languages, shipyards too thin for seeds."""

from __future__ import annotations

PREFIXES = """
@prefix : <https://ships.example/> .
@prefix v: <https://ships.example/vocab/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
"""
VOCABULARY = """
v:Ship a owl:Class ; rdfs:label "Ship"@en .
v:Captain a owl:Class ; rdfs:label "Captain"@en ; rdfs:subClassOf v:Person .
v:Person a owl:Class ; rdfs:label "Person"@en .
v:Harbor a owl:Class ; rdfs:label "Harbor"@en ; rdfs:subClassOf v:Place .
v:Place a owl:Class ; rdfs:label "Place"@en .
v:Shipyard a owl:Class ; rdfs:label "Shipyard"@en .
v:commandedBy rdfs:label "commanded by"@en .
v:builder rdfs:label "builder"@en .
v:homePort rdfs:label "home port"@en .
v:launchDate rdfs:label "launch date"@en .
v:length_m rdfs:label "length (m)"@en .
v:cargo rdfs:label "cargo"@en .
v:registration rdfs:label "registration"@en .
v:motto rdfs:label "motto"@en .
v:birthPlace rdfs:label "birth place"@en .
v:birthDate rdfs:label "date of birth"@en .
v:gender rdfs:label "gender"@en .
v:rank rdfs:label "rank"@en .
v:founded rdfs:label "founded"@en .
v:locatedIn rdfs:label "located in"@en .
"""
SHIPS = ("Albatross", "Borealis", "Cormorant", "Dolphin", "Esperanza", "Fulmar", "Gannet", "Halcyon", "Iris", "Juno")
CAPTAINS = ("Ada Holt", "Ben Marsh", "Cleo Quist", "Dan Frey", "Eve Lund")
HARBORS = ("Westhaven", "Gullwick", "Saltmouth")
CARGOES = ("timber", "grain", "wool", "copper", "tea")


def name(text: str) -> str:
    """Return the local name of an entity."""
    return text.replace(" ", "_")


def ships() -> str:
    """Return the graph as Turtle."""
    lines = [PREFIXES, VOCABULARY]
    for place, harbor in enumerate(HARBORS):
        lines.append(f':{harbor} a v:Harbor ; rdfs:label "{harbor}"@en , "{harbor}hafen"@de ; v:depth {place + 9} .')
    for place, yard in enumerate(("Holm Works", "North Yard")):
        where = HARBORS[place]
        lines.append(f':{name(yard)} a v:Shipyard ; rdfs:label "{yard}"@en ; v:founded "{1801 + place}"^^xsd:gYear ;')
        lines.append(f'  v:locatedIn :{where} ; v:motto "Built to last"@en .')
    for place, captain in enumerate(CAPTAINS):
        gender = "female" if place % 2 == 0 else "male"
        lines.append(f':{name(captain)} a v:Captain ; rdfs:label "{captain}"@en ; v:gender "{gender}" ;')
        lines.append(f'  v:birthPlace :{HARBORS[place % 3]} ; v:birthDate "18{40 + place}-03-0{place + 1}"^^xsd:date ;')
        lines.append(f'  v:rank "{"commodore" if place else "admiral"}"@en .')
    for place, ship in enumerate(SHIPS):
        lines.append(f':{ship} a v:Ship ; rdfs:label "{ship}"@en ; v:commandedBy :{name(CAPTAINS[place % 5])} ;')
        lines.append(
            f"  v:builder :{name(('Holm Works', 'North Yard')[place % 2])} ; v:homePort :{HARBORS[place % 3]} ;"
        )
        lines.append(f'  v:launchDate "18{60 + place}-05-1{place}"^^xsd:date ; v:length_m {40 + 3 * place} ;')
        lines.append(f'  v:cargo "{CARGOES[place % 5]}"@en , "{CARGOES[(place + 2) % 5]}"@en ;')
        lines.append(f'  v:registration "REG-{place}77X{place}" .')
    return "\n".join(lines)
