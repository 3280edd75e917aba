"""Grammars of the invented prose: a symbol, and what it may become, alternatives separated by ``|``.

``{name}`` is expanded anew each time, ``{=name}`` once a document, ``{^name}`` with a capital. Everything here is
made up for this project and describes nothing real.
"""

COMMON = {
    "n": "3|4|5|6|7|8|9|11|12|14|16|17|19|21|24|27|30|32|36|40|45|48|54|60|64|72|80|96",
    "big": "120|140|175|210|260|305|340|415|480|560|610|730|860|940|1,100|1,350|1,700|2,200|2,900|3,600|4,800",
    "year": "17{yy}|18{yy}|18{yy}|19{yy}|19{yy}",
    "yy": "03|08|11|17|22|26|31|34|38|43|47|52|55|59|64|68|71|76|79|83|87|92|96|99",
    "syl": "ba|be|bri|ca|cor|da|del|dun|el|fal|fen|ga|gri|har|hol|is|ka|kel|lar|lin|lo|mar|mel|mor|na|"
    "nor|ol|pen|pra|que|ra|ros|sa|sel|sten|tal|ter|tor|ul|va|ver|vin|wes|wil|yar|za",
    "end": "a|an|ay|by|do|en|er|et|ford|ham|holm|in|ing|io|is|ley|low|mere|mont|more|na|ne|ow|rick|ry|"
    "sen|stead|ton|wick",
    "place": "{^stem}",
    "stem": "{syl}{end}|{syl}{syl}{end}|{syl}{syl}{end}",
    "given": "Alba|Anton|Beatrix|Caleb|Clara|Dora|Edwin|Elias|Esther|Felix|Greta|Hugo|Ida|Ivo|Jonas|"
    "Judith|Karel|Leah|Linus|Mabel|Martin|Nell|Oren|Paula|Quincy|Rhoda|Rufus|Selma|Silas|Thea|Tobias|"
    "Ursula|Vera|Walter|Yvonne",
    "person": "{given} {place}",
}

