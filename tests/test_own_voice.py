"""Whose words a memory is: what `I` means in chats, in notes, in quotations and on pages about people."""

from json import dumps
from pathlib import Path

import pytest

from memkit import MemoryDatabase
from memkit.text.extract.claims import find_statements
from memkit.text.extract.voice import quotations


@pytest.fixture
def db() -> MemoryDatabase:
    return MemoryDatabase(embed="none")


def facts(db: MemoryDatabase) -> set[str]:
    rows = db.conn.execute(
        "select s.name, r.predicate, o.name from relations as r join entities as s on s.key = r.subject_key"
        " join entities as o on o.key = r.object_key"
        " where r.expired_at is null and r.key in (select relation_key from evidence where method = 'pattern')"
    )
    return {f"{s} {p} {o}" for s, p, o in rows}


def note(folder: Path, name: str, text: str) -> None:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


@pytest.mark.parametrize(
    "text",
    [
        "> I live in Ghent.",
        "- > I live in Ghent.",
        "> [!quote] Edda\n> I live in Ghent.",
        "#+BEGIN_QUOTE\nI live in Ghent.\n#+END_QUOTE",
        "<blockquote>\nI live in Ghent.\n</blockquote>",
        "“I live in Ghent. It rains.”",
        'She said: "I live in Ghent."',
        "Edda Meulen: I live in Ghent.",
        "**Edda**: I live in Ghent.",
        "@edda: I live in Ghent.",
        "A: I live in Ghent.",
    ],
)
def test_the_i_of_a_quotation_is_not_the_speaker(text: str) -> None:
    assert find_statements(text) == []
    assert find_statements(f"{text}\n\nI work at Nordlys.")[0].object == "Nordlys"


@pytest.mark.parametrize(
    "text", ["> [!note] Home\n> Edda lives in Ghent.", "Update: I live in Ghent.", "a -> b. I live in Ghent."]
)
def test_a_callout_and_a_label_are_the_authors_words(text: str) -> None:
    assert [one.object for one in find_statements(text)] == ["Ghent"]


HANDED_OVER = [
    "Summarise this mail:\n\nHi,\n\nI live in Ghent and I now work at Nordlys.\n\nBest, Otto",
    "Fix the grammar: I has moved to Ghent.",
    "Can you proofread this?\n\nI quit my job at Halberd and joined Quillon.",
    "Please reply to this message:\nI moved to Ghent.",
    "Pretend that I moved to Ghent.",
    "I want you to act as a man who says: I live in Ghent.",
    "My character in the game: I live in Ghent, I work at Nordlys.",
    "error: I moved to Ghent",
    "Example sentence: I live in Ghent.",
    "My bio for the fake account: I live in Ghent and work at Nordlys.",
    "Dear diary, I live in Ghent, wrote Anne.",
    "I live in Ghent, she said.",
    "I live in Ghent, says the hero.",
    "I was told to say that I live in Ghent.",
    "Übersetze das:\nIch wohne in Ghent.",
    "Ich habe geträumt, ich wohne in Ghent.",
    "Ich wohne in Ghent, sagte sie.",
    "Traduce esta frase: Vivo en Ghent.",
    "Traduis ce texte : J'habite à Ghent.",
    "翻译：我住在罗马。",
    "我梦见我住在罗马。",
]


@pytest.mark.parametrize("text", HANDED_OVER)
def test_the_i_of_a_text_that_is_handed_over_played_or_told_is_not_the_speaker(text: str) -> None:
    assert [one for one in find_statements(text, "user") if "user" in (one.subject, one.object)] == []


@pytest.mark.parametrize(
    "text",
    [
        "Can you make me a plan?\nI live in Ghent.",
        "I can't imagine a day without tea. I live in Ghent.",
        "Shorten your answers. I live in Ghent.",
        "What is a good game to play? I live in Ghent.",
        "Note: I live in Ghent.",
        "I told her so, I said. I live in Ghent.",
        "I live in Ghent.\nTranslate this: Vivo en Roma.",
    ],
)
def test_what_is_said_beside_it_is_the_speakers(text: str) -> None:
    assert [(one.subject, one.object) for one in find_statements(text, "user")] == [("user", "Ghent")]


