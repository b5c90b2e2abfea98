"""Written dates: `March 14th, 2023`, `14. März 2023`, `2023年3月14日` and `2023-W11` as ISO text.

The length of the result says how much is known: `2023`, `2023-03` or `2023-03-14`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from datetime import date, timedelta

from memkit.core.patterns import alternatives, pattern

# The names of each month and their abbreviations, also as they stand in dates (`marca`, `марта`), as `folded` leaves
# them: Germanic, Romance and Slavic languages, Greek, Turkish, Finnish, Hungarian, Indonesian, Hebrew, Arabic, Hindi.
_NAMES = """
jan january januar janner janeiro janvier janv enero ene gennaio gen januari январь января янв januara styczen
    stycznia sty leden ledna ianuarie gener ocak tammikuu tammikuuta ιανουαριος ιανουαριου ιαν січень січня ינואר
    בינואר يناير जनवरी
feb february februar febrero fevrier fevr fev fevereiro febbraio februari февраль февраля фев februara luty lutego lut
    unor unora februarie febrer subat helmikuu helmikuuta φεβρουαριος φεβρουαριου φεβ лютии лютого פברואר בפברואר
    فبراير फरवरी
mar march marz maerz mrz marzo mars marco maart mrt март марта мар marts marzec marca marec brezen brezna martie
    marcius mart maaliskuu maaliskuuta maret μαρτιος μαρτιου березень березня מרץ במרץ מרס مارس मार्च
apr april abril abr avril avr aprile апрель апреля апр aprila kwiecien kwietnia kwi duben dubna aprilie aprilis nisan
    huhtikuu huhtikuuta απριλιος απριλιου απρ квітень квітня אפריל באפריל أبريل ابريل अप्रैल
may mai mayo maio maggio mag mei маи мая maj maja kveten kvetna maig majus mayıs toukokuu toukokuuta μαιος μαιου
    травень травня מאי במאי مايو मई
jun june juni junio juin junho giugno giu июнь июня июн juna czerwiec czerwca cze cerven cervna iunie juny junius
    haziran kesakuu kesakuuta ιουνιος ιουνιου ιουν червень червня יוני ביוני يونيو जून
jul july juli julio juillet juil julho luglio lug июль июля июл jula lipiec lipca lip cervenec cervence iulie juliol
    julius temmuz heinakuu heinakuuta ιουλιος ιουλιου ιουλ липень липня יולי ביולי يوليو जुलाई
aug august agosto ago aout augustus август августа авг augusta augusti sierpien sierpnia sie srpen srpna agost
    augusztus agustos elokuu elokuuta agustus αυγουστος αυγουστου αυγ серпень серпня אוגוסט באוגוסט أغسطس اغسطس अगस्त
sep sept september septiembre setiembre septembre setembro set settembre сентябрь сентября сен septembra wrzesien
    wrzesnia wrz zari septembrie szeptember eylul syyskuu syyskuuta σεπτεμβριος σεπτεμβριου σεπ вересень вересня
    ספטמבר בספטמבר سبتمبر सितंबर सितम्बर
oct october oktober okt octubre octobre outubro out ottobre ott октябрь октября окт oktobra pazdziernik pazdziernika
    paz rijen rijna octombrie ekim lokakuu lokakuuta οκτωβριος οκτωβριου οκτ жовтень жовтня אוקטובר באוקטובר أكتوبر
    اكتوبر अक्टूबर
nov november noviembre novembre novembro ноябрь ноября ноя novembra listopad listopada listopadu lis noiembrie kasım
    marraskuu marraskuuta νοεμβριος νοεμβριου νοε נובמבר בנובמבר نوفمبر नवंबर नवम्बर
dec december dezember dez diciembre dic decembre dezembro dicembre декабрь декабря дек decembra grudzien grudnia gru
    prosinec prosince decembrie desembre desember aralık joulukuu joulukuuta δεκεμβριος δεκεμβριου δεκ грудень грудня
    דצמבר בדצמבר ديسمبر दिसंबर दिसम्बर
