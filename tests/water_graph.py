"""Rivers, canals and towns as Wikibase would have them: opaque IRIs, labels in two languages, no ``rdf:type``."""

from __future__ import annotations

PREFIXES = """
@prefix q: <https://waters.example/entity/Q> .
@prefix p: <https://waters.example/prop/P> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
PREDICATES = {
    1: ("instance of", "ist ein(e)"), 2: ("subclass of", "Unterklasse von"), 3: ("flows through", "fließt durch"),
    4: ("length in kilometres", "Länge in Kilometern"), 5: ("date of first survey", "Datum der ersten Vermessung"),
    6: ("country", "Staat"), 7: ("flows into", "mündet in"), 8: ("number of bridges", "Anzahl der Brücken"),
    9: ("population", "Einwohnerzahl"), 10: ("mayor", "Bürgermeister"), 11: ("founded", "gegründet"),
    12: ("date of birth", "Geburtsdatum"), 13: ("birthplace", "Geburtsort"), 14: ("patron", "Schirmherr"),
}  # fmt: skip
CLASSES = {
    100: ("watercourse", "Wasserlauf"), 101: ("river", "Fluss"), 102: ("canal", "Kanal"), 103: ("town", "Stadt"),
    104: ("country", "Staat"), 105: ("person", "Person"),
}  # fmt: skip
RIVERS = ("Ammel", "Brede", "Corve", "Dunnel", "Elsta", "Farn", "Gilde", "Hember")
CANALS = ("Upper Cut", "Market Canal", "Old Reach", "Salt Line")
TOWNS = ("Avingen", "Bruchstede", "Colmar Bridge", "Dornhafen", "Eschwald", "Fahrdorf")
COUNTRIES = ("Norland", "Suderland")
PEOPLE = ("Ottilie Brand", "Jonas Riem", "Petra Hald", "Viktor Lohmeyer", "Carla Wend", "Theo Anker")


def waters(types: str = "p:1", subclasses: str = "p:2") -> str:
    """Return the graph as Turtle; ``types`` and ``subclasses`` are the predicates that state classes."""
    lines = [PREFIXES]
    lines += [f'p:{n} rdfs:label "{en}"@en , "{de}"@de .' for n, (en, de) in PREDICATES.items()]
    lines += [f'q:{n} rdfs:label "{en}"@en , "{de}"@de .' for n, (en, de) in CLASSES.items()]
    lines += [f"q:{below} {subclasses} q:100 ." for below in (101, 102)]
    for place, name in enumerate(COUNTRIES):
        lines.append(f'q:{200 + place} {types} q:104 ; rdfs:label "{name}"@en , "{name}"@de .')
    for place, name in enumerate(PEOPLE):
        lines.append(f'q:{300 + place} {types} q:105 ; rdfs:label "{name}"@en , "{name}"@de ; p:13 q:{400 + place} ;')
        lines.append(f'  p:12 "19{50 + 7 * place}-0{place + 1}-1{place}"^^xsd:date ; p:6 q:{200 + place % 2} .')
    for place, name in enumerate(TOWNS):
        lines.append(f'q:{400 + place} {types} q:103 ; rdfs:label "{name}"@en , "{name}"@de ;')
        lines.append(f'  p:6 q:{200 + place % 2} ; p:11 "1{place + 2}07"^^xsd:gYear ;')
        lines.append(f"  p:9 {9000 + 1375 * place} ; p:10 q:{300 + (place + 1) % 6} .")
    for place, name in enumerate(RIVERS + CANALS):
        kind, towns = 101 if name in RIVERS else 102, {place % 6, (place * place + 1) % 6}
        through = " , ".join(f"q:{400 + town}" for town in sorted(towns))
        into = f" ; p:7 q:{500 + place - 1}" if place % 3 else ""
        lines.append(f'q:{500 + place} {types} q:{kind} ; rdfs:label "{name}"@en , "{name}"@de ; p:3 {through} ;')
        lines.append(
            f"  p:4 {40 + 31 * place} ; p:8 {3 + place} ; p:14 q:{300 + place % 6} ; p:6 q:{200 + place % 2} ;"
        )
        lines.append(f'  p:5 "18{10 + 5 * place}-0{place % 9 + 1}-20"^^xsd:date{into} .')
    return "\n".join(lines)


TYPED = waters("rdf:type", "rdfs:subClassOf")
"""The same graph with the predicates of RDF and RDF Schema."""
