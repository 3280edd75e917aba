"""Words of the invented world: what its fields study and how, and frames that make titles of them.

Everything here is made up for this project; no title, person or journal is meant to be a real one.
"""

FIELDS: dict[str, tuple[str, str]] = {
    "Coastal Hydrology": (
        "tidal basins|salt marshes|groundwater lenses|estuary plumes|storm surges|barrier islands|"
        "mangrove creeks|river deltas|sediment banks|lagoon inlets|coastal aquifers|"
        "flood embankments|dune ridges|brackish wetlands|drainage canals|seagrass meadows",
        "tracer dilution|drone bathymetry|isotope dating|hydraulic modelling|sediment coring|"
        "salinity logging|radar altimetry|flow gauging|turbidity sensing|flood routing",
    ),
    "Language Technology": (
        "code-switched dialogues|low-resource corpora|dialect lexicons|parliamentary speeches|"
        "legal contracts|spoken questions|historical newspapers|clinical notes|subword vocabularies|"
        "coreference chains|discourse markers|machine translations|word alignments|sarcastic replies|"
        "recipe instructions|sign language glosses",
        "contrastive pretraining|constrained decoding|retrieval augmentation|sequence labelling|"
        "preference tuning|back-translation|token pruning|prompt distillation|span masking|"
        "curriculum sampling",
    ),
    "Catalysis": (
        "zeolite frameworks|copper clusters|enzyme mimics|olefin feeds|ammonia reactors|"
        "perovskite surfaces|methane oxidations|palladium films|biomass slurries|photoredox cycles|"
        "single-atom alloys|hydrogen carriers|silica supports|nickel foams|polymer membranes|"
        "carbonate electrolytes",
        "operando spectroscopy|microkinetic fitting|flow calorimetry|ligand exchange|"
        "vapour deposition|isotopic labelling|impedance analysis|pulse titration|"
        "descriptor screening|plasma etching",
    ),
    "Immunology": (
        "memory lymphocytes|mucosal barriers|antibody repertoires|cytokine storms|regulatory cells|"
        "vaccine adjuvants|autoimmune lesions|lymph node niches|complement proteins|"
        "interferon responses|allergen peptides|macrophage subsets|checkpoint receptors|"
        "neonatal infections|gut epithelia|graft rejections",
        "flow cytometry|lineage tracing|single-cell sequencing|epitope mapping|adoptive transfer|"
        "spatial proteomics|knockout screening|serum profiling|intravital imaging|tetramer staining",
    ),
    "Robotics": (
        "legged walkers|soft grippers|warehouse fleets|surgical manipulators|aerial swarms|"
        "underwater gliders|tactile skins|garden weeders|humanoid hands|autonomous forklifts|"
        "cable-driven arms|rescue crawlers|vision beacons|exoskeleton joints|assembly cells|"
        "planetary rovers",
        "model predictive control|imitation learning|visual servoing|contact planning|"
        "sim-to-real transfer|trajectory smoothing|inertial odometry|impedance shaping|"
        "grasp sampling|task scheduling",
    ),
    "Labour Economics": (
        "minimum wages|apprenticeship contracts|gig platforms|rural commuters|pension reforms|"
        "parental leave schemes|hiring frictions|union ballots|seasonal migrants|remote offices|"
        "skill premiums|dismissal rules|job guarantees|retirement ages|occupational licences|"
        "wage subsidies",
        "panel regression|discontinuity designs|matched surveys|synthetic controls|audit studies|"
        "search models|payroll linkage|event studies|choice experiments|bunching estimation",
    ),
    "Astrophysics": (
        "stellar streams|magnetar bursts|dusty tori|exoplanet atmospheres|dwarf galaxies|"
        "pulsar glitches|accretion discs|cosmic voids|supernova remnants|brown dwarfs|"
        "gravitational lenses|comet tails|molecular clouds|globular clusters|quasar outflows|"
        "debris rings",
        "spectral stacking|timing analysis|transit photometry|radio interferometry|"
        "population synthesis|radiative transfer|weak-lensing tomography|light-curve fitting|"
        "speckle imaging|halo modelling",
    ),
    "Distributed Systems": (
        "replicated logs|serverless functions|object stores|vector indexes|consensus groups|"
        "stream joins|cache tiers|edge gateways|ledger shards|container schedulers|"
        "write-ahead journals|message brokers|query planners|memory pools|network switches|"
        "backup snapshots",
        "deterministic replay|erasure coding|lease renewal|fault injection|adaptive batching|"
        "clock synchronisation|formal verification|kernel bypass|load shedding|log compaction",
    ),
    "Developmental Psychology": (
        "bilingual toddlers|joint attention episodes|sibling conflicts|bedtime routines|"
        "number concepts|peer rejections|pretend play|working memory spans|moral judgements|"
        "reading delays|screen habits|attachment styles|school transitions|motor milestones|"
        "emotion labels|gesture imitations",
        "eye tracking|diary sampling|growth-curve modelling|parent interviews|habituation tasks|"
        "twin comparisons|classroom observation|storybook prompts|actigraphy|sentence repetition",
    ),
    "Soil Ecology": (
        "fungal networks|earthworm burrows|nitrogen pools|cover crops|peat profiles|root exudates|"
        "tillage regimes|compost amendments|mite communities|heath restorations|vineyard terraces|"
        "microbial mats|urban lawns|straw mulches|boreal litters|clay aggregates",
        "amplicon sequencing|lysimeter monitoring|litterbag trials|stable-isotope probing|"
        "enzyme assays|chronosequence sampling|plot randomisation|carbon budgeting|"
        "hyperspectral mapping|pore imaging",
    ),
}
"""Field of study -> sixteen things it studies and ten ways of studying them, separated by ``|``."""