CALLED_USER = {
    "User.md": "# User\n\nLives in Ghent. Married to Edda Meulen. See [[Otto Brandt]].\n",
    "people/User.md": "---\ntype: person\nspouse: Edda Meulen\nemployer: Nordlys\n---\n\nBorn in Ghent.\n",
    "fields.md": "---\nauthor: user\nrelated: '[[User]]'\n---\n\nSee [[User]]. [[User]] works at Nordlys.\n",
    "alias.md": "---\naliases: [user, Otto]\nemployer: Nordlys\n---\n\n# Otto Brandt\n\nLives in Ghent.\n",
    "title.md": "---\ntitle: USER\nlives in: Ghent\n---\n\nText.\n",
    "plain.md": "Edda Meulen is married to User. User lives in Ghent.\n",
    "x.vcf": "BEGIN:VCARD\nVERSION:3.0\nFN:User\nORG:Nordlys\nBDAY:1990-01-01\nEND:VCARD\n",
    "y.vcf": "BEGIN:VCARD\nVERSION:3.0\nFN:Otto Brandt\nNICKNAME:user\nORG:Nordlys\nEND:VCARD\n",
    "mail.eml": "From: User <u@x.org>\nSubject: hi\nDate: Mon, 1 Jan 2024 10:00:00 +0000\n\nUser works at Nordlys.\n",
    "chat.jsonl": dumps({"messages": [{"role": "assistant", "content": "User lives in Ghent."}]}) + "\n",
    "table.csv": "name,text\nUser,User lives in Ghent.\n",
}


@pytest.mark.parametrize("file", CALLED_USER)
@pytest.mark.parametrize("first", [False, True])
def test_nothing_that_files_say_of_a_user_is_said_of_the_user(
    db: MemoryDatabase, tmp_path: Path, file: str, first: bool
) -> None:
    note(tmp_path, file, CALLED_USER[file])
    if first:
        db.ingest(tmp_path)
    db.ingest([{"text": "I work at Halberd.", "speaker": "user", "session": "s"}])
    db.ingest(tmp_path)
    mine = db.conn.execute(
        "select s.name, r.predicate, o.name from relations as r join entities as s on s.key = r.subject_key"
        " join entities as o on o.key = r.object_key join aliases as a on a.entity_key in (s.key, o.key)"
        " where a.normal = 'user'"
    ).fetchall()
    assert {tuple(row) for row in mine} == {("user", "works_at", "Halberd")}
    assert db.fill_slots() == []


def test_an_agent_may_store_what_it_knows_of_the_user(db: MemoryDatabase) -> None:
    db.remember("User lives in Ghent.")
    db.remember("I work at Halberd.")
    assert {one.casefold() for one in facts(db)} == {"user lives_in ghent", "user works_at halberd"}


def test_the_title_of_a_work_in_quotation_marks_is_no_quotation() -> None:
    assert quotations("Edda wrote “The Long Way to a Small Planet”.") == []
    assert find_statements("Edda wrote “Stone Weather”.")[0].object == "Stone Weather"


def test_i_in_a_note_is_nobody_until_its_folder_is_in_the_users_own_voice(db: MemoryDatabase, tmp_path: Path) -> None:
    note(tmp_path, "journal/a.md", "I live in Ghent. Edda Meulen works at Nordlys.")
    note(tmp_path, "clippings/b.md", "I live in Bath.")
    db.ingest(tmp_path)
    assert facts(db) == {"Edda Meulen works_at Nordlys"}
    db.ingest(tmp_path / "journal", own_voice=True)
    assert facts(db) == {"Edda Meulen works_at Nordlys", "user lives_in Ghent"}
    note(tmp_path, "journal/c.md", "I work at Nordlys.")
    db.ingest(tmp_path)  # it is remembered
    assert "user works_at Nordlys" in facts(db)
    db.ingest(tmp_path / "journal", own_voice=False)
    assert facts(db) == {"Edda Meulen works_at Nordlys"}


def test_the_nearest_folder_decides_whose_voice_it_is(db: MemoryDatabase, tmp_path: Path) -> None:
    note(tmp_path, "a.md", "I live in Ghent.")
    note(tmp_path, "clippings/b.md", "I work at Nordlys.")
    db.ingest(tmp_path, own_voice=True)
    db.ingest(tmp_path / "clippings", own_voice=False)
    assert facts(db) == {"user lives_in Ghent"}


@pytest.mark.parametrize(
    "text",
    [
        "---\nauthor: Edda Meulen\n---\nI live in Ghent.",
        "---\nsource: https://example.com/interview\n---\nI live in Ghent.",
        "---\ntype: person\n---\nI live in Ghent.",
        "---\ntags: [people]\n---\nI live in Ghent.",
    ],
)
def test_an_article_and_a_page_about_a_person_are_not_the_users_words(
    db: MemoryDatabase, tmp_path: Path, text: str
) -> None:
    note(tmp_path, "Interview.md", f"{text} Bo Ek works at Nordlys.")
    db.ingest(tmp_path, own_voice=True)
    assert "Bo Ek works_at Nordlys" in facts(db)
    assert not any(fact.startswith("user") for fact in facts(db))


