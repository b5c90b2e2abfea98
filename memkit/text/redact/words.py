"""Ambiguous names: English words that are also names. Only the owner of a text knows which one is meant."""

from __future__ import annotations

from memkit.text.words import STOP_WORDS

NAME_WORDS = frozenset(
    """
    abbey able ace amber angel april archer art ash aurora august autumn bailey baker banks barber basil bass bay bear
    bell berry best bill bird bishop black bliss bloom bob bond booth boss branch brand bridge bridges brook brooks
    brown buck bud bull bush butcher butler cage carol carpenter carter case cash chance chase cherry chip chuck church
    clay clever cliff close coal cook cooper coral cotton cox crane cross crystal curry daisy dale dawn day dean destiny
    dick dolly dolphin dove drake drew duke dusty dyer earl early earnest ebony eve faith farmer fern field fields finch
    fish fisher fletcher flint flower ford forest fox frank freedom french frost garden gardener gay gene ginger glass
    glen gold golden good grace grant graves gray green grey grove guy hall happy hardy harmony harper hart hawk hazel
    heath heather hill hills holiday holly honey hood hope house hunt hunter iris iron ivory ivy jack jade jasmine jay
    jean jewel john joy judge july june kid king kitty knight lake lamb lance lane lark laurel law leaf lee lily lion
    little long love low lucky luna magnolia major mark marsh marshal marshall mason may mayor melody mercy merry miles
    mill miller mills mint misty monk moon moore moss myrtle nail newman noble noel norm north olive opal page palmer
    pansy park parks parson pat patience peach pearl penny pepper perry pierce piper pitt pond poole pope poppy porter
    potter powers price prince prior prudence queen rabbit rain raven ray read reed reeves rich river rivers rob robin
    rocky rod roman root rose rosemary rosy roy ruby rush rusty sage sailor sand sandy savage scout shade shadow
    sharp shepherd short silver singer skip sky slim small smith snow sonny south spear spencer spring star steel
    sterling stone storm strange street strong sue summer summers sunny sweet swift taylor terry thorn tiger tony
    true tucker turner tyler valentine van vane victor viola violet wade walker wall waller ward water waters way weaver
    webb weeks well wells west wheeler white will willow winter winters wise wolf wood woods worth wren wright young
    """.split()
)


def is_common(word: str, own: frozenset[str] = frozenset()) -> bool:
    """Whether a word (lower case, without accents) is a common word; `own` are additional common words."""
    return word in NAME_WORDS or word in STOP_WORDS or word in own