"""
_LINES = _NAMES.replace("\n    ", " ").strip().splitlines()
MONTHS = {name: number for number, line in enumerate(_LINES, 1) for name in line.split()}
_MONTH_OR_NONE = {None, *MONTHS}  # in a form without the name of one
_MONTH = r"(?P<month>[^\W\d_](?:[^\W\d_]|[\u0900-\u0963]){2,})\.?"  # one of these, or else it is no date
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|[.ºª])?"
_YEAR = r"(?P<year>\d{4})"
_OF_THE_YEAR = r"(?: ?(?:г|года|р|року|r|roku)\.?)?"  # in Russian, Ukrainian and Polish
_OF = r"(?:[ ,/-]+|[ ,]*\b(?:of|de|del|di)\b[ ]*)"
_TIME = r"(?:(?:[ ,]*\bat\b|[ ,Tt])[ ]*\d\d?:\d\d.*)?"
_WEEKDAYS = """
    mon monday tue tues tuesday wed weds wednesday thu thur thurs thursday fri friday sat saturday sun sunday
    mo montag di dienstag mi mittwoch do donnerstag fr freitag sa samstag sonnabend so sonntag
    lun lunes mar martes mie miercoles jue jueves vie viernes sab sabado dom domingo
    lundi mardi mer mercredi jeu jeudi ven vendredi sam samedi dim dimanche
    segunda segunda-feira terca terca-feira quarta quarta-feira quinta quinta-feira sexta sexta-feira
    lunedi martedi mercoledi giovedi venerdi sabato domenica
    понедельник вторник среда четверг пятница суббота воскресенье
    maandag dinsdag woensdag donderdag vrijdag zaterdag zondag wo vr za zo ma
    mandag tirsdag onsdag torsdag fredag lørdag søndag tisdag lordag sondag
    poniedziałek wtorek sroda czwartek piatek sobota niedziela pondeli utery streda ctvrtek patek nedele
    понеділок вівторок середа четвер пʼятниця субота неділя пн вт ср чт пт сб вс нд
    pazartesi salı carsamba persembe cuma cumartesi pazar luni marti miercuri joi vineri sambata duminica
    hetfo kedd szerda csutortok pentek szombat vasarnap
    maanantai tiistai keskiviikko torstai perjantai lauantai sunnuntai
    δευτερα τριτη τεταρτη πεμπτη παρασκευη σαββατο κυριακη
