"""Peoples and their countries ("Danish" -> Denmark): a general table, for graphs that know only one of the two."""

from __future__ import annotations

_TABLE = """
Afghan Afghanistan | Albanian Albania | Algerian Algeria | American United-States | Angolan Angola | Argentine
Argentina | Argentinian Argentina | Armenian Armenia | Australian Australia | Austrian Austria | Azerbaijani
Azerbaijan | Bangladeshi Bangladesh | Belarusian Belarus | Belgian Belgium | Bolivian Bolivia | Bosnian
Bosnia-and-Herzegovina | Brazilian Brazil | British United-Kingdom | Bulgarian Bulgaria | Burmese Myanmar |
Cambodian Cambodia | Cameroonian Cameroon | Canadian Canada | Chilean Chile | Chinese China | Colombian Colombia
| Congolese Congo | Croatian Croatia | Cuban Cuba | Cypriot Cyprus | Czech Czech-Republic | Danish Denmark |
Dutch Netherlands | Ecuadorian Ecuador | Egyptian Egypt | English England | Estonian Estonia | Ethiopian
Ethiopia | European Europe | Filipino Philippines | Finnish Finland | French France | Georgian Georgia | German
Germany | Ghanaian Ghana | Greek Greece | Guatemalan Guatemala | Haitian Haiti | Hungarian Hungary | Icelandic
Iceland | Indian India | Indonesian Indonesia | Iranian Iran | Iraqi Iraq | Irish Ireland | Israeli Israel |
Italian Italy | Jamaican Jamaica | Japanese Japan | Jordanian Jordan | Kazakh Kazakhstan | Kenyan Kenya | Korean
South-Korea | Kuwaiti Kuwait | Latvian Latvia | Lebanese Lebanon | Libyan Libya | Lithuanian Lithuania |
Macedonian North-Macedonia | Malaysian Malaysia | Maltese Malta | Mexican Mexico | Moldovan Moldova | Mongolian
Mongolia | Moroccan Morocco | Nepalese Nepal | Nigerian Nigeria | Norwegian Norway | Pakistani Pakistan |
Palestinian Palestine | Panamanian Panama | Paraguayan Paraguay | Peruvian Peru | Polish Poland | Portuguese
Portugal | Romanian Romania | Russian Russia | Saudi Saudi-Arabia | Scottish Scotland | Senegalese Senegal |
Serbian Serbia | Singaporean Singapore | Slovak Slovakia | Slovenian Slovenia | Somali Somalia | Spanish Spain |
Sudanese Sudan | Swedish Sweden | Swiss Switzerland | Syrian Syria | Taiwanese Taiwan | Thai Thailand | Tunisian
Tunisia | Turkish Turkey | Ugandan Uganda | Ukrainian Ukraine | Uruguayan Uruguay | Uzbek Uzbekistan |
Venezuelan Venezuela | Vietnamese Vietnam | Welsh Wales | Yemeni Yemen | African Africa | Asian Asia
"""

COUNTRIES_BY_DEMONYM: dict[str, str] = {
    demonym.lower(): country.replace("-", " ")
    for demonym, country in (entry.split() for entry in _TABLE.replace("\n", " ").split("|"))
}
"""Adjective, in lower case, to country."""