def test_a_page_in_a_folder_of_people_is_about_its_person(db: MemoryDatabase, tmp_path: Path) -> None:
    note(tmp_path, "People/Edda Meulen.md", "# Edda Meulen\n\n- works at [[Nordlys]]\n- lives in Ghent\n\nI like tea.")
    note(tmp_path, "Wall.md", "# The Wall\n\nDesigned by Bo Ek.\n\n## Work\n\nWorks at Nordlys.")
    db.ingest(tmp_path, own_voice=True)
    assert facts(db) == {"Edda Meulen works_at Nordlys", "Edda Meulen lives_in Ghent", "Bo Ek designed The Wall"}


def test_who_says_his_name_is_the_i_of_his_text(db: MemoryDatabase, tmp_path: Path) -> None:
    note(tmp_path, "Foro.md", "Soy Inés Pardo, vivo en Lima.")
    note(tmp_path, "Forum.md", "My name is Bo Ek. I work at Nordlys.")
    db.ingest(tmp_path)
    assert facts(db) >= {"Inés Pardo lives_in Lima", "Bo Ek works_at Nordlys"}


@pytest.mark.parametrize("role", ["user", "assistant", "system", "tool", "Human", "AI", "bot"])
def test_a_role_is_no_person(db: MemoryDatabase, role: str) -> None:
    db.ingest([{"text": "The quince tree has mildew.", "speaker": role, "session": "s"}])
    assert db.conn.execute("select count(*) from entities where lower(name) = ?", (role.lower(),)).fetchone()[0] == 0


@pytest.mark.parametrize(("role", "stated"), [("Human", {"user lives_in Ghent"}), ("ai", set()), ("system", set())])
def test_only_the_person_of_a_chat_speaks_of_the_user(db: MemoryDatabase, role: str, stated: set[str]) -> None:
    db.ingest([{"text": "I live in Ghent.", "speaker": role, "session": "s"}])
    assert facts(db) == stated


def test_labels_of_a_meeting_are_about_the_meeting(db: MemoryDatabase, tmp_path: Path) -> None:
    text = "# Garden Weekly\n\n- **Lead:** @edda\n- **Attendees:**\n  - @bo\n\n## Agenda\n\n- Author: Bo Ek\n"
    note(tmp_path, "weekly.md", text)
    db.ingest(tmp_path)
    assert facts(db) == {"Garden Weekly lead @edda"}


def test_a_heading_that_is_a_link_is_what_its_lines_are_about(db: MemoryDatabase, tmp_path: Path) -> None:
    note(tmp_path, "books.md", "# Books\n\nMany.\n\n## [[Stone Weather]]\n\nAuthor: [[Edda Meulen]]\n")
    db.ingest(tmp_path)
    assert facts(db) == {"Stone Weather author Edda Meulen"}


SAID = "I live in Ghent. I married Edda Meulen."
OF_OTHERS = {
    "page.html": f"<!doctype html><html><body><main><h1>My life</h1><p>{SAID}</p></main></body></html>",
    "talk.vtt": f"WEBVTT\n\n00:01.000 --> 00:02.000\n{SAID}\n",
    "talk.srt": f"1\n00:00:01,000 --> 00:00:02,500\n{SAID}\n",
    "library.bib": f"@misc{{b, title = {{Figs}}, abstract = {{{SAID}}}}}\n",
    "pocket.csv": f'title,url,time_added,tags,status\n"{SAID}",https://example.org,1599806347,a,unread\n',
    "My Clippings.txt": "Walls (Bo Ek)\n- Your Highlight on page 5 | Location 100-105 |"
    f" Added on Friday, January 3, 2025 10:30:45 PM\n\n{SAID}\n==========\n",
    "invitation.ics": "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nDTSTART:20250115T100000\nSUMMARY:Tea\n"
    f"DESCRIPTION:{SAID}\nEND:VEVENT\nEND:VCALENDAR\n",
    "b.eml": f"Subject: hello\nMessage-ID: <2@example.org>\n\n{SAID}\n",
}


@pytest.mark.parametrize("name", OF_OTHERS)
def test_i_in_what_others_wrote_is_nobody(db: MemoryDatabase, tmp_path: Path, name: str) -> None:
    note(tmp_path, name, OF_OTHERS[name])
    assert db.ingest(tmp_path, own_voice=True).added == 1
    assert facts(db) == set()