ESSAYS = COMMON | {
    "title": "{^activity} and {abstract}|Why {plural} {verb} {adverb}|Notes on {activity}|The "
    "{quality} {thing}|What {activity} taught me about {abstract}|Against {abstract}",
    "sentence": "{opener}{claim}.|{opener}{claim}, and {claim}.|{opener}{claim}, but {claim}.|{^claim} "
    "because {claim}.|{^claim}; {claim}.|When {claim}, {claim}.|If {claim}, then {claim}.|{anecdote}.|"
    "{anecdote}.|The {quality} part of {activity} is that {claim}.|Most {people} assume that {claim}.|"
    "Ask {people} about {abstract} and they will say that {claim}.|It took me {n} years to see that "
    "{claim}.|There are {small} reasons for this.|That is the {quality} question.|Nobody {warns} you "
    "that {claim}.|You can tell, because {claim}.|So {claim}.|Is it true that {claim}?|I used to think "
    "that {claim}.|Which means that {claim}, at least for a while.",
    "opener": "|||||In practice |Usually |It turns out that |I suspect that |At first |The surprise is "
    "that |Worse, |Fortunately, |Of course, |Over time |On a good day, |Oddly enough, |More often than "
    "not, ",
    "claim": "{plural} {verb} {adverb}|{plural} rarely {verb} {adverb}|{people} {regard} {plural} as "
    "{abstract}|the {quality} {thing} {does} the {thing}|{activity} {does} {abstract}|a {thing} with "
    "{abstract} is better than one with {abstract}|you cannot separate {abstract} from {activity}|"
    "{people} who {practise} {activity} {regard} {abstract} as a {thing}|{abstract} is mostly a matter "
    "of {activity}|the cost of {activity} is paid in {abstract}|no {thing} survives {n} months of "
    "{activity}|there is more {abstract} in {activity} than {people} admit",
    "anecdote": "In {year} my {relative} ran a {workplace} with {n} {people}, and {claim}|A {trade} I "
    "knew kept {n} {plural} in a drawer and said that {claim}|The first {thing} I made took {n} days "
    "and {did_badly}|Last winter {given} and I {built} a {thing} for a {workplace}|{person}, who had "
    "{practised} {activity} for {n} years, told me that {claim}|We once {built} {n} {plural} in a "
    "week, and {n} of them {did_badly}",
    "small": "two|three|four|several|a few",
    "warns": "warns|tells|reminds|persuades",
    "activity": "keeping notes|mending clocks|writing letters|baking bread|drawing maps|teaching "
    "beginners|running a workshop|planting hedges|tuning pianos|reading drafts|sharpening tools|asking "
    "questions|sorting mail|naming things|estimating|apprenticeship|selling seeds|translating poems|"
    "painting signs|keeping bees|walking home|rewriting|throwing things away|arguing politely|starting "
    "over|measuring twice",
    "abstract": "patience|taste|luck|attention|stubbornness|honesty|pride|doubt|habit|boredom|courage|"
    "precision|trust|ambition|memory|generosity|timing|simplicity|debt|silence|practice|status|"
    "curiosity|fatigue|leisure",
    "plural": "plans|drafts|tools|promises|shortcuts|rules|customers|mistakes|arguments|prototypes|"
    "deadlines|experts|workshops|habits|budgets|questions|meetings|gardens|recipes|manuals|friendships|"
    "repairs|schools|ledgers",
    "thing": "plan|tool|notebook|contract|bench|machine|draft|recipe|rule|habit|kiln|shelf|letter|"
    "garden|ladder|schedule|lathe|map|budget|conversation|sketch|boat|instrument",
    "quality": "hard|quiet|useful|dull|honest|hidden|expensive|small|stubborn|neglected|second|obvious|"
    "uncomfortable|generous|temporary|boring|unfinished|difficult|cheap|delicate",
    "verb": "fail|improve|spread|wear out|pay off|age|matter|grow|settle|break|surprise us|compound|"
    "disappear|slow down|begin|repeat themselves",
    "adverb": "slowly|in the end|by accident|on their own|without warning|at night|for dull reasons|in "
    "small steps|when nobody looks|after the third attempt|only once|in public|faster than you expect|"
    "under pressure",
    "does": "hides|rewards|replaces|outlives|improves|spoils|explains|protects|costs|needs|teaches|imitates",
    "people": "beginners|carpenters|editors|neighbours|teachers|managers|bakers|engineers|parents|"
    "shopkeepers|gardeners|students|investors|strangers|translators|sailors",
    "regard": "treat|see|mistake|describe|remember|value",
    "practise": "practise|teach|avoid|love|postpone|sell",
    "practised": "practised|taught|avoided|loved|postponed|sold",
    "relative": "uncle|grandmother|aunt|cousin|older brother|neighbour|first employer",
    "workplace": "print shop|bakery|boatyard|small school|repair shop|nursery|bindery|dairy|post office|tannery",
    "trade": "joiner|potter|surveyor|bookbinder|cook|tailor|glazier|locksmith|cartographer|weaver",
    "built": "built|repaired|sold|designed|borrowed|rebuilt|painted",
    "did_badly": "leaked|fell apart|pleased nobody|had to be done again|looked wrong from the street|"
    "squeaked|taught me nothing|is still in my kitchen",
}

