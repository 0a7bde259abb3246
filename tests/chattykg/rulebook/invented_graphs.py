"""Small invented graphs for the grammar's tests, one a domain, as Turtle."""

PREFIXES = """
@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""

CINEMA = """
:Film rdfs:label "Film" . :Person rdfs:label "Person" . :Country rdfs:label "Country" .
:silver a :Film ; rdfs:label "Silver Tide" ; :director :vane ; :starring :ode, :kern ; :runtime 120 ;
  :releaseDate "1998-03-01"^^xsd:date ; :country :arg ; :genre "drama" ; :budget 5000000 .
:glass a :Film ; rdfs:label "Glass Orchard" ; :director :kern ; :starring :ode ; :runtime 95 ;
  :releaseDate "2010-06-11"^^xsd:date ; :country :fra ; :genre "comedy" ; :budget 700000 .
:last a :Film ; rdfs:label "The Last Lantern" ; :director :vane ; :starring :kern ; :runtime 141 ;
  :releaseDate "2015-01-20"^^xsd:date ; :country :fra ; :genre "drama" ; :budget 900000 .
:vane a :Person ; rdfs:label "Mara Vane" ; :birthDate "1960-02-02"^^xsd:date ; :birthPlace :fra ; :spouse :ode ;
  :gender "female" .
:ode a :Person ; rdfs:label "Tobias Ode" ; :birthDate "1955-12-24"^^xsd:date ; :birthPlace :arg ; :gender "male" .
:kern a :Person ; rdfs:label "Lin Kern" ; :birthDate "1981-07-15"^^xsd:date ; :birthPlace :arg ; :gender "female" .
:arg a :Country ; rdfs:label "Argentina" . :fra a :Country ; rdfs:label "France" .
"""

FIRM = """
:Employee rdfs:label "Employee" . :Department rdfs:label "Department" . :Product rdfs:label "Product" .
:Supplier rdfs:label "Supplier" .
:hasSupplier rdfs:label "has supplier" . :memberOf rdfs:label "member of" .
:ann a :Employee ; rdfs:label "Ann Moss" ; :memberOf :sales ; :age 41 ; :email "ann@firm.example" ; :salary 4100 .
:bo a :Employee ; rdfs:label "Bo Lindt" ; :memberOf :research ; :age 29 ; :email "bo@firm.example" ; :salary 3900 ;
  :manager :ann .
:sales a :Department ; rdfs:label "Sales" . :research a :Department ; rdfs:label "Research" .
:bolt a :Product ; rdfs:label "Steel Bolt" ; :weight_g 12 ; :width_mm 4 ; :price 0.5 ;
  :hasSupplier :nord ; :color "red" .
:plate a :Product ; rdfs:label "QX-200 Plate" ; :weight_g 800 ; :width_mm 300 ; :price 12.5 ;
  :hasSupplier :nord, :sud .
:nord a :Supplier ; rdfs:label "Nordwerk" ; :country "Germany" ; :city "Berlin" .
:sud a :Supplier ; rdfs:label "Sudwerk" ; :country "France" ; :city "Lyon" .
"""

LANDS = """
:River rdfs:label "River" . :City rdfs:label "City" . :Lake rdfs:label "Lake" . :Mountain rdfs:label "Mountain" .
:Country rdfs:label "Country" .
:vire a :River ; rdfs:label "Vire" ; :length 310 ; :mouth :blue ; :source :peak .
:orm a :River ; rdfs:label "Orm" ; :length 120 ; :mouth :blue .
:blue a :Lake ; rdfs:label "Blue Lake" ; :area 77 ; :depth 40 .
:peak a :Mountain ; rdfs:label "Mount Gar" ; :elevation 2900 .
:hill a :Mountain ; rdfs:label "Mount Sol" ; :elevation 1400 .
:tarn a :City ; rdfs:label "Tarn" ; :population 90000 ; :country :nor ; :mayor "Ida Holm" ; :founded 1250 .
:best a :City ; rdfs:label "Bestwick" ; :population 12000 ; :country :nor ; :founded 1871 .
:nor a :Country ; rdfs:label "Norland" ; :capital :tarn ; :language "Norlandic" ; :currency "crown" .
"""

LIBRARY = """
:Book rdfs:label "Book" . :Writer rdfs:label "Writer" . :Library rdfs:label "Library" .
:Publisher rdfs:label "Publisher" .
:author rdfs:label "author" . :numberOfPages rdfs:label "number of pages" .
:moor a :Book ; rdfs:label "The Moor Road" ; :author :hale ; :publisher :elm ; :publicationYear 1951 ;
  :numberOfPages 340 .
