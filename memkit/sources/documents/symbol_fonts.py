"""Symbol fonts: the signs of Symbol and Wingdings, which Office writes as private characters (U+F020 to U+F0FF).

No other font shows them and no question has them: `ρ={A→B}` is seven empty boxes. Symbol has the places that Adobe gave
it, Wingdings those that the Unicode Consortium lists (L2/12-368), of which these are bullets, ticks, arrows and faces.
"""

from __future__ import annotations

_FIRST = 0xF020
_UNKNOWN = "\0"
_SYMBOL = (
    " !∀#∃%&∋()∗+,−./0123456789:;<=>?"
    "≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_"
    "‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼\0"
    f"{_UNKNOWN * 32}"
    "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵"
    "ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓"
    "◊⟨®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\0⟩∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭\0"
)
_WINGDINGS = {
    0x22: "✂", 0x28: "☎", 0x2A: "✉", 0x46: "☞", 0x4A: "☺", 0x4B: "😐", 0x4C: "☹", 0x6C: "●", 0x6E: "■", 0x6F: "□",
    0x71: "❑", 0x72: "❒", 0x73: "⬧", 0x74: "⧫", 0x75: "◆", 0x76: "❖", 0x77: "⬥", 0x9E: "·", 0x9F: "•", 0xA7: "▪",
    0xA8: "◻", 0xAB: "★", 0xD8: "➢", 0xDF: "←", 0xE0: "→", 0xE1: "↑", 0xE2: "↓", 0xE8: "➔", 0xEF: "⇦", 0xF0: "⇨",
    0xF3: "⇔", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑",
}  # fmt: skip
_OF_SYMBOL = {_FIRST + place: sign for place, sign in enumerate(_SYMBOL) if sign != _UNKNOWN}
_OF_WINGDINGS = {0xF000 + code: sign for code, sign in _WINGDINGS.items()}


def signs_of(font: str) -> dict[int, str]:
    """The signs of a symbol font by their private characters, for `str.translate`; empty for any other font.

    The name may be that of a PDF (`ABCDEF+SymbolMT`). Wingdings 2 and 3 are other fonts.

    >>> "F\uf03d\uf07bA\uf0aeB\uf07d".translate(signs_of("Symbol"))
    'F={A→B}'
    """
    name = font.rpartition("+")[2].lower().replace(" ", "")
    if name.startswith("wingdings"):
        return {} if name.startswith(("wingdings2", "wingdings3")) else _OF_WINGDINGS
    return _OF_SYMBOL if name in ("symbol", "symbolmt") or name.startswith(("symbol,", "symbolmt,")) else {}