BOOKS = COMMON | {
    "title": "The {noun} of {=town}|{=hero}'s {noun}|A {adj} {noun}",
    "chapter": "In which {=hero} {met} a {adj} {who}|The {adj} {noun}|What was found at {=town}|A "
    "{noun} and a {noun}|{=hero} and the {who}|Concerning a {adj} {noun}",
    "sentence": "{narration}.|{narration}.|{narration}, and {narration}.|{narration}, while "
    "{narration}.|{speech}|{speech}|{scene}.|{scene}.|{when}, {narration}.|{when}, {scene}.|{^scene}; "
    "{narration}.|But {narration}.|{thought}.",
    "narration": "{one} {went} {where}|{one} {handled} the {adj} {noun}|{one} {looked} at the {noun} "
    "{manner}|{one} {met} the {who} {where}|the {who} {went} {where} {manner}|the {adj} {who} "
    "{handled} the {noun}|{one} had not {seen} such a {noun} since {past}|{one} {counted} {n} {nouns} "
    "{where}|neither {one} nor the {who} spoke of the {noun}|{one} carried the {noun} {where} {manner}",
    "one": "{=hero}|{=hero}|{=friend}|{=friend}|{=rival}|the {who}|old {=elder}|{=elder}",
    "hero": "{given}",
    "friend": "{given}",
    "rival": "Mr. {place}|Mrs. {place}|Captain {place}|Doctor {place}",
    "elder": "{given} {place}",
    "town": "{place}",
    "speech": '"{utterance}," said {one} {manner}.|"{utterance}?" asked {one}.|"{utterance}!" cried '
    '{one}, who {went} {where}.|"{utterance}," {one} answered, "and {claim}."|"{utterance}," said '
    '{one}. "{^claim}."|"{^claim}," murmured {one} {manner}.',
    "utterance": "I have {seen} the {noun} {where}|You will not find a {adj} {noun} in {=town}|Bring "
    "the {noun} before {hour}|The {who} never {went} {where}|There are {n} {nouns} and only one {noun}|"
    "We must wait for the {who}|It was a {adj} {noun}, as {one} told me|Do you remember the {noun} at "
    "{=town}|I would give {n} {nouns} for a {adj} {noun}|Nobody goes {where} after {hour}",
    "claim": "the {noun} is not what it was|I am too old for {nouns}|the {who} will hear of it|no "
    "{who} can mend that|it belongs to {one}|you know the way {where}|the {nouns} were {adj} this year|"
    "that is all the {who} wrote",
    "scene": "the {weather} lay over {=town}|a {adj} {noun} stood {where}|the {nouns} were {adj} with "
    "{weather}|there was no sound but the {noun}|the road ran {where}, past {n} {adj} {nouns}|the "
    "lamps of {=town} burned until {hour}|the {weather} had turned every {noun} {adj}|smoke rose from "
    "the {noun} {where}|the {noun} smelled of {smell}",
    "thought": "{^one} wondered whether the {who} had {seen} the {noun}|It seemed to {one} that the "
    "{noun} had grown {adj}|{^one} could not forget the {adj} {noun} of {past}|Perhaps the {who} was "
    "right about the {nouns}",
    "when": "At {hour}|Before {hour}|When the {weather} lifted|On the {ordinal} day|Toward evening|"
    "That winter|A week later|In the {ordinal} year|Long after {hour}|As the {who} had foretold",
    "hour": "dawn|noon|nine o'clock|midnight|supper|the bells|sunset|the market closed|four in the morning",
    "ordinal": "second|third|fourth|fifth|seventh|ninth|twelfth",
    "past": "the flood|the harvest|the great frost|the wedding|the quarrel with {place}|the year "
    "{year}|leaving {place}",
    "went": "went|hurried|walked|came|returned|rode|wandered|crept|climbed|limped",
    "where": "down to the harbour|across the square|behind the mill|up the stairs|to the edge of the "
    "wood|under the old bridge|into the kitchen|along the canal|beyond the orchard|toward {=town}|past "
    "the chapel|over the ridge|by the stove|through the gate|out to the salt fields|near the toll house",
    "handled": "lifted|hid|mended|forgot|sold|opened|polished|wrapped|broke|recognised|burned|buried",
    "looked": "looked|stared|glanced|smiled|frowned|pointed",
    "manner": "without a word|in silence|with a laugh|like a stranger|at last|slowly|as if in a dream|"
    "with great care|more than once|in the half light|under the rain|with both hands|for a long while",
    "met": "met|greeted|followed|avoided|questioned|thanked|deceived|awaited",
    "seen": "seen|touched|wanted|painted|lost|heard of",
    "counted": "counted|found|passed|remembered|drew",
    "noun": "lantern|letter|boat|ledger|clock|door|coat|violin|well|portrait|saddle|bell|oar|map|"
    "cradle|key|kettle|fence|barrel|mirror|loom|ladder|chest|wheel|anchor|pipe|shawl|candle|compass",
    "nouns": "lanterns|letters|boats|ledgers|geese|doors|coats|apples|wells|portraits|coins|bells|oars|"
    "maps|barrels|keys|horses|fences|sacks|mirrors|herrings|ladders|stones|wheels|anchors|candles",
    "adj": "old|heavy|pale|broken|silent|borrowed|crooked|narrow|frozen|forgotten|green|dusty|strange|"
    "iron|patient|foreign|small|bright|wet|unpainted|nameless|solemn|hollow|weary",
    "who": "ferryman|schoolmaster|widow|magistrate|tailor|pedlar|miller|priest|stranger|cook|sailor|"
    "notary|shepherd|nurse|gravedigger|innkeeper|clerk|blacksmith|midwife|postmistress",
    "weather": "fog|snow|rain|dust|frost|wind|moonlight|heat|mist|drizzle",
    "smell": "tar|bread|wet wool|apples|lamp oil|old paper|salt|smoke|pine",
}