def test_a_document_is_the_users_own_words_if_it_is_named_itself(db: MemoryDatabase, tmp_path: Path) -> None:
    note(tmp_path, "thesis.html", OF_OTHERS["page.html"])
    db.ingest(tmp_path / "thesis.html", own_voice=True)
    assert facts(db) == {"user lives_in Ghent", "user married_to Edda Meulen"}


def _named(name: str) -> dict[str, str]:
    """A message of somebody who calls himself this, from each program where people choose how they are called."""
    at = "2025-01-01T00:00:00"
    return {
        "a.eml": f"From: {name} <eve@example.org>\nSubject: hello\nMessage-ID: <1@example.org>\n\n{SAID}\n",
        "discord.json": dumps({"guild": {"name": "A"}, "channel": {"id": "6", "name": "g"}, "messages": [
            {"id": "1", "type": "Default", "timestamp": f"{at}Z", "content": SAID, "author": {"name": name}}]}),
        "result.json": dumps({"name": "Garden", "type": "personal_chat", "id": 7, "messages": [
            {"id": 1, "type": "message", "date": at, "from": name, "text": SAID}]}),
        "message_1.json": dumps({"participants": [{"name": name}], "thread_path": "inbox/e", "messages": [
            {"sender_name": name, "timestamp_ms": 1735689600000, "content": SAID}]}),
        "messages.html": '<div class="page_header"><div class="text bold">G</div></div>'
        '<div class="message default clearfix" id="message1"><div class="date details" title="13.06.2018 21:25:15">'
        f'</div><div class="from_name">{name}</div><div class="text">{SAID}</div></div>',
        "chat.txt": f"[13/06/2018, 9:25:00 PM] Bo: Hello\n[13/06/2018, 9:25:01 PM] ~ {name}: {SAID}\n",
        "meeting.vtt": f"WEBVTT\n\n00:01.000 --> 00:02.000\n<v {name}>{SAID}\n",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["user", "Me", "HUMAN", "assistant"])
@pytest.mark.parametrize("file", _named(""))
def test_who_calls_himself_user_is_not_the_user(db: MemoryDatabase, tmp_path: Path, file: str, name: str) -> None:
    note(tmp_path, file, _named(name)[file])
    db.ingest(tmp_path)
    assert facts(db) == {f"{name} (name) lives_in Ghent", f"{name} (name) married_to Edda Meulen"}
    assert db.fill_slots() == []


def test_slack_users_choose_their_names_too(db: MemoryDatabase, tmp_path: Path) -> None:
    note(tmp_path, "users.json", dumps([{"id": "U1", "real_name": "user"}]))
    note(tmp_path, "channels.json", dumps([{"id": "C1", "name": "garden"}]))
    note(tmp_path, "garden/2016-03-17.json", dumps(
        [{"type": "message", "user": "U1", "text": SAID, "ts": "1458210967.000004"}]
    ))  # fmt: skip
    db.ingest(tmp_path)
    assert facts(db) == {"user (name) lives_in Ghent", "user (name) married_to Edda Meulen"}


FORWARDS = {
    "gmail": f"Subject: Fwd: home\n\nSee.\n\n---------- Forwarded message ---------\nFrom: Eve <e@x.org>\n\n{SAID}",
    "outlook": f"Subject: FW: home\n\nSee.\n\n-----Original Message-----\nFrom: Eve\nSent: Monday\n\n{SAID}",
    "outlook online": f"Subject: WG: home\n\nSee.\n\nVon: Eve\nGesendet: Montag\n\n{SAID}",
    "apple": f"Subject: Fwd: home\n\nSee.\n\nBegin forwarded message:\n\nFrom: Eve\n\n{SAID}",
    "attached": 'Subject: home\nContent-Type: multipart/mixed; boundary="b"\n\n--b\nContent-Type: text/plain\n\nSee.\n'
    f"--b\nContent-Type: message/rfc822\n\nFrom: Eve <e@x.org>\nSubject: home\n\n{SAID}\n--b--\n",
}


@pytest.mark.parametrize("program", FORWARDS)
def test_who_forwards_a_mail_does_not_say_what_it_says(db: MemoryDatabase, tmp_path: Path, program: str) -> None:
    note(tmp_path, "a.eml", f"From: Sam Reed <s@x.org>\nMessage-ID: <1@x.org>\n{FORWARDS[program]}")
    note(tmp_path, "b.eml", "From: Sam Reed <s@x.org>\nMessage-ID: <2@x.org>\nSubject: work\n\nI work at Nordlys.")
    db.me("Sam Reed")
    db.ingest(tmp_path)
    assert facts(db) == {"Sam Reed works_at Nordlys"}
    assert any("I live in Ghent" in row[0] for row in db.conn.execute("select text from memories"))


