"""Graphs for the conversations of ``talks.txt``, one a domain: labels of several kinds, names of several fashions."""

from __future__ import annotations

CINEMA = """
@prefix : <http://example.org/> .
@prefix v: <http://example.org/v/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
v:Film a rdfs:Class ; rdfs:label "film"@en . v:Person a rdfs:Class ; rdfs:label "person"@en .
  v:Studio a rdfs:Class ; rdfs:label "studio"@en . v:City a rdfs:Class ; rdfs:label "city"@en .
v:Actor a rdfs:Class ; rdfs:subClassOf v:Person ; rdfs:label "actor"@en .
v:director rdfs:label "director"@en . v:starring rdfs:label "starring"@en .
  v:runtime rdfs:label "runtime"@en . v:releaseDate rdfs:label "release date"@en .
v:musicComposer rdfs:label "music composer"@en . v:budget rdfs:label "budget"@en .
  v:birthDate rdfs:label "birth date"@en . v:birthPlace rdfs:label "birth place"@en .
v:deathDate rdfs:label "death date"@en .
v:spouse rdfs:label "spouse"@en . v:child rdfs:label "child"@en . v:gender rdfs:label "gender"@en .
  v:height rdfs:label "height"@en . v:studio rdfs:label "studio"@en .
  v:population rdfs:label "population"@en . v:writer rdfs:label "writer"@en .
:silver a v:Film ; rdfs:label "Silver Tide"@en ; v:director :vane ; v:starring :ode, :kern ; v:runtime 120 ;
  v:releaseDate "1988-03-01"^^xsd:date ; v:musicComposer :bell ; v:budget 5000000 ; v:studio :arc .
:glass a v:Film ; rdfs:label "Glass Orchard"@en ; v:director :vane ; v:starring :ode ; v:runtime 95 ;
  v:releaseDate "1993-06-11"^^xsd:date ; v:budget 700000 ; v:studio :arc ; v:writer :kern .
:last a v:Film ; rdfs:label "The Last Lantern"@en ; v:director :vane ; v:starring :kern ; v:runtime 141 ;
  v:releaseDate "2005-01-20"^^xsd:date ; v:musicComposer :bell ; v:budget 900000 ; v:studio :polar .
:hollow a v:Film ; rdfs:label "Hollow Season"@en ; v:director :vane ; v:starring :ode, :moss ;
  v:runtime 131 ; v:releaseDate "2011-09-09"^^xsd:date ; v:musicComposer :dray ; v:budget 1200000 ;
  v:studio :polar .
:ember a v:Film ; rdfs:label "Ember Road"@en ; v:director :kern ; v:starring :moss ; v:runtime 88 ;
  v:releaseDate "2016-02-02"^^xsd:date ; v:musicComposer :dray ; v:budget 300000 ; v:studio :arc .
:tin a v:Film ; rdfs:label "Tin Sparrow"@en ; v:director :kern ; v:starring :moss, :ode ; v:runtime 101 ;
  v:releaseDate "2019-12-24"^^xsd:date ; v:budget 450000 ; v:studio :polar .
:vane a v:Person ; rdfs:label "Mara Vane"@en ; v:birthDate "1950-02-02"^^xsd:date ; v:birthPlace :dunport ;
  v:spouse :bell ; v:gender "female" ; v:child :ivo, :tess, :nora ; v:height 1.68 .
:bell a v:Person ; rdfs:label "Oskar Bell"@en ; v:birthDate "1948-05-06"^^xsd:date ;
  v:deathDate "2014-03-03"^^xsd:date ; v:birthPlace :alden ; v:gender "male" ; v:child :ivo, :tess, :nora ;
  v:height 1.82 .
:dray a v:Person ; rdfs:label "Petra Dray"@en ; v:birthDate "1966-09-09"^^xsd:date ; v:birthPlace :alden ;
  v:gender "female" ; v:height 1.74 .
:ode a v:Actor ; rdfs:label "Tobias Ode"@en ; v:birthDate "1955-12-24"^^xsd:date ; v:birthPlace :alden ;
  v:gender "male" ; v:height 1.91 .
:kern a v:Actor ; rdfs:label "Lin Kern"@en ; v:birthDate "1961-07-15"^^xsd:date ; v:birthPlace :dunport ;
  v:gender "female" ; v:height 1.6 .
:moss a v:Actor ; rdfs:label "Ray Moss"@en ; v:birthDate "1979-01-05"^^xsd:date ; v:birthPlace :dunport ;
  v:gender "male" ; v:spouse :tess ; v:height 1.79 .
:ivo a v:Person ; rdfs:label "Ivo Bell"@en ; v:birthDate "1975-04-04"^^xsd:date ; v:gender "male" ;
  v:birthPlace :alden .
:tess a v:Person ; rdfs:label "Tess Bell"@en ; v:birthDate "1980-10-10"^^xsd:date ; v:gender "female" ;
  v:spouse :moss ; v:birthPlace :dunport .
:nora a v:Person ; rdfs:label "Nora Bell"@en ; v:birthDate "1983-11-30"^^xsd:date ; v:gender "female" ;
  v:birthPlace :alden .
:arc a v:Studio ; rdfs:label "Arc Pictures"@en . :polar a v:Studio ; rdfs:label "Polar Works"@en .
:dunport a v:City ; rdfs:label "Dunport"@en ; v:population 81000 . :alden a v:City ; rdfs:label "Alden"@en ;
  v:population 240000 .
"""

