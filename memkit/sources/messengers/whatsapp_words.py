"""What WhatsApp itself writes into a chat, in the languages of its phones. Compared in lower case, without a last stop.

These lists are not complete, and need not be: a line of the program has no speaker, and only few have the name of one.
"""

from __future__ import annotations

import re

# How the notice on encryption begins, or what is only in it.
_NOTICES = (
    "messages and calls are end-to-end encrypted",
    "messages to this chat and calls are now secured with end-to-end encryption",
    "messages to this group are now secured with end-to-end encryption",
    "messages you send to this",
    "messages are end-to-end encrypted",
    "this business uses a secure service",
    "this business works with other companies",
    "this chat is with a business account",
    "nachrichten und anrufe sind ende-zu-ende-verschlüsselt",
    "nachrichten in diesem chat sowie anrufe sind jetzt",
    "los mensajes y las llamadas están cifrados de extremo a extremo",
    "los mensajes y llamadas están cifrados",
    "les messages et les appels sont chiffrés de bout en bout",
    "les messages et appels sont chiffrés",
    "i messaggi e le chiamate sono crittografati end-to-end",
    "as mensagens e as ligações são protegidas com a criptografia",
    "as mensagens e as chamadas são protegidas",
    "as mensagens e chamadas são encriptadas",
    "berichten en gesprekken worden end-to-end versleuteld",
    "meddelanden och samtal är",
    "meldinger og samtaler er",
    "beskeder og opkald er",
    "viestit ja puhelut salataan",
    "wiadomości i połączenia są w pełni szyfrowane",
    "сообщения и звонки защищены сквозным шифрованием",
    "повідомлення та дзвінки захищені",
    "mesajlar ve aramalar uçtan uca şifrelidir",
    "pesan dan panggilan terenkripsi secara end-to-end",
    "الرسائل والمكالمات مشفرة",
    "संदेश और कॉल एंड-टू-एंड एन्क्रिप्टेड",
    "消息和通话已进行端到端加密",
    "訊息和通話經端對端加密",
    "訊息和通話都有端對端加密",
    "メッセージと通話はエンドツーエンドで暗号化",
    "메시지와 통화는 종단간 암호화",
)
# The stem of "encrypted". A notice is of two sentences: it is longer than the name of a file.
_ENCRYPTED = re.compile(
    r"encr[iy]pt|verschlüssel|versleutel|cifrad|chiffr|crittograf|criptograf|krypter|szyfrowa|salataan|шифрован"
    r"|зашифр|şifre|enkripsi|مشفر|מוצפ|एन्क्रिप्ट|加密|暗号化|암호화",
    re.IGNORECASE,
)
_SHORTEST_NOTICE = 25  # characters; of Chinese, too
_DELETED = frozenset(
    (
        "this message was deleted",
        "you deleted this message",
        "this message was deleted by admin",
        "diese nachricht wurde gelöscht",
        "du hast diese nachricht gelöscht",
        "se eliminó este mensaje",
        "este mensaje fue eliminado",
        "eliminaste este mensaje",
        "ce message a été supprimé",
        "vous avez supprimé ce message",
        "questo messaggio è stato eliminato",
        "hai eliminato questo messaggio",
        "essa mensagem foi apagada",
        "esta mensagem foi apagada",
        "mensagem apagada",
        "você apagou esta mensagem",
        "dit bericht is verwijderd",
        "u hebt dit bericht verwijderd",
        "je hebt dit bericht verwijderd",
        "det här meddelandet har raderats",
        "du raderade det här meddelandet",
        "tämä viesti poistettiin",
        "ta wiadomość została usunięta",
        "это сообщение было удалено",
        "данное сообщение удалено",
        "bu mesaj silindi",
        "bu mesajı sildiniz",
        "pesan ini telah dihapus",
        "anda menghapus pesan ini",
        "تم حذف هذه الرسالة",
        "यह मैसेज मिटा दिया गया था",
        "此消息已删除",
        "你已删除此消息",
        "此訊息已刪除",
        "您已刪除此訊息",
        "このメッセージは削除されました",
        "삭제된 메시지입니다",
    )
)
# In the languages where the name of an admin stands in it: how it begins, and how it ends.
_DELETED_BY_ADMIN = (
    ("this message was deleted by admin ", ""),
    ("diese nachricht wurde von admin ", " gelöscht"),
    ("diese nachricht wurde vom admin ", " gelöscht"),
    ("el admin. ", " eliminó este mensaje"),
    ("este mensaje fue eliminado por el admin", ""),
    ("ce message a été supprimé par l", ""),
    ("questo messaggio è stato eliminato dall", ""),
    ("esta mensagem foi apagada pelo admin", ""),
    ("mensagem apagada pelo admin", ""),
    ("dit bericht is verwijderd door beheerder ", ""),
)
# How an iPhone begins to tell what the owner of the phone has done in a group.
YOU = (
    "you ",
    "you'",
    "you’",
    "du ",
    "vous ",
    "tu ",
    "hai ",
    "has ",
    "você ",
    "u ",
    "je ",
    "вы ",
    "sen ",
    "siz ",
    "anda ",
)
_EDITED = (
    "<this message was edited>",
    "<diese nachricht wurde bearbeitet>",
    "<se editó este mensaje>",
    "<ce message a été modifié>",
    "<questo messaggio è stato modificato>",
    "<mensagem editada>",
    "<dit bericht is bewerkt>",
    "<это сообщение изменено>",
    "<bu mesaj düzenlendi>",
    "<pesan ini diedit>",
)
FILE_ATTACHED = frozenset(  # stands behind the name of a file, in parentheses
    (
        "file attached",
        "datei angehängt",
        "archivo adjunto",
        "fichier joint",
        "file allegato",
        "arquivo anexado",
        "ficheiro anexado",
        "bestand bijgevoegd",
        "bifogad fil",
        "fil vedlagt",
        "vedhæftet fil",
        "tiedosto liitetty",
        "załączono plik",
        "файл добавлен",
        "файл додано",
        "dosya ekli",
        "file terlampir",
        "ملف مرفق",
        "फ़ाइल अटैच की गई",
        "附件",
        "文件附件",
        "檔案已附加",
        "ファイル添付",
        "파일 첨부됨",
    )
)
_LONGEST = max(map(len, _EDITED)) + 1


def _plain(text: str) -> str:
    return text.strip().rstrip(".。").lower()


def is_notice(text: str) -> bool:
    """Whether WhatsApp wrote this about the chat itself, although it may stand behind the name of a speaker."""
    return text.lstrip().lower().startswith(_NOTICES)


def is_encryption(text: str) -> bool:
    """Whether a line that a phone marks as not typed is the notice on encryption, in whatever words and language."""
    is_file = "<" in text  # `Encryption for beginners.pdf <attached: ...>`
    return len(text) >= _SHORTEST_NOTICE and not is_file and _ENCRYPTED.search(text) is not None


def is_deleted(text: str) -> bool:
    """Whether this stands in the place of a message that was deleted."""
    plain = _plain(text) if len(text) < 100 else ""
    return plain in _DELETED or any(plain.startswith(by) and plain.endswith(end) for by, end in _DELETED_BY_ADMIN)


def without_edited(text: str) -> tuple[str, bool]:
    """The text without the mark that it was edited, and whether it had one."""
    end = text[-_LONGEST:].rstrip().replace(".>", ">").lower()
    if end.endswith(_EDITED):
        return text[: text.rindex("<")].rstrip(), True
    return text, False
