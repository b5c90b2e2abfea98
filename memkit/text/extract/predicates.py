"""Predicate vocabulary: ids of predicates, those that have one object at a time, and those that front matter states."""

from __future__ import annotations

import re

from memkit.text.words import fold

# A new object of one of these predicates closes the old relation. Extend it with `SINGLE_VALUED | {...}`.
SINGLE_VALUED = frozenset(
    """lives_in works_at works_as married_to engaged_to born_in timezone birthday birthplace email phone address
    hometown nationality job name nickname native_language occupation profession age
    plans_to_live_in plans_to_work_at plans_to_study_at plans_to_marry""".split()
)
# And a new subject of one of these: `Lena is my boss` closes `Otto is my boss`. Of a friend there may be several.
ONE_BEARER = frozenset(
    """boss_of manager_of supervisor_of landlord_of landlady_of dentist_of therapist_of hairdresser_of barber_of
    physiotherapist_of accountant_of wife_of husband_of spouse_of fiancé_of fiancée_of""".split()
)
# What somebody plans, by what it will be once it is so.
PLANS = {
    "lives_in": "plans_to_live_in",
    "works_at": "plans_to_work_at",
    "member_of": "plans_to_join",
    "studies_at": "plans_to_study_at",
    "married_to": "plans_to_marry",
    "uses": "plans_to_use",
}


def one_at_a_time(predicate: str, others: frozenset[str] = SINGLE_VALUED) -> bool:
    """Whether a predicate has one object at a time: one of `others`, and each favourite."""
    return predicate in others or predicate.startswith("favourite_")


# Keys of front matter that say something of a note's subject, not of its file; others do if they end as _LIKE says.
KNOWLEDGE = SINGLE_VALUED | frozenset(
    """author writer director actor cast starring producer composer artist band singer illustrator photographer
    designer developer creator inventor founder editor translator publisher source studio manufacturer brand
    company organization organisation employer team member people person persons participant attendees speaker
    speakers guest host interviewer character genre language country city region continent location place venue
    origin era period year released published isbn doi album series season platform license cuisine ingredients
    species family breed spouse partner parents mother father children siblings brother sister friend colleague
    school university degree field discipline industry party religion instrument instruments born birthdate
    birth_date date_of_birth died phone_number telephone mobile e_mail mail allergy allergies diet blood_type pet
    pets hobby hobbies job_title
    geburtstag geboren gestorben telefon handy adresse beruf arbeitgeber allergie allergien
    cumpleanos nacimiento telefono correo direccion profesion alergia alergias
    anniversaire naissance courriel metier
    生日 电话 電話 手机 邮箱 地址 住所 职业 過敏 过敏
    autor autora autores editorial traductor genero idioma pais lugar ciudad regisseur verlag ubersetzer sprache land
    ort
    auteur realisateur editeur traducteur langue pays lieu ville diretor editora tradutor cidade
    作者 作家 导演 編劇 编剧 主演 演员 出版社 译者 譯者 类型 類型 语言 語言 国家 國家 地区 地點 地点 年份 人物 公司
    学校 著者 監督 出版 言語 国""".split()
)
_LIKE = re.compile(r"[a-z]{3,}_(?:by|at|in|of|from|with|to|for|on)\Z")

# Keys that have several values: each of them is one `author`.
_PLURALS = """author writer director actor artist developer creator founder editor publisher member participant guest
    character genre language location place friend colleague""".split()
_SAME = {f"{one}s": one for one in _PLURALS} | {
    "countries": "country",
    "companies": "company",
    "lives_at": "lives_in",
    "resides_in": "lives_in",
    "employed_by": "works_at",
    "works_for": "works_at",
    "time_zone": "timezone",
    "is_an": "is_a",
    "spouse_of": "married_to",
    "introduced_me_to": "introduced_to",
    "byline": "author",
    "written": "wrote",
    "authored": "wrote",
    "drawn": "drew",
    "co_founded": "founded",
    "established": "founded",
    "organised": "organized",
}


def is_knowledge(predicate: str) -> bool:
    """Whether a key of front matter (as an id) says something of the note's subject: `author`, `planted_by`."""
    return predicate in KNOWLEDGE or _LIKE.search(predicate) is not None


def predicate_id(predicate: str) -> str:
    """The id of a predicate: `Works at` and `works-for` become `works_at`; empty if it has no letters or digits."""
    words = "".join(c if c.isalnum() else " " for c in fold(predicate)).split()
    if len(words) > 1 and words[0] in ("is", "was", "are", "has") and words[1] not in ("a", "an"):
        words = words[1:]
    joined = "_".join(words[:6])
    return _SAME.get(joined, joined)