LANDS = """
@prefix : <http://lands.example/id/> .
@prefix v: <http://lands.example/def#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
v:length_km rdfs:comment "How long a river is, in kilometres." .
  v:flows_through rdfs:comment "A town on the river's banks." .
:vire a v:River ; skos:prefLabel "Vire" ; v:length_km 310 ; v:flows_through :tarn, :best, :oxley ;
  v:flows_into :blue ; v:source_mountain :gar .
:orm a v:River ; skos:prefLabel "Orm" ; v:length_km 120 ; v:flows_through :best ; v:flows_into :blue ;
  v:source_mountain :gar .
:lune a v:River ; skos:prefLabel "Lune" ; v:length_km 205 ; v:flows_through :oxley ; v:flows_into :vire ;
  v:source_mountain :sol .
:eddy a v:River ; skos:prefLabel "Eddy" ; v:length_km 45 ; v:flows_through :tarn ; v:flows_into :blue .
:blue a v:Lake ; skos:prefLabel "Blue Lake" ; v:area_km2 77.5 ; v:max_depth_m 40 .
:grey a v:Lake ; skos:prefLabel "Grey Mere" ; v:area_km2 12.5 ; v:max_depth_m 61 .
:gar a v:Mountain ; skos:prefLabel "Mount Gar" ; v:elevation_m 2900 ; v:located_in :nor ;
  v:first_ascent "1868-08-01"^^xsd:date ; v:first_climber :holm .
:sol a v:Mountain ; skos:prefLabel "Mount Sol" ; v:elevation_m 1400 ; v:located_in :nor ;
  v:first_ascent "1901-07-11"^^xsd:date .
:ket a v:Mountain ; skos:prefLabel "Mount Ket" ; v:elevation_m 3310 ; v:located_in :sud ;
  v:first_ascent "1922-06-05"^^xsd:date ; v:first_climber :holm .
:tarn a v:Town ; skos:prefLabel "Tarn" ; v:inhabitants 90000 ; v:located_in :nor ; v:mayor :ida ;
  v:founded_year 1250 ; v:twin_town :oxley .
:best a v:Town ; skos:prefLabel "Bestwick" ; v:inhabitants 12000 ; v:located_in :nor ; v:mayor :abe ;
  v:founded_year 1871 .
:oxley a v:Town ; skos:prefLabel "Oxley" ; v:inhabitants 33000 ; v:located_in :sud ; v:founded_year 1402 .
:ida a v:Politician ; skos:prefLabel "Ida Holm" ; v:born_on "1970-01-02"^^xsd:date ; v:member_of :greens .
:abe a v:Politician ; skos:prefLabel "Abe Long" ; v:born_on "1958-03-04"^^xsd:date ; v:member_of :reds .
:holm a v:Climber ; skos:prefLabel "Rolf Stein" ; v:born_on "1840-03-04"^^xsd:date .
:nor a v:Country ; skos:prefLabel "Norland" ; v:capital_town :tarn ; v:currency "crown" ; v:head_of_state :ida .
:sud a v:Country ; skos:prefLabel "Sudmark" ; v:currency "mark" .
:greens a v:Party ; skos:prefLabel "Green League" . :reds a v:Party ; skos:prefLabel "Red Front" .
"""