:salt a :Book ; rdfs:label "Salt and Ivy" ; :author :hale, :dunn ; :publisher :elm ; :publicationYear 1964 ;
  :numberOfPages 210 .
:kite a :Book ; rdfs:label "A Kite in Winter" ; :author :dunn ; :publicationYear 2003 ; :numberOfPages 95 .
:hale a :Writer ; rdfs:label "Edith Hale" ; :birthDate "1910-05-05"^^xsd:date ; :award "Quill Prize" .
:dunn a :Writer ; rdfs:label "Sam Dunn" ; :birthDate "1930-01-09"^^xsd:date .
:elm a :Publisher ; rdfs:label "Elm House" ; :location "Dover" .
:central a :Library ; rdfs:label "Central Library" ; :holds :moor, :salt .
"""

SPORT = """
:Player rdfs:label "Player" . :Team rdfs:label "Team" . :Match rdfs:label "Match" . :Stadium rdfs:label "Stadium" .
:playsFor rdfs:label "plays for" . :homeTeam rdfs:label "home team" .
:ilo a :Player ; rdfs:label "Ilo Brandt" ; :playsFor :reds ; :goals 12 ; :height 1.91 ; :nationality "Danish" .
:pax a :Player ; rdfs:label "Pax Roy" ; :playsFor :reds ; :goals 3 ; :height 1.75 ; :nationality "Irish" .
:uma a :Player ; rdfs:label "Uma Fell" ; :playsFor :owls ; :goals 9 ; :height 1.80 ; :nationality "Danish" .
:reds a :Team ; rdfs:label "Harbor Reds" ; :coach "Nell Tree" ; :stadium :dock ; :founded 1899 .
:owls a :Team ; rdfs:label "Night Owls" ; :coach "Abe Long" ; :stadium :dock ; :founded 1950 .
:dock a :Stadium ; rdfs:label "Dock Park" ; :capacity 22000 .
:m1 a :Match ; rdfs:label "Derby 1" ; :homeTeam :reds ; :date "2019-04-01"^^xsd:date ; :attendance 21000 .
"""

ELEMENTS = """
:Element rdfs:label "chemical element" . :Compound rdfs:label "compound" . :Chemist rdfs:label "chemist" .
:atomicNumber rdfs:label "atomic number" . :meltingPoint rdfs:label "melting point" .
:discoverer rdfs:label "discovered by" .
:zorium a :Element ; rdfs:label "zorium" ; :atomicNumber 131 ; :meltingPoint 911 ; :symbol "Zo" ; :discoverer :quill .
:veltin a :Element ; rdfs:label "veltin" ; :atomicNumber 132 ; :meltingPoint 120 ; :symbol "Ve" ; :discoverer :quill .
:oxide a :Compound ; rdfs:label "zorium oxide" ; :contains :zorium ; :density 4.2 .
:quill a :Chemist ; rdfs:label "Petra Quill" ; :birthYear 1877 .
"""

GRAPHS = {
    "cinema": CINEMA, "firm": FIRM, "lands": LANDS, "library": LIBRARY, "sport": SPORT, "elements": ELEMENTS,
}  # fmt: skip