"""
_WEEKDAY = alternatives(_WEEKDAYS.split())
_CJK_WEEKDAY = r"(?:星期|周|週|礼拜|禮拜)[一二三四五六日天]|[月火水木金土日](?:曜日?)?|[월화수목금토일](?:요일)?"
_BEFORE = pattern(rf"(?:{_WEEKDAY})\b[ .,_-]*(?=\w)")
_AFTER = pattern(rf"(?:[ .,_(-]+(?:{_WEEKDAY}|{_CJK_WEEKDAY})|(?<=日)(?:{_CJK_WEEKDAY}))[).]*\Z")
_FORMS = tuple(
    pattern(form)
    for form in (
        rf"{_YEAR}([-/._ ])[ ]?(?P<m>\d\d?)\2[ ]?(?P<day>\d\d?)(?!\d)\.?{_TIME}",  # in Korean: 2018. 3. 27.
        # With the hour in a Zettelkasten: 202303141030.
        rf"{_YEAR}(?P<m>[01]\d)(?P<day>[0-3]\d)(?:[0-2]\d[0-5]\d(?:[0-5]\d)?)?",
        r"(?P<year>(?:1[6-9]|20)\d\d)[-/.](?P<m>\d\d?)",
        rf"{_YEAR}[ ]*年(?:[ ]*(?P<m>\d\d?)[ ]*月(?:[ ]*(?P<day>\d\d?)[ ]*[日号號])?)?{_TIME}",
        rf"{_YEAR}[ ]*년(?:[ ]*(?P<m>\d\d?)[ ]*월(?:[ ]*(?P<day>\d\d?)[ ]*일)?)?",
        rf"{_MONTH}[ ]*{_DAY}{_OF}{_YEAR}{_TIME}",
        rf"{_DAY}{_OF}{_MONTH}{_OF}{_YEAR}{_OF_THE_YEAR}{_TIME}",
        rf"{_YEAR}\.?{_OF}{_MONTH}(?:{_OF}{_DAY})?",
        rf"(?:ngay )?(?P<day>\d\d?) thang (?P<m>\d\d?),?(?: nam)? {_YEAR}",  # in Vietnamese
        rf"{_MONTH}{_OF}{_YEAR}",
        rf"(?P<first>\d\d?)(?P<mark>[-/.])[ ]?(?P<second>\d\d?)(?P=mark)[ ]?{_YEAR}(?!\d){_TIME}",
        rf"{_YEAR}-?w(?P<week>\d\d)",
        _YEAR,
    )
)
_BRACKETS = pattern(r"\A(?:\[\[|[<(\[\"']+)(.*?)[\])>\"']+\Z")
_DIGITS = pattern(r"\d{4}")  # each form has a year
LONGEST = 60  # characters; longer text is prose


def written_date(text: str, day_first: bool | None = None) -> str | None:
    """The date that a text is, as ISO text of a day, a month or a year; None for other text, also with a date in it.

    A weekday and a time of day may stand beside it, and links and brackets around it. `03/04/2023` may be April or
    March, so it is only a year, unless `day_first` says which; `14/03/2023` is a day. A week gives its month.
    """
    if len(text) > LONGEST or not _DIGITS.search(text):
        return None
    said = folded(text)
    while match := _BRACKETS.match(said):
        said = match[1].strip()
    for candidate in _without_weekday(said):
        for form in _FORMS:
            if (match := form.fullmatch(candidate)) and match.groupdict().get("month") in _MONTH_OR_NONE:
                return _iso(match.groupdict(), day_first)
    return None


def folded(text: str) -> str:
    """The text in lower case, without accents, with single spaces."""
    if not text.isascii():
        decomposed = unicodedata.normalize("NFKD", text)
        text = unicodedata.normalize("NFC", "".join(c for c in decomposed if not "\u0300" <= c <= "\u036f"))
    return " ".join(text.lower().split())


def _without_weekday(text: str) -> Iterator[str]:
    """The text itself; then without a weekday before it, and without one after it."""
    yield text
    if first := _BEFORE.match(text):
        yield text[first.end() :]
    if last := _AFTER.search(text):
        yield text[: last.start()]


def _iso(part: Mapping[str, str | None], day_first: bool | None) -> str | None:
    year = int(part["year"] or 0)
    if week := part.get("week"):
        return month_of_week(year, int(week))
    month, day = (None if text is None else int(text) for text in (part.get("m"), part.get("day")))
    if name := part.get("month"):
        month = MONTHS[name]
    if first := part.get("first"):
        month, day = _in_order(int(first), int(part["second"] or 0), True if part["mark"] == "." else day_first)
    return known_date(year, month, day)


def known_date(year: int, month: int | None = None, day: int | None = None) -> str | None:
    """What is known of a date as ISO text, as long as that; None if it is not in the calendar."""
    try:
        whole = date(year, 1 if month is None else month, 1 if day is None else day).isoformat()
    except ValueError:
        return None
    return whole[:4] if month is None else whole[:7] if day is None else whole


def _in_order(first: int, second: int, day_first: bool | None) -> tuple[int | None, int | None]:
    """Month and day of two numbers; neither if both orders are possible and nobody says which it is."""
    if first == second or first > 12 or not first:
        return second, first
    if second > 12 or not second:
        return first, second
    return (None, None) if day_first is None else (second, first) if day_first else (first, second)


def month_of_week(year: int, week: int) -> str | None:
    """The month of a week (ISO 8601) as ISO text; the year if it lies in two months, None if there is no such week."""
    try:
        monday = date.fromisocalendar(year, week, 1)
    except ValueError:
        return None
    first, last = monday.isoformat(), (monday + timedelta(days=6)).isoformat()
    return first[:7] if first[:7] == last[:7] else first[:4] if first[:4] == last[:4] else f"{year:04}"