FIRM = """
@prefix : <http://firm.example/r/> .
@prefix v: <http://firm.example/o/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
v:hasSupplier rdfs:label "has supplier" . v:memberOf rdfs:label "member of" .
  v:headcount rdfs:label "number of employees" . v:weight_g rdfs:label "weight (g)" .
v:Employee rdfs:label "Employee" . v:Department rdfs:label "Department" . v:Product rdfs:label "Product" .
  v:Supplier rdfs:label "Supplier" .
v:Goalkeeper rdfs:label "Goalkeeper" .
:ann a v:Employee ; rdfs:label "Ann Moss" ; v:memberOf :sales ; v:age 41 ; v:salary 4100 ;
  v:hiredOn "2009-05-01"^^xsd:date ; v:responsibleFor :bolt, :plate ; v:skill "welding" , "planning" ;
  v:occupation "engineer" .
:bo a v:Employee ; rdfs:label "Bo Lindt" ; v:memberOf :research ; v:age 29 ; v:salary 3900 ;
  v:reportsTo :ann ; v:hiredOn "2018-05-01"^^xsd:date ; v:responsibleFor :valve ;
  v:skill "planning"; v:occupation "buyer" .
:cy a v:Employee ; rdfs:label "Cy Orr" ; v:memberOf :sales ; v:age 56 ; v:salary 5200 ; v:reportsTo :ann ;
  v:hiredOn "1999-02-01"^^xsd:date ; v:skill "welding" ; v:occupation "engineer" .
:di a v:Employee ; rdfs:label "Di Fenn" ; v:memberOf :sales ; v:age 33 ; v:salary 3500 ; v:reportsTo :cy ;
  v:hiredOn "2015-11-01"^^xsd:date .
:sales a v:Department ; rdfs:label "Sales" ; v:headcount 40 ; v:manager :cy . :research a v:Department ;
  rdfs:label "Research" ; v:headcount 12 ; v:manager :ann .
:bolt a v:Product ; rdfs:label "Steel Bolt" ; v:weight_g 12 ; v:width_mm 4 ; v:price 0.5 ;
  v:hasSupplier :nord ; v:color "red" ; v:launched 2011 .
:plate a v:Product ; rdfs:label "QX-200 Plate" ; v:weight_g 800 ; v:width_mm 300 ; v:price 12.5 ;
  v:hasSupplier :nord, :sud ; v:color "grey" ; v:launched 2014 .
:valve a v:Product ; rdfs:label "Brass Valve" ; v:weight_g 150 ; v:width_mm 30 ; v:price 8.25 ;
  v:hasSupplier :nord ; v:color "red" ; v:launched 2003 ; v:compatibleWith :plate, :bolt .
:nord a v:Supplier ; rdfs:label "Nordwerk" ; v:country "Germany" ; v:city "Berlin" .
:sud a v:Supplier ; rdfs:label "Sudwerk" ; v:country "France" ; v:city "Lyon" ; v:phone "+33 1" .
"""

MUSIC = """
@prefix : <http://m.example/> .
@prefix s: <http://m.example/schema/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Band1 a s:MusicGroup ; s:name "The Quiet Foxes" ; s:album :a1, :a2, :a3 ; s:member :m1, :m2, :m3 ;
  s:formedIn "1984"^^xsd:gYear ; s:genre "folk" ; s:countryOfOrigin "Ireland" .
:Band2 a s:MusicGroup ; s:name "Velvet Anchor" ; s:album :a4, :a5 ; s:member :m3, :m4 ;
  s:formedIn "1991"^^xsd:gYear ; s:genre "rock", "folk" ; s:countryOfOrigin "Wales" .
:a1 a s:Album ; s:name "Low Bridges" ; s:releaseYear "1986"^^xsd:gYear ; s:copiesSold 40000 ;
  s:producer :p1 ; s:trackCount 9 .
:a2 a s:Album ; s:name "Salt Hymns" ; s:releaseYear "1989"^^xsd:gYear ; s:copiesSold 125000 ;
  s:producer :p2 ; s:trackCount 12 .
:a3 a s:Album ; s:name "Paper Moons" ; s:releaseYear "1995"^^xsd:gYear ; s:copiesSold 60000 ;
  s:producer :p1 ; s:trackCount 10 .
:a4 a s:Album ; s:name "Iron Lullaby" ; s:releaseYear "1992"^^xsd:gYear ; s:copiesSold 30000 ;
  s:producer :p2 ; s:trackCount 8 .
:a5 a s:Album ; s:name "North Light" ; s:releaseYear "1999"^^xsd:gYear ; s:copiesSold 95000 ; s:trackCount 14 .
:m1 a s:Musician ; s:name "Una Carr" ; s:dateOfBirth "1960-04-01"^^xsd:date ; s:instrument "fiddle" ;
  s:bornIn :cork ; s:awardsWon 3 .
:m2 a s:Musician ; s:name "Dermot Hale" ; s:dateOfBirth "1958-08-21"^^xsd:date ; s:instrument "guitar" ;
  s:bornIn :cork ; s:diedOn "2007-01-01"^^xsd:date ; s:awardsWon 1 .
:m3 a s:Musician ; s:name "Fay Lowe" ; s:dateOfBirth "1965-02-13"^^xsd:date ; s:instrument "drums" ;
  s:bornIn :bray .
:m4 a s:Musician ; s:name "Gwil Rees" ; s:dateOfBirth "1963-12-12"^^xsd:date ; s:instrument "guitar",
  "bass" ; s:bornIn :bray ; s:spouse :m3 .
:p1 a s:Person ; s:name "Hugo Stern" ; s:bornIn :cork . :p2 a s:Person ; s:name "Ilse Brandt" ; s:bornIn :bray .
:cork a s:City ; s:name "Corvale" ; s:populationTotal 210000 . :bray a s:City ; s:name "Brayton" ;
  s:populationTotal 32000 .
"""

