"""Word lists for name recognition: capitalised words that are not names, and small words inside names."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# In English, German, Spanish, French, Portuguese and Italian.
WEEKDAYS = _words(
    """monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays
    sundays mon tue tues wed thu thurs fri sat sun fr montag dienstag mittwoch donnerstag freitag samstag sonntag
    lunes martes miércoles jueves viernes sábado domingo lundi mardi mercredi jeudi vendredi samedi dimanche
    segunda-feira terça-feira quarta-feira quinta-feira sexta-feira lunedì martedì mercoledì giovedì venerdì sabato
    domenica"""
)
MONTHS = _words(
    """january february march april may june july august september october november december jan feb mar apr jun jul aug
    sep sept oct nov dec januar februar märz mai juni juli oktober dezember
    enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
    janvier février mars avril juin juillet août septembre octobre novembre décembre
    janeiro fevereiro março maio junho julho setembro outubro novembro dezembro
    gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre"""
)
SEASONS = _words(
    "christmas xmas easter halloween thanksgiving hanukkah ramadan eid diwali hogmanay spring summer autumn winter fall"
)
CALENDAR = WEEKDAYS | MONTHS | SEASONS

# Languages, peoples and their adjectives: capitalised in English, but not the name of a person or thing.
PEOPLES = _words(
    """english french german italian spanish portuguese dutch danish swedish norwegian finnish polish czech hungarian
    romanian bulgarian greek turkish russian ukrainian arabic hebrew persian hindi urdu bengali tamil punjabi chinese
    japanese korean thai vietnamese indonesian malay british irish scottish welsh american americans canadian mexican
    brazilian argentinian colombian chilean peruvian cuban african african-american asian european europeans australian
    indian indians pakistani iranian iraqi israeli palestinian egyptian moroccan nigerian kenyan ethiopian south-african
    austrian swiss belgian scandinavian mediterranean latin latino latina hispanic caribbean victorian christian
    christians jewish jew jews muslim muslims buddhist hindu catholic protestant orthodox islamic celtic viking western
    eastern northern southern
    soviet soviets afghan albanian algerian armenian assyrian azerbaijani babylonian basque bavarian belarusian
    bohemian bolivian bosnian bulgarians byzantines cambodian cantonese catalan chechen corsican croatian cypriot
    ecuadorian estonian filipino flemish frisian galician georgians germans guatemalan haitian icelandic jamaican
    javanese jordanian kazakh kurdish laotian latvian lebanese libyan lithuanian macedonian malaysian maltese
    mandarin mesopotamian moldovan mongolian montenegrin nepalese nepali ottoman panamanian paraguayan philippine
    prussian russians sanskrit saudi saxon scots serbian sicilian singaporean slovak slovenian somali sudanese
    sumerian syrian taiwanese tibetan tunisian turks ugandan uruguayan uzbek venezuelan westphalian yiddish
    deutsch français francais español espanol castellano italiano português portugues nederlands svenska dansk norsk
    suomi polski čeština magyar română türkçe русский українська български
    yugoslav zimbabwean italians mexicans canadians australians brazilians ukrainians swedes danes poles britons
    spaniards egyptians romans greeks arabs hindus slavic germanic anglo-saxon"""
)

# Abbreviations in capitals that are not names.
SHORTHAND = _words(
    """ok okay lol lmao rofl omg wtf btw fyi imo imho tbh idk brb asap eta diy faq tba tbd aka rip ps nb pm am bc ad ce
    bce tv pc id ceo cto cfo hr pr it ui ux api url pdf html css xml json csv svg png jpg jpeg gif zip yaml gui gps
    usb cpu gpu ram led dna pin atm suv os hw sw uid gid eol strg
    sí sim ja nein oui ip
    ctrl cmd esc utc gmt pst pdt edt cdt mst mdt cest jst
    true false null vip todo fixme note nsfw tldr eur usd gbp kg km cm mm ml mph kb mb gb tb khz mhz ghz fps dpi
    vs versus mio mrd tsd
    kw mw gw kwh mwh gwh twh
    xoxo xd xdd wdym wbu hbu wyd wby ikr idc ofc nvm smh ily yay aww haha wow rsvp diy pov etc ex obs eq eqn"""
)

# How far a task is, before what is to do: `DONE Call the dentist`.
TASKS = frozenset("TODO DONE DOING NOW LATER WAITING WAIT NEXT STARTED HOLD SOMEDAY CANCELED CANCELLED FIXME".split())

# What has numbers: with one of them, and no other word, it is a part of something (`Chapter 2`, `Book IV`, `Option A`).
PARTS = _words(
    """chapter chapters volume volumes section sections book books part parts page pages figure table lesson lecture
    week day step exercise exercises unit task problem question episode season act scene verse article paragraph
    appendix tip level phase stage round grade option variant version slide edition issue line row column room point
    kapitel band seite seiten abschnitt teil übung aufgabe lektion vorlesung woche tag schritt folge staffel akt szene
    vers artikel absatz anhang tabelle abbildung heft nummer stufe klasse variante raum punkt zeile blatt
    chapitre tome partie leçon semaine jour étape etape exercice séance scène acte verset annexe tableau niveau
    capítulo capitulo tomo parte lección leccion semana día dia paso ejercicio tema unidad sesión acto escena anexo
    tabla figura etapa nivel aula passo exercício tabela seção
    capitolo lezione settimana giorno esercizio esercitazione fase livello tabella
    top hoofdstuk deel les dag stap oefening opgave
    rozdział tom część lekcja wykład tydzień dzień krok ćwiczenie zadanie tabela
    глава том часть урок лекция неделя день шаг упражнение задание"""
)

# The same, as a number behind it shows (`Vol. 3`, `Abs. 2`).
PART_ABBREVIATIONS = frozenset(
    """Vol Vols Chap Ch Sec Sect Fig Figs Tab Art No Nr Abs Bd Abb Kap Rn Rz Ziff Anm Var Alt Lit Núm Num Cap Pág Págs
    Rozdz""".split()
)

# Determiners, pronouns, prepositions, conjunctions, auxiliaries, question words and their contractions.
FUNCTION = _words(
    """a an the this that these those my your his her its our their mine yours hers ours theirs some any no none every
    each either neither both all many much more most few fewer less least several such another other others same own
    i me we us you he him she it they them myself yourself himself herself itself ourselves themselves one ones
    someone somebody something anyone anybody anything everyone everybody everything nobody nothing
    who whom whose which what when where why how whoever whatever whenever wherever
    and or but nor so yet if then else than as because since until till while although though unless whereas whether
    of in on at by to from for with without within into onto over under above below between among through during
    before after against about around across along behind beside besides beyond despite down up off out near past per
    plus toward towards upon via like unlike except
    is am are was were be been being have has had having do does did doing done will would shall should can could may
    might must ought let lets let's not never n't cannot
    don't doesn't didn't isn't aren't wasn't weren't won't wouldn't can't couldn't shouldn't haven't hasn't hadn't ain't
    i'm i've i'd i'll im ive it's it'll that's that'll there's here's what's where's who's how's we're we've we'll we'd
    you're you've you'll you'd they're they've they'll they'd he's he'll he'd she's she'll she'd
    there here now just also too very only even still again already almost always often sometimes ever"""
)

# Words that thank and excuse: no names, also where a message has lost its line breaks and they stand in the middle of
# one with a capital (`Ok I see Thank you`).
THANKS = _words("thank thanks thx please sorry congrats congratulations")

# Words that open sentences and greetings: before a name at the start of a sentence, they do not belong to it.
OPENERS = _words(
    """hi hey hello hiya howdy yo dear greetings welcome goodbye bye cheers thanks thank thx ty please sorry congrats
    congratulations happy merry good great nice lovely awesome amazing cool perfect excellent wonderful fantastic
    beautiful sweet brilliant fine right sure yes yeah yep yup yea no nope nah oh ooh ah aha hmm hm um uh wow whoa haha
    hahaha ha lol omg ok okay alright well anyway anyways actually basically honestly really seriously literally
    apparently obviously clearly maybe perhaps probably possibly hopefully luckily fortunately unfortunately sadly
    finally eventually suddenly recently lately currently today tonight tomorrow yesterday later soon once first second
    third next last meanwhile otherwise therefore however moreover furthermore additionally instead indeed especially
    yet absolutely definitely totally exactly certainly
    initially originally formerly previously generally usually typically normally historically traditionally essentially
    specifically similarly ideally ultimately primarily mainly mostly simply technically consequently subsequently
    interestingly surprisingly conversely alternatively occasionally
    selam merhaba günaydın tamam evet hayır bugün yarın dün sayın sevgili
    ask tell call meet met see saw seen show give gave take took get got go going gone come came make made keep kept
    put send sent say said says saying know knew think thought feel felt find found want wanted need needed try tried
    use used using look looks looking check remember remind forget bring buy bought pick visit visited join joined
    invite invited email emailed text texted write wrote read watch watched play played love loved hate miss missed
    like liked hope hoped wish guess bet believe imagine consider add added remove update updated fix fixed start
    started stop stopped leave left move moved live work worked talk talked speak spoke hear heard listen wait
    enjoy enjoyed help helped learn learned follow followed book booked order ordered plan planned finish finished
    schedule discuss discussed review reviewed book contact confirm told paid lost taught caught brought held led fed
    drove rode flew sold spent lent woke chose broke threw fought understood forgot began became
    morning afternoon evening night day days week weekend month year years birthday anniversary
    new old big small little long short high low early late best better worst worse glad excited proud
    speaking according based given due dude man guys everyone folks people friends team mom mum dad grandma grandpa
    sounds seems turns glad two three four five six seven eight nine ten
    note notes question answer summary idea ideas step steps part section chapter version example important warning
    edition volume agenda attendees action actions decision decisions date
    time place location status title name author source tags"""
)

# What notes tell to do, before the name of a thing: Install Docker.
COMMANDS = _words(
    """open close quit view reload restart install uninstall reinstall run build rebuild create delete configure enable
    disable import export deploy download upload upgrade downgrade connect disconnect click press type select
    choose convert copy paste merge migrate rename replace reset restore save search switch test toggle translate
    wrap push pull integrate implement explore deprecate drop refactor rewrite debug document investigate
    evaluate research setup ensure"""
)
# Those with which no name begins, whatever follows.
ONLY_COMMANDS = _words(
    "install uninstall reinstall configure enable disable ensure delete download upload upgrade downgrade"
)
# How a message ends, before the name of its writer where its line breaks are lost: `Best Regards Otto`.
REGARDS = _words("best kind warm warmest kindest regards wishes")

# Common words that often begin a name: they are never removed from its front.
NAME_FORMING = _words(
    """new san saint st santa los las el la le de north south east west great big old little red white black blue green
    golden silver royal national united grand mount lake port fort cape lower upper central general university bank
    museum institute college school church king queen prince princess lord lady sir dr mr mrs ms prof professor captain
    president street river castle hotel café cafe restaurant project operation"""
)

TITLES = _words(
    """dr mr mrs ms miss mx prof professor doctor sir madam lord lady saint st king queen prince princess duke count
    president captain general colonel major sergeant judge senator governor mayor minister pope bishop father sister
    brother uncle aunt auntie herr frau señor señora monsieur madame rev jr sr"""
)

# A full stop after one of these, or after a single letter, does not end a sentence.
ABBREVIATIONS = _words("dr mr mrs ms prof st mt ft jr sr rev hon gen col sgt capt lt vs no vol dept inc ltd co corp")

# Lower-case words that may stand between two capitalised words of one name.
CONNECTORS = _words(
    "of de del della di da do dos das du des la las le les van von der den ter ten zu zum zur y bin ibn al el upon &"
)
# Those that say `of` in Romance languages.
ROMANCE_OF = _words("de del della di da do das dos du des")
EPITHETS = _words(
    """great elder younger terrible wise bold pious fat good bald conqueror confessor builder magnificent lionheart
    pooh bear baptist evangelist apostle first second third fourth old young red black white fair"""
)

# Words of one letter in other languages than English, as a sentence begins with them: `W Polsce`, `Y Rosa`.
ONE_LETTER = _words("A E I K O S U V W Y Z À È É Ó В К С У О И А Я І З Й")

# German function words; two of them make a sentence German, where all nouns have a capital.
GERMAN = _words(
    """der die das den dem des ein eine einen einem einer und oder aber nicht ist sind war waren hat habe haben wird
    werden ich du er sie wir ihr mich mir dich dir uns euch mein meine meinen meinem meiner sein seine ihre ihren unser
    unsere mit von für auf aus bei nach zum zur im am vom beim dass wenn weil auch noch schon sehr heute gestern morgen
    kein keine als wie zu durch eines kann können wurde wurden über unter zwischen sich dann nur diese dieser dieses
    diesen jede jeder jedes mehr ohne gegen seit während welche welcher welches denn damit dabei dazu sowie muss müssen
    soll sollen sollte dürfen immer wieder viel viele meist bzw dessen deren ihm ihnen jedoch doch nun weitere solange
    sobald sofern falls nachdem bevor obwohl sodass indem sonst danach außerdem deshalb herrn"""
)
# One of these is enough, where no word is English: no other language and no family name has them.
GERMAN_ALONE = _words(
    """das und oder nicht ist einen einem einer eines eine wird für auf aus bei beim zum zur vom dass weil auch kein
    keine durch können wurde wurden über unter zwischen sich dann nur diese dieser dieses diesen jede jeder jedes mehr
    ohne gegen während welche welcher welches damit dabei dazu sowie müssen sollen sollte dürfen immer wieder bzw
    deren dessen wir haben habe hast hätte wäre würde bist gibt geht mich dich euch warum wenn dann jetzt heute gestern
    schon etwas nichts meine deine wohne wohnt arbeite"""
)
ENGLISH_AND_GERMAN = _words("in an im via so am was war will all man also hat die des her per plus")
# Articles of other languages: with a capital they begin a sentence far more often than a name.
ARTICLES = _words(
    "el la los las lo un una unos unas o os as um uma le les il gli i uno der die das ein eine de het een l"
)
# First names where German is spoken. `Werner Lang` begins a sentence otherwise than `Großer Speicher`, and alone they
# are names, too, where each noun has a capital: `Norman kommt`.
GERMAN_FIRST_NAMES = _words(
    """achim adam adrian agnes albert alexander alexandra alexej alfred alina andre andrea andreas andré angela
    angelika anja anke anna anne annette annika antje anton arne arthur astrid barbara bastian beate ben benedikt
    benjamin benno bernd bernhard bettina bianca birgit birte bjarne björn boris brigitte bruno carla carlo carmen
    carola caroline carsten cem charlotte christa christian christiane christina christine christoph christopher
    claire clara claudia clemens conrad constantin cornelia daniel daniela daniele david denis denise dennis detlef
    diana dieter dirk dominik dorothea dörte dörthe eberhard eckhard edgar edith eduard egon elena eleonora elias
    elisabeth elke ellen elsa emanuel emil emilia emma enrico erich erik erika erwin eugen eva evelyn fabian fatma
    felix ferdinand finn florian frank franz franziska frauke frederik friederike fritz gabriel gabriela gabriele
    georg georges gerald gerd gerda gerhard gerrit gertrud gesche gisela gitte gottfried gregor greta gudrun gustav
    günter günther hagen hanna hannah hanne hannelore hannes hans harald harry hartmut heide heidi heike heiner
    heinrich heinz helen helene helga helge helmut henning henrik henry herbert hermann hilde holger hubert hugo ida
    ilona ilse imke ines inge inger ingo ingrid irene irina irmgard isabel isabell isabella ivan jaime jakob jana
    jane janina jannik jasmina jasmine jeannette jens jessica joachim joana jochen johann johanna johannes jonas
    jonathan jorge josef josefine joseph juan judith jule julia julian juliana justus jörgen jürgen karen karin karl
    karla karoline karsten katarina kate katharina katharine kathrin katja katrin kerstin kevin kilian kirsten klara
    klaus konrad konstantin kristin kristina kurt käthe lara lars lasse laura lea lena leon leonard leonie leonore
    levin liese lina linda linus lisa lothar lotte louisa louise luca lucas lucia ludwig luis luisa luise lukas
    magdalena maike malte manfred manne manuel manuela marcel marco marcus mareike maren margarete margit maria
    marianne marie mario marion marius marko markus marlene marlies martha martin martina mathias mathilda matthias
    maximilian mehmet meike melanie melina mercedes merle mia michael michaela michele mira miriam mirko mohamed
    monika moritz mustafa nadine nadja natalia natalie nele niclas nico nicolas nicole nikita niklas niko nils nina
    noah nora norbert norman olaf ole oleg olga oliver oskar patricia patrick paul paula pauline pavel pedro peter
    petra philip philipp pia rafael rainer ralf ralph raphael rebecca regine reiner reinhard renata renate richard
    rike rita robert roger roland rolf roman ronald rosemarie ruben rudolf rupert rüdiger sabine sandra sara
    sarah sascha sebastian sergej siegfried sigrid silke silvia simon simone sofia sonja sophie stefan stefanie
    steffen stephan stephanie susanne sven svenja sören tamara tanja tatjana theodor theresa thomas thorben thorsten
    tilman tina tobias torben torsten ulrich ulrike urs ursula ute uwe valentin valentine vanessa vera verena
    veronika viktor viktoria vincent volker walter werner wiebke wilfried wilhelm winfried wolfgang xaver yannick
    yasmin yusuf yvonne"""
)
# Before a noun they point to something: what they begin is no name.
DEMONSTRATIVES = _words(
    """this that these those dieser diese dieses diesen diesem jener jene jenes ce cet cette ces este esta estos estas
    ese esa esos esas aquel aquella questo questa quello quella esse essa isto"""
)
# What Chinese and Japanese sentences are made of: a note may be called so, and no sentence means it.
CJK_FUNCTION = _words(
    """什么 为什么 怎么 怎么办 怎么样 怎样 如何 为何 是什么 有什么 干什么 什么是 哪里 哪些 谁的 多少 几个 我们 你们
    他们 她们 它们 自己 这个 那个 这些 那些 这样 那样 这里 那里 可以 不能 没有 因为 所以 但是 如果 虽然 然后 还有
    就是 不是 一个 一些 一下 什麼 為什麼 怎麼 怎麼辦 怎麼樣 怎樣 如何 為何 是什麼 我們 你們 他們 這個 那個 這些
    這樣 可以 沒有 因為 所以 但是 如果 なぜ どうして どうやって もの こと ため とき ところ これ それ あれ 私たち
    自分 何か とは"""
)
# Before a name at the start of a sentence in French, Spanish, Italian, Portuguese, Dutch or German. Left out are those
# that are names, too, in any of them (`Dan`, `Ante`, `Cara`).
FOREIGN_OPENERS = _words(
    """au aux pour selon chez contre dans avec sans comme quand lorsque depuis après avant pendant entre vers malgré
    parmi sauf suivant puis alors ainsi donc mais bien cependant pourtant toutefois enfin aussi même tout toute tous
    toutes chaque notre nos votre vos leur leurs demain hier aujourd'hui voici voilà merci bonjour salut cher chère
    para según con sin desde hasta contra como cuando durante hacia bajo tras mediante después antes aunque porque
    pero mientras también además entonces así luego ayer hoy gracias hola querido querida nuestro nuestra cada todo
    toda todos todas secondo contro come quando dopo prima durante verso presso senza sotto sopra mentre perché
    anche inoltre quindi allora così poi oggi ieri domani grazie ciao ogni tutto tutta tutti tutte nel nella nello
    negli nelle dal dalla sul sulla segundo com quando até sem sob sobre após depois embora mas enquanto também além
    então assim hoje ontem amanhã obrigado obrigada olá nosso nossa pelo pela voor volgens bij tegen zoals met sinds
    naar zonder onder tussen tijdens omdat maar terwijl ook toen vandaag gisteren morgen bedankt hallo beste onze
    elke laut"""
)
# Pronouns and questions of other languages: as the subject of a sentence they name nobody.
FOREIGN_PRONOUNS = _words("er sie es wir ihr man il elle on ils elles nous él ella ello ellos ellas nosotros nosotras")
# Pronouns that have a capital out of courtesy, inside a sentence, too: Polish, Czech and Slovak, Russian and Ukrainian,
# Bulgarian and Serbian, German, Spanish, Hungarian, Finnish, the Baltic languages, and Indonesian.
COURTESY = frozenset(
    """Ci Cię Ciebie Tobie Tobą Twój Twoja Twoje Twoją Twojej Twojego Twojemu Twoim Twoich Twoimi Wam Was Wami Wasz
    Wasza Wasze Waszą Waszej Waszego Waszemu Waszym Waszych Waszymi
    Vy Vás Vám Vámi Váš Vaše Vaši Vaší Vašeho Vašemu Vašem Vaším Vašich Vašimi Vašu Vašej
    Вы Вас Вам Вами Ваш Ваша Ваше Ваши Вашу Вашей Вашего Вашему Вашем Вашим Ваших Вашими Ви Вашої Вашій Вашою Ваші
    Вие Вашата Вашето Вашите Вашия
    Sie Ihnen Ihr Ihre Ihren Ihrem Ihrer Ihres Usted Ustedes Ud Uds Vd Vds
    Ön Önök Önt Önnek Önöknek Önnel Ti Titeket Nektek Teidän Teitä Teille Teiltä
    Jūs Jums Jūsų Jumis Jūsu Teie Anda""".split()
)
FOREIGN_QUESTIONS = _words(
    """wer was wie wo wodurch womit worin woran woraus wofür wozu wovon worauf worüber woher wohin wann warum weshalb
    weswegen wieso welche welcher welches wessen wem wen qué quién quiénes cómo cuándo dónde cuál cuáles qui que quoi
    quel quelle quels quelles comment où quand pourquoi chi che cosa come dove quando perché quem onde porque"""
)
GERMAN_DETERMINERS = _words(
    """der die das den dem des ein eine einen einem einer eines mein meine meinen meinem meiner dein deine deinen
    sein seine seinen seinem seiner ihr ihre ihren ihrem ihrer unser unsere unseren kein keine keinen keiner
    dieser diese dieses diesen jeder jede jedes jeden im am zum zur vom beim ins ans viel viele wenig jeden alle
    etwas"""
)
# A noun after one of these says what is measured: `1 TL Salz`, `eine Tasse Wasser`.
GERMAN_MEASURES = _words(
    """tl el teelöffel esslöffel prise prisen tasse tassen becher glas dose dosen bund bd päckchen pck packung pkg
    stück stücke scheibe scheiben zehe zehen messerspitze msp handvoll schuss spritzer liter gramm kilo g kg mg
    ml cl dl l"""
)
# Legal forms, and words in capitals or with one inside that name nobody in German.
GERMAN_NO_NAMES = _words(
    """gmbh ggmbh mbh kg ohg gbr ug ev eg sehr nie nur alle kein keine immer nicht auch mehr jetzt ganz viel oft dass
    muss darf soll kann mal max min abs art nr std tel mwst ust bzw usw ggf vgl evtl inkl exkl zzgl
    studentinnen schülerinnen lehrerinnen"""
)
