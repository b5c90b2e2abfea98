"""Labels of lines that say who made or leads something: `Author: ...`, `Regie: ...`, `译者：...`."""

from __future__ import annotations

# Attendees, dates and places of meetings are no knowledge about a work or a project.
_LABELS = {
    "author": (
        "author, authors, written by, by, writer, autor, autora, autores, autoras, escrito por, autorin, autoren, "
        "verfasser, verfasserin, auteur, autrice, auteurs, 作者, 著者"
    ),
    "director": (
        "director, directed by, directors, directora, dirigida por, dirección, regie, regisseur, regisseurin, "
        "réalisateur, réalisatrice, 导演"
    ),
    "translator": (
        "translator, translated by, traductor, traductora, traducción de, übersetzer, übersetzerin, traducteur, "
        "traductrice, 译者"
    ),
    "editor": "editor, edited by, editors, herausgeber, herausgeberin",
    "publisher": "publisher, published by, editorial, verlag, éditeur, 出版社",
    "developer": (
        "developer, developers, developed by, desarrollador, desarrolladora, desarrollado por, entwickler, "
        "entwicklerin, développeur, 开发者, 开发商"
    ),
    "creator": "creator, creators, created by, creador, creadora, creado por, schöpfer, créateur, créatrice",
    "designer": "designer, designers, designed by, diseñador, diseñadora",
    "artist": "artist, artists, performer, band, artista, künstler, künstlerin, interpret, 艺术家, 歌手",
    "composer": "composer, composed by, compositor, compositora, komponist, komponistin, compositeur, 作曲",
    "narrator": "narrator, narrated by, sprecher, sprecherin",
    "illustrator": "illustrator, illustrated by, ilustrador, ilustradora",
    "founder": (
        "founder, founders, founded by, co-founder, co-founders, fundador, fundadora, fundadores, gründer, "
        "gründerin, fondateur, 创始人"
    ),
    "lead": (
        "lead, leads, leader, led by, project lead, team lead, tech lead, líder, lidera, leitung, leiter, "
        "leiterin, 负责人"
    ),
    "moderator": "moderator, moderated by, facilitator, moderador, moderadora, moderation, moderatorin, 主持人",
    "maintainer": "maintainer, maintainers, maintained by, mantenedor",
    "speaker": (
        "speaker, speakers, presenter, presenters, presented by, lecturer, ponente, ponentes, orador, oradora, "
        "referent, referentin, vortragende, intervenant, 主讲, 主讲人, 嘉宾"
    ),
    "host": "host, hosts, hosted by, anfitrión, gastgeber, gastgeberin",
    "interviewer": "interviewer, interviewed by",
    "teacher": (
        "teacher, teachers, instructor, instructors, professor, prof, taught by, profesor, profesora, docente, "
        "maestro, maestra, dozent, dozentin, lehrer, lehrerin, professeur, professeure, 老师, 讲师, 教师"
    ),
    "owner": "owner, owners, product owner, dueño, dueña, besitzer, besitzerin",
}
LABELS = {label: predicate for predicate, labels in _LABELS.items() for label in labels.split(", ")}
# Keys of front matter whose values are who made or leads something.
MAKERS = frozenset(_LABELS) | frozenset("byline site".split())

# Headings above fields of the note itself, written together.
_ABOUT_THE_NOTE = frozenset(
    """metadata meta info information details about properties bibliography bibliographicinformation bookinfo
    bookinformation reference metadaten angaben steckbrief bibliographie metadatos datos ficha fichatécnica información
    metadados dados informações métadonnées fiche infos informations 基本信息 书籍信息 元数据 信息 基本情報 書誌情報
    書籍情報""".split()
)


def is_about_the_note(heading: str) -> bool:
    """Whether fields under a heading such as `Metadata` or `Steckbrief` are about what the whole note is about."""
    return "".join(heading.strip(" *_:#").casefold().split()) in _ABOUT_THE_NOTE