WIKIPEDIA = COMMON | {
    "title": "{^stem}|{^stem} {feature}|{person}|{^stem} {institution}",
    "settlement": "{place} is a {feature} in the {direction} of the {place} {region}, about {n} "
    "kilometres from {place}.|The {feature} covers {big} hectares and drains into the {place}.|At the "
    "census of {year} it had {big} inhabitants in {n} {units}.|The name is first recorded in {year} as "
    "{place}.|The {institution} of {place} was {founded} in {year} by {person}.|A {built} bridge of "
    "{n} arches crosses the {place} to the {direction}.|Its economy rests on {trade} and {trade}.|The "
    "climate is {mild}, with {n} days of frost a year.|It is {known} for {trade} and for its {mild} "
    "orchards.|{^trade} declined after {year}, when the {route} was {closed}.|The annual {festival} "
    "draws {big} visitors.|A {disaster} of {year} is recalled in the name of its {feature}.",
    "biography": "{=person} ({year}) was a {job} from {place}.|The child of {jobs}, {=person} studied "
    "{subject} at the {place} {institution}.|In {year} {=person} {published} a {treatise} on "
    "{subject}.|{=person} {served} as {office} of {place} until {year}.|The {treatise} on {subject} "
    "was {received} by {jobs} of the time.|Letters to {person} show an early interest in {subject}.|A "
    "{treatise} of {n} chapters on {subject} followed in {year}.|The papers are kept in the "
    "{institution} at {place}.|In later years {=person} turned to {subject} and {subject}.",
    "species": "The {adj} {=animal} is found in {habitat} between {big} and {big} metres above sea "
    "level.|Adults reach a length of {n} centimetres and are {colour} with {colour} {marks}.|It feeds "
    "on {food} and lays {n} eggs in {habitat}.|The {=animal} was described in {year} by {person} from "
    "specimens collected near {place}.|Its {marks} distinguish it from the {adj} {=animal}.|In winter "
    "it moves to {habitat} in the {direction}.|About {big} pairs were counted in {year}.|The young are "
    "{colour} and lack {marks}.|Loss of {habitat} is the main threat.",
    "event": "The {place} {conflict} of {year} began when the {institution} {closed} the {route}.|A "
    "{disaster} in the same year destroyed {n} {units}.|The {institution} {moved} to {place} after a "
    "{disaster}.|The {route} between {place} and {place} had opened in {year}.|{n} {jobs} signed an "
    "agreement at {place}.|{person}, the {office} of {place}, {described} the events in a {treatise}.|"
    "Of the {big} people involved, {n} were fined.|The {route} stayed {closed} until {year}.|Support "
    "came from the {jobs} of {place}.",
    "work": "The {place} {=treatise} is a work on {subject} by {person}.|It consists of {n} chapters "
    "on {subject} and {subject}.|Only {n} copies are known, most of them in the {institution} at "
    "{place}.|The {=treatise} was {received} by {jobs}.|A second edition of {year} adds {n} plates.|"
    "{person} {published} a shorter {=treatise} in {year}.|The binding is of {colour} leather.|The "
    "chapter on {subject} was disputed by {person}.|A fire at {place} destroyed {big} copies in {year}.",
    "feature": "village|valley|lake|parish|island|plateau|borough|hamlet|marsh|headland|gorge|moor|port|forest",
    "region": "district|highlands|coast|province|basin|archipelago|lowlands|county|peninsula",
    "direction": "north|south|east|west|north-east|south-west|centre",
    "institution": "college|guild|museum|abbey|observatory|assembly|hospital|academy|library|council|society|archive",
    "units": "households|parishes|streets|farms|wards|cottages",
    "founded": "founded|endowed|chartered|revived|reorganised",
    "built": "stone|timber|brick|covered|fortified|restored",
    "job": "botanist|composer|engineer|cartographer|bishop|printer|mathematician|painter|physician|"
    "jurist|navigator|architect",
    "jobs": "botanists|merchants|engineers|printers|physicians|farmers|jurists|weavers|navigators",
    "subject": "hydraulics|grammar|mosses|counterpoint|navigation|optics|canon law|bookkeeping|"
    "geometry|bell founding|fevers|soils|rhetoric|surveying|glassmaking",
    "published": "published|completed|translated|edited|withdrew",
    "treatise": "treatise|manual|dictionary|atlas|catalogue|chronicle|hymnal|commentary",
    "served": "served|was elected|acted",
    "office": "mayor|treasurer|abbot|surveyor|harbour master|librarian",
    "mild": "mild|humid|dry|temperate|windy",
    "received": "praised|ignored|disputed|copied|quoted widely",
    "adj": "temperate|narrow|spotted|northern|dry|shallow|steep|lesser|striped|remote|humid|ornate|"
    "long-tailed|coastal|mild|ringed|fertile|exposed",
    "animal": "warbler|newt|shrew|moth|beetle|dace|finch|lizard|snail|plover|dormouse|cricket|sedge|orchid",
    "habitat": "reed beds|scree slopes|hay meadows|beech woods|tidal flats|limestone caves|peat bogs|"
    "hedgerows|oak scrub",
    "colour": "grey|olive|rust-coloured|cream|slate blue|brown|pale yellow|black",
    "marks": "bars|spots|wing tips|flanks|antennae|bands|collars",
    "food": "seeds|small snails|aphids|roots|mosquito larvae|berries|lichens",
    "conflict": "strike|dispute|uprising|boundary war|riots|secession",
    "closed": "closed|abandoned|widened|taxed|blocked|sold",
    "route": "canal|railway|toll road|ferry|tramway|cable line|towpath",
    "disaster": "flood|fire|landslide|storm|famine|epidemic",
    "moved": "moved|was transferred|returned",
    "material": "sandstone|larch|slate|flint|copper|oak|granite|tufa",
    "trade": "salt making|sheep farming|bookbinding|slate quarrying|linen weaving|fishing|orchards|"
    "clock making|brewing|basket weaving|tourism|charcoal burning",
    "protected": "protected|administered|surveyed|owned",
    "known": "known|noted|named",
    "festival": "regatta|fair|procession|horse market|lantern festival|harvest dance",
    "described": "described|remembered|mapped|praised",
}