def test_who_passes_a_message_on_does_not_say_what_it_says(db: MemoryDatabase, tmp_path: Path) -> None:
    said = {"id": 1, "type": "message", "date": "2025-01-01T00:00:00", "from": "Sam Reed", "text": SAID}
    chat = {"name": "Garden", "type": "personal_chat", "id": 7}
    note(tmp_path, "result.json", dumps({**chat, "messages": [{**said, "forwarded_from": "Eve Lund"}]}))
    db.me("Sam Reed")
    db.ingest(tmp_path)
    assert facts(db) == {"Eve Lund lives_in Ghent", "Eve Lund married_to Edda Meulen"}


@pytest.mark.parametrize("front", ["author: Edda Meulen", "source: https://example.com/interview", "type: person"])
def test_an_article_in_a_folder_of_the_users_fills_no_slot(db: MemoryDatabase, tmp_path: Path, front: str) -> None:
    said = "My name is Edda Meulen. I live in Ghent. My time zone is Europe/Brussels. I prefer dark mode."
    note(tmp_path, "Interview.md", f"---\n{front}\n---\n# Interview\n\n{said}")
    db.ingest(tmp_path, own_voice=True)
    assert db.fill_slots() == []
    note(tmp_path, "Me.md", f"# Me\n\n{said}")
    db.ingest(tmp_path)
    assert {one.slot for one in db.fill_slots()} == {"user"}  # which the same words do, where they are the user's


def test_a_file_that_is_put_into_a_chat_is_not_the_users_words(db: MemoryDatabase, tmp_path: Path) -> None:
    long = " ".join(["It rains, and nothing else is to be told of this day."] * 300)
    paper = {"file_name": "paper.pdf", "extracted_content": f"{SAID}\n\n{long} I live in Bath. {long}"}
    asked = {"uuid": "m", "sender": "human", "text": "Where does she live? I work at Nordlys.", "attachments": [paper]}
    note(tmp_path, "conversations.json", dumps(
        [{"uuid": "c", "name": "Paper", "created_at": "2025-01-01T00:00:00Z", "chat_messages": [asked]}]
    ))  # fmt: skip
    db.ingest(tmp_path)
    assert facts(db) == {"user works_at Nordlys"}
    texts = [row[0] for row in db.conn.execute("select text from memories")]
    assert len(texts) > 2
    assert any("> I live in Ghent" in text for text in texts)


def test_what_is_denied_or_over_describes_nobody(db: MemoryDatabase) -> None:
    """ "Coates left Wall Street" made of Coates "Wall Street's member"."""
    db.remember("Ida Lund is Bo Ek's boss.", kind="note", now="2024-01-02T12:00:00Z")
    db.remember("Nora Vale is not Bo Ek's boss.", now="2024-01-02T12:00:00Z")
    db.remember("Kira Holm left the Orbis Guild in 2020, says Nora Vale.", now="2024-01-02T12:00:00Z")
    described = dict(db.conn.execute("select name, description from entities where name in ('Nora Vale', 'Kira Holm')"))
    assert described == {"Nora Vale": None, "Kira Holm": None}
    assert db.about("Ida Lund").description == "Bo Ek's boss"


@pytest.mark.parametrize(
    "voice", ["Speaker 1", "SPEAKER_00", "Unknown Speaker", "Sprecher 2", "spk_0", "话者1", "발화자 A"]
)
def test_a_voice_without_a_name_is_nobody(db: MemoryDatabase, voice: str) -> None:
    """`Speaker 1` is somebody else in each recording."""
    said = ("I work at Nordlys.", "I live in Ghent.", "We met Rosa Lind there.")
    db.ingest([{"text": text, "speaker": voice, "session": "s"} for text in said])
    db.ingest([{"text": "I live in Bergen.", "speaker": "Sprecher Lind", "session": "s"}])
    assert facts(db) == {"Sprecher Lind lives_in Bergen"}
    assert {row["name"] for row in db.tables["entities"].rows} == {
        "Nordlys",
        "Ghent",
        "Rosa Lind",
        "Sprecher Lind",
        "Bergen",
    }
    assert db.recall("Nordlys").hits[0].memory.speaker == voice