QUALITIES = (
    "robust|seasonal|scalable|low-cost|long-term|fine-grained|delayed|unexpected|regional|"
    "nonlinear|early|persistent|hidden|rapid|uneven|repeated|coupled|self-limiting|age-dependent|"
    "small-scale|reversible|shared|noisy|asymmetric|gradual|selective|fragile|overlapping|"
    "context-sensitive|transient|cumulative|rare"
)
"""What anything can be."""

ASPECTS = (
    "stability|variation|recovery|growth|decay|diversity|uncertainty|resilience|transport|memory|"
    "competition|ageing|scaling|coordination|drift|sensitivity|turnover|heterogeneity|thresholds|"
    "trade-offs|failure modes|feedback|exchange|detection|ranking|cost|quality|timing"
)
"""What is measured of anything."""

FRAMES = (
    "{Quality} {aspect} of {thing} under {way}",
    "{Way} for {quality} {thing}",
    "How {thing} shape the {aspect} of {other}",
    "On the {aspect} of {thing} near {other}",
    "Does {way} explain the {aspect} of {thing}?",
    "{Thing} and {other}: a {quality} comparison by {way}",
    "Towards {quality} {way} of {thing}",
    "Measuring {aspect} in {thing} with {way}",
    "A {quality} link between {thing} and {other}",
    "{Way} reveals {quality} {aspect} in {thing}",
    "Rethinking {aspect} in {quality} {thing}",
    "From {thing} to {other}: {quality} {aspect} revisited",
    "Limits of {way} in the study of {quality} {thing}",
    "{Quality} {thing} as a driver of {aspect} in {other}",
    "What {way} tells us about {quality} {thing}",
    "Predicting the {aspect} of {thing} from {quality} {other}",
    "{Thing} without {other}: lessons from {way}",
    "Evidence for {quality} {aspect} across {thing} and {other}",
    "Comparing {way} with {second_way} on {quality} {thing}",
    "An open data set of {quality} {thing} collected by {way}",
)
"""Titles; a capital marks where a sentence begins. No two frames share their fixed words."""

SYLLABLES = tuple(consonant + vowel for consonant in "bdfgklmnprstvwyz" for vowel in "aeio")
"""Invented surnames and coined names are spelled with these, two letters each: a spelling reads one way."""

GIVEN_NAMES = (
    "Abena|Aleko|Anneli|Arvid|Basil|Bruna|Caspian|Chiara|Dagny|Darius|Edda|Emeka|Farida|"
    "Fenna|Gideon|Halima|Ilse|Imre|Jovan|Juno|Kaito|Kirsi|Leandro|Linnea|Mahdi|Marisol|"
    "Nadir|Noor|Odile|Oskar|Petra|Quentin|Ravi|Rosalba|Saskia|Soren|Tamsin|Teodor|Ulla|"
    "Umar|Valentin|Vesna|Wiebke|Xenia|Yara|Yusuf|Zadie|Zoltan"
)
"""Given names of invented authors."""

VENUES = (
    "Journal of Invented {field}",
    "Transactions of the Imagined {field} Society",
    "Fictional Letters in {field}",
    "Proceedings of the Unheld Conference on {field}",
)
"""Venues say themselves that they do not exist."""
