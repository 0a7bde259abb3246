"""A small graph of workshops, made here: machines with prices and sizes as nodes, courses with rows of enrolments, and
members with dated contracts."""

from __future__ import annotations

from ship_graph import PREFIXES

MACHINES = ("Anvil", "Borer", "Clamp", "Drill", "Edger", "Forge", "Grinder", "Hammer", "Iron Saw", "Jointer")
MEMBERS = ("Ada Finch", "Bo Marsh", "Cleo Hart", "Dan Reed", "Eve Stone", "Finn Wells", "Gus Park", "Hal Moss")
COURSES = ("Welding", "Turning", "Joinery", "Casting")
WORKSHOPS = ("North Hall", "River Shed", "Old Mill")


def iri(name: str) -> str:
    """Return the local name of an entity."""
    return name.replace(" ", "_")


def workshops() -> str:
    """Return the graph as Turtle. Ada Finch has two contracts, and that of Bo Marsh has ended."""
    names = ("machine", "member", "course", "workshop", "contract", "enrolment", "price", "size")
    labels = {name.capitalize(): name for name in names} | {
        "price": "price", "size": "length", "in": "workshop", "amount": "amount", "currency": "currency",
        "value": "value", "unit": "unit", "built": "year of construction", "participant": "participant",
        "course": "course", "holder": "holder", "workshop": "workshop", "wage": "wage", "start": "start date",
        "end": "end date", "born": "date of birth", "hours": "number of hours", "seats": "capacity",
    }  # fmt: skip
    lines = [PREFIXES, *(f'v:{name} rdfs:label "{label}"@en .' for name, label in labels.items())]
    lines += [
        f':{iri(name)} a v:Workshop ; rdfs:label "{name}" ; v:seats {20 + 7 * n} .' for n, name in enumerate(WORKSHOPS)
    ]
    lines += [
        f':{iri(name)} a v:Course ; rdfs:label "{name}" ; v:hours {12 + n} ; v:start "202{n}-03-01"^^xsd:date .'
        for n, name in enumerate(COURSES)
    ]
    for n, name in enumerate(MACHINES):
        price, amount = f":price-{n}", f"{n + 3}.25"
        lines += [
            f':{iri(name)} a v:Machine ; rdfs:label "{name}" ; v:price {price} ; v:size :{iri(name)}-size ;',
            f"  v:built {1990 + 3 * n} ; v:in :{iri(WORKSHOPS[n % 3])} .",
            f'{price} a v:Price ; rdfs:label "{amount} EUR" ; v:amount {amount} ; v:currency "EUR" .',
            f':{iri(name)}-size a v:Size ; v:value {40 + 5 * n} ; v:unit "cm" .',
        ]
    for n, name in enumerate(MEMBERS):
        lines.append(f':{iri(name)} a v:Member ; rdfs:label "{name}" ; v:born "19{60 + n}-05-1{n}"^^xsd:date .')
        for course in {n % 4, (n + 1) % 4} if n % 2 else {n % 4}:
            lines.append(
                f":e{n}-{course} a v:Enrolment ; v:participant :{iri(name)} ; v:course :{iri(COURSES[course])} ."
            )
        lines.append(_contract(f"c{n}", name, WORKSHOPS[n % 3], 2000 + n, 'v:end "2012-01-31"^^xsd:date ;' * (n == 1)))
    lines.append(_contract("c99", MEMBERS[0], WORKSHOPS[1], 2015, ""))
    return "\n".join(lines)


def _contract(name: str, holder: str, workshop: str, year: int, end: str) -> str:
    return (
        f":{name} a v:Contract ; v:holder :{iri(holder)} ; v:workshop :{iri(workshop)} ; {end} "
        f'v:wage {year + 500} ; v:start "{year}-02-01"^^xsd:date .'
    )
