"""A small graph of shipping lines, made here: fleets whose ships differ in length, launch, port and cargo."""

from __future__ import annotations

from ship_graph import PREFIXES

LINES = ("Harker Line", "Osprey Shipping", "Tern & Sons", "Vega Freight", "Wren Brothers", "Zenith Carriers")
PORTS = ("Aldmouth", "Brackwater", "Coldharbor", "Dunsea")
CARGOES = ("barley", "coal", "salt")
YARDS = ("Holm Works", "Ness Yard")


def name(text: str) -> str:
    """Return the local name of an entity."""
    return "".join(letter for letter in text if letter.isalnum())


def fleets() -> str:
    """Return the graph as Turtle: each line has seven ships; every third line has no motto, every second no founder."""
    lines = [
        PREFIXES,
        'v:Line rdfs:label "shipping line"@en . v:Vessel rdfs:label "vessel"@en . v:Port rdfs:label "port"@en .',
    ]
    labels = {"operator": "operator", "registeredIn": "port of registry", "launched": "launch date", "seat": "seat"}
    labels |= {
        "length": "length in meters",
        "carries": "cargo",
        "tons": "tonnage",
        "lies": "country",
        "founder": "founded by",
        "yard": "built by",
    }
    lines += [f'v:{one} rdfs:label "{label}"@en .' for one, label in labels.items()]
    for place, port in enumerate(PORTS):
        lines.append(f':{port} a v:Port ; rdfs:label "{port}"@en ; v:depth {9 + place} ; v:berths {20 + 7 * place} ;')
        lines.append(f'  v:opened "18{20 + 9 * place}-04-02"^^xsd:date .')
    for place, line in enumerate(LINES):
        lines.append(f':{name(line)} a v:Line ; rdfs:label "{line}"@en ; v:seat :{PORTS[place % 4]} ;')
        lines.append(f'  v:founded "18{51 + 5 * place}-01-0{place + 1}"^^xsd:date ; v:employees {310 + 45 * place} ;')
        lines.append(f'  v:color "{("red", "blue", "green", "white")[place % 4]}"@en')
        lines.append("" if place % 3 == 0 else f'; v:motto "Onward {"abcdef"[place]}"@en')
        lines.append(" ." if place % 2 else f'; v:chairman "Mr {line.split()[0]}" .')
        for number in range(7):
            ship, at = (
                f"{line.split()[0]} {('Dawn', 'Dusk', 'Gale', 'Mist', 'Rain', 'Star', 'Tide')[number]}",
                7 * place + number,
            )
            lines.append(f':{name(ship)} a v:Vessel ; rdfs:label "{ship}"@en ; v:operator :{name(line)} ;')
            lines.append(f"  v:length {60 + 11 * ((at * 5) % 42)} ; v:tons {900 + 130 * ((at * 11) % 42)} ;")
            lines.append(f'  v:launched "19{10 + at}-06-1{number}"^^xsd:date ; v:registeredIn :{PORTS[at % 4]} ;')
            lines.append(f'  v:yard "{YARDS[at % 2]}"@en ; v:carries "{CARGOES[at % 3]}"@en .')
    return "\n".join(lines)