CODE = COMMON | {
    "header": "/*\n * {=mod}_{=part}.c - {purpose} for the {=Mod} {device}\n *\n * An invented driver: "
    'the hardware does not exist.\n */\n\n#include "{=mod}.h"\n#include "{=mod}_{=lib}.h"\n\n#define '
    "{=MOD}_MAX_{UNIT}\t{num}\n#define {=MOD}_{UNIT}_SHIFT\t{bit}\n#define "
    "{=MOD}_TIMEOUT_MS\t{num}\n\nstruct {=mod}_{=part} <%\n\tunsigned "
    "int\t{field};\n\tint\t\t{field}_{idx};\n\tstruct "
    "{=mod}_{=lib}\t*{=lib};\n\tu32\t\t{field}_mask;\n%>;\n",
    "function": "{comment}static int {=mod}_{verb}_{noun}({=self}, unsigned int {=arg})\n<%\n\tint ret "
    "= 0;\n\n{stmt}{stmt}{stmt}out:\n\treturn ret{errors};\n%>\n|{comment}static void "
    "{=mod}_{noun}_{verb}({=self}, unsigned int {=arg})\n<%\n\tint "
    "ret;\n\n{stmt}{stmt}out:\n\treturn;\n%>\n|{comment}static bool {=mod}_{noun}_is_{state}(const "
    "{=self})\n<%\n\treturn {=v}->{field}_mask & ({mask} << {=MOD}_{UNIT}_SHIFT);\n%>\n|{comment}int "
    "{=mod}_{verb}_all_{noun}s({=self}, unsigned int {=arg})\n<%\n\tunsigned int i;\n\tint ret = "
    "0;\n\n\tfor (i = 0; i < {=MOD}_MAX_{UNIT}; i++) "
    "<%\n\t\t{line}\t\t{line}\t%>\n{stmt}out:\n\treturn ret{errors};\n%>\n|{comment}static const "
    "u{width} {=mod}_{noun}_{table}[] = <%\n\t{mask}, {mask}, {mask}, {mask},\n\t{mask}, {mask}, "
    "{mask}, {mask},\n%>;\n",
    "self": "struct {=mod}_{=part} *{=v}",
    "comment": "|/* {^explain}. */\n|/*\n * {^explain}, so that\n * {explain}.\n */\n|/* {^verb} the "
    "{noun} first: {explain}. */\n",
    "explain": "the {noun} must be {state} here|the {device} loses its {noun} after {num} ms|callers "
    "hold the {noun} lock|a {state} {noun} is harmless|older boards report {num} {noun}s|the {noun} "
    "may be {state} by now|we race with the {=lib}|the {unit} count wraps at {mask}|{verb} may sleep",
    "stmt": "\tret = {=mod}_{verb}_{noun}({=v}, {=arg});\n\tif (ret < 0)\n\t\tgoto out;\n\n|\tif "
    "({=v}->{field} > {num})\n\t\t{=v}->{field} = {=MOD}_MAX_{UNIT};\n\n|\t{line}|\t{line}|"
    "\tmutex_lock(&{=v}->{=lib}->lock);\n\t{=v}->{field} = {=mod}_{noun}_{table}[{=arg} & "
    "{num}];\n\tmutex_unlock(&{=v}->{=lib}->lock);\n\n|\twhile "
    "({=mod}_{noun}_is_{state}({=v}))\n\t\tudelay({num});\n\n|\tif (!{=v}->{=lib})\n\t\tgoto out;\n\n|"
    "\tif (unlikely({=v}->{field} & {mask})) <%\n\t\t{line}\t\t{line}\t%>\n\n|\tswitch ({=arg} & "
    "{mask}) <%\n\tcase {num}:\n\t\t{line}\t\tbreak;\n\tdefault:\n\t\t{=v}->{field}++;\n\t%>\n\n",
    "line": "{=v}->{field}_mask &= ~{mask};\n|{=v}->{field}_{idx} += {=arg} >> {bit};\n|{=v}->{field} "
    "= min({=v}->{field}, {num});\n|{=mod}_{noun}_{verb}({=v}, {=arg});\n|{=v}->{field}_{idx} = "
    '-{errno};\n|{=v}->{field} ^= {mask};\n|pr_debug("{=mod}: {noun} %u is {state}\\n", '
    "{=v}->{field});\n",
    "errors": "|| ? ret : -{errno}",
    "mod": "{syl}{syl}|{syl}{syl}{idx}",
    "Mod": "{place}",
    "MOD": "{UNIT}{bit}X|{UNIT}_{bit}K",
    "part": "core|ring|queue|cache|bus|port|timer|irq|pool|page",
    "device": "framer|bridge|sequencer|controller|sampler|mixer|latch array|beacon|transcoder|balancer",
    "purpose": "bring-up|queue handling|power states|error recovery|register access|buffer accounting|wake-up logic",
    "lib": "ring|clk|host|pool|phy|stat|desc|slot|map|wait",
    "UNIT": "SLOTS|BANKS|LANES|PAGES|WORDS|FRAMES|TAGS|CELLS|CREDITS|EPOCHS",
    "unit": "slot|bank|lane|page|word|frame|tag|cell|credit|epoch",
    "field": "head|tail|depth|credits|level|state|budget|cursor|pending|refs|order|stride|quota|epoch",
    "noun": "slot|ring|frame|descriptor|buffer|lane|channel|page|token|request|bank|doorbell|window|"
    "segment|waiter|extent",
    "verb": "flush|arm|reset|drain|probe|commit|claim|release|scan|rotate|poll|requeue|pin|trim|enable|park",
    "state": "stale|idle|busy|full|dirty|ready|locked|empty|parked|valid",
    "table": "defaults|thresholds|lut|offsets|weights",
    "v": "dev|q|ctx|priv|self|hw",
    "arg": "nr|flags|idx|len|budget|mode",
    "idx": "0|1|2|3|4|5",
    "bit": "2|3|4|5|6|8|10|12|14|16",
    "width": "8|16|32",
    "num": "2|4|8|10|12|16|20|24|32|48|50|64|100|128|200|250|256|500|512|1024",
    "mask": "0x01|0x03|0x07|0x0f|0x10|0x1c|0x20|0x3f|0x40|0x55|0x7e|0x80|0xa5|0xc3|0xf0|0xff",
    "errno": "EINVAL|EBUSY|ENOMEM|EIO|ETIMEDOUT|ENODEV|EAGAIN|ENOSPC",
}
"""A file is one header and many functions; ``<%`` and ``%>`` are braces, as the C standard has it."""