FERRY = """
@prefix : <http://example.org/ferry/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Vessel rdfs:label "Vessel" . :CarFerry rdfs:label "Car ferry" ; rdfs:subClassOf :Vessel .
:FastFerry rdfs:label "Fast ferry" ; rdfs:subClassOf :Vessel . :Skipper rdfs:label "Skipper" .
:Harbour rdfs:label "Harbour" . :Region rdfs:label "Region" . :Load rdfs:label "Load" . :Race rdfs:label "Race" .
:crewSize rdfs:label "complement" ; rdfs:comment "Number of people in the crew." .
:depth rdfs:label "depth in centimetres" . :heated rdfs:label "heated" . :launchedIn rdfs:label "launched in" .
:loads rdfs:label "takes aboard" ; rdfs:comment "A crate on the manifest of a vessel." .
:skipperedBy rdfs:label "skippered by" . :homeHarbour rdfs:label "home harbour" . :region rdfs:label "region" .
:lookedAfterBy rdfs:label "looked after by" . :deathDate rdfs:label "death date" .
:radioCode rdfs:label "radio code" . :price rdfs:label "price" .
:slogan rdfs:label "slogan" ; rdfs:comment "Motto of a race." . :birthDate rdfs:label "birth date" .
:gull a :CarFerry ; rdfs:label "Grey Gull" ; :crewSize 31 ; :depth 420 ; :heated true ;
  :radioCode "+39" ; :price 8380000 ; :launchedIn "1988"^^xsd:gYear ;
  :loads :salt, :wool ; :skipperedBy :finn ; :homeHarbour :tarnwick .
:tern a :FastFerry ; rdfs:label "White Tern" ; :crewSize 9 ; :depth 150 ; :heated false ;
  :launchedIn "2004"^^xsd:gYear ;
  :loads :wool ; :skipperedBy :finn ; :homeHarbour :olm .
:skua a :FastFerry ; rdfs:label "Night Skua" ; :crewSize 12 ; :depth 180 ; :heated true ;
  :launchedIn "1975"^^xsd:gYear ;
  :skipperedBy :rusk ; :homeHarbour :olm .
:finn a :Skipper ; rdfs:label "Ada Finn" ; :birthDate "1961-04-02"^^xsd:date .
:rusk a :Skipper ; rdfs:label "Bo Rusk" ; :birthDate "1930-01-20"^^xsd:date ; :deathDate "1999-09-09"^^xsd:date .
:tarnwick a :Harbour ; rdfs:label "Tarnwick" ; :region :north ; :lookedAfterBy :finn .
:olm a :Harbour ; rdfs:label "Olm Quay" ; :region :south .
:north a :Region ; rdfs:label "Northmark" . :south a :Region ; rdfs:label "Southmark" .
:salt a :Load ; rdfs:label "sea salt" . :wool a :Load ; rdfs:label "raw wool" .
:race18 a :Race ; rdfs:label "Grand Tidewater Cup 2018" ; :slogan "Row on" .
:race19 a :Race ; rdfs:label "Grand Tidewater Cup 2019" ; :slogan "Fair winds" .
"""


FJORD = """
@prefix : <http://fjord.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Person rdfs:label "person" . :Organization rdfs:label "organization" . :Vessel rdfs:label "vessel" .
:City rdfs:label "city" .
:Museum rdfs:label "museum" . :Country rdfs:label "country" . :Band rdfs:label "band" . :Stage rdfs:label "stage" .
:Genre rdfs:label "genre" .
:memberOf rdfs:label "member of" . :owner rdfs:label "owned by" . :inCity rdfs:label "located in" .
:country rdfs:label "country" . :founded rdfs:label "founding year" .
:area rdfs:label "area" . :manager rdfs:label "manager" . :height rdfs:label "height" .
:plays rdfs:label "performs at" . :genre rdfs:label "genre" . :formed rdfs:label "year formed" .
:email rdfs:label "email address" . :length rdfs:label "length" . :landmark rdfs:label "landmark" .
:ada a :Person ; rdfs:label "Ada Berg" ; :memberOf :lake ; :height 181 .
:bo a :Person ; rdfs:label "Bo Lind" ; :memberOf :coast ; :height 175 .
:lake a :Organization ; rdfs:label "Lakeways" ; :email "info@lake.example" .
:coast a :Organization ; rdfs:label "Coastways" ; :email "info@coast.example" .
:heron a :Vessel ; rdfs:label "MF Heron" ; :owner :lake ; :manager :ada ; :length 30 .
:tern a :Vessel ; rdfs:label "MF Tern" ; :owner :lake ; :manager :bo ; :length 20 .
:gull a :Vessel ; rdfs:label "MF Gull" ; :owner :coast ; :manager :bo ; :length 25 .
:glass a :Museum ; rdfs:label "Glass Museum" ; :inCity :vik ; :founded 1929 .
:ship a :Museum ; rdfs:label "Ship Museum" ; :inCity :lund ; :founded 1950 .
:vik a :City ; rdfs:label "Vik, N.F." ; :country :no ; :area 80 ; :landmark "Old Mill" .
:lund a :City ; rdfs:label "Lund" ; :country :se ; :area 26 ; :landmark "Red Gate" .
:no a :Country ; rdfs:label "Norway" . :se a :Country ; rdfs:label "Sweden" .
:owls a :Band ; rdfs:label "Copper Owls" ; :plays :quay ; :genre :folk ; :formed 2011 .
:tram a :Band ; rdfs:label "Velvet Tram" ; :plays :park ; :genre :rock ; :formed 2015 .
:quay a :Stage ; rdfs:label "Quay Stage" . :park a :Stage ; rdfs:label "Park Stage" .
:folk a :Genre ; rdfs:label "folk" . :rock a :Genre ; rdfs:label "rock" .
"""

LEAGUE = """
@prefix : <http://league.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Race rdfs:label "race" . :Rower rdfs:label "rower" . :Season rdfs:label "season" . :Hit rdfs:label "hit" .
:Club rdfs:label "club" . :Country rdfs:label "country" . :Contract rdfs:label "contract" . :Hall rdfs:label "hall" .
:homeHits rdfs:label "hits of the home crew" . :awayHits rdfs:label "hits of the away crew" .
:inSeason rdfs:label "season" . :inRace rdfs:label "in race" . :judge rdfs:label "judge" . :hall rdfs:label "hall" .
:nationality rdfs:label "nationality" . :nickname rdfs:label "nickname" . :built rdfs:label "year built" .
:hasContract rdfs:label "has contract" . :withClub rdfs:label "with club" . :fits rdfs:label "compatible hall" .
:end rdfs:label "end date" .
:r1 a :Race ; rdfs:label "Owls v Trams" ; :homeHits 3 ; :awayHits 1 ; :inSeason :s24 ; :judge :ida ; :hall :quay .
:r2 a :Race ; rdfs:label "Owls v Gulls" ; :homeHits 2 ; :awayHits 4 ; :inSeason :s23 ; :judge :ida ; :hall :mill .
:h1 a :Hit ; :inRace :r1 . :h2 a :Hit ; :inRace :r2 .
:s24 a :Season ; rdfs:label "River Cup 2024" ; :end "2024-06-01"^^xsd:date .
:s23 a :Season ; rdfs:label "River Cup 2023" ; :end "2023-06-02"^^xsd:date .
:ida a :Rower ; rdfs:label "Ida Falk" ; :nationality :no ; :hasContract :c1 .
:per a :Rower ; rdfs:label "Per Moe" ; :nationality :se ; :hasContract :c2 .
:c1 a :Contract ; :withClub :owls . :c2 a :Contract ; :withClub :gulls .
:owls a :Club ; rdfs:label "Owl Rowing" ; :nickname "Citizens" . :gulls a :Club ; rdfs:label "Gull Rowing" .
:no a :Country ; rdfs:label "Norland" . :se a :Country ; rdfs:label "Sudland" .
:quay a :Hall ; rdfs:label "Quay Hall" ; :built 1931 ; :fits :mill .
:mill a :Hall ; rdfs:label "Weavers' Row" ; :built 1952 ; :fits :quay .
"""

TALKS = {
    "cinema": CINEMA, "lands": LANDS, "firm": FIRM, "music": MUSIC, "ferry": FERRY, "fjord": FJORD, "league": LEAGUE,
}  # fmt: skip
