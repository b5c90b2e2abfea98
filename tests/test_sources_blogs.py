"""Exports of blogs, of WordPress, Blogger and Substack: posts with their comments."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from chat_files import drafts, written
from growth import grows_in_proportion

from memkit import MemoryDatabase
from memkit.core.types import Draft, Failure
from memkit.sources import ReadLimits, ReadOptions, detect, read
from memkit.sources.notes import wordpress

WXR = """<?xml version="1.0" encoding="UTF-8" ?>
<rss version="2.0" xmlns:excerpt="http://wordpress.org/export/1.2/excerpt/"
  xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/"
  xmlns:wp="http://wordpress.org/export/1.2/"><channel><title>Garden</title>
<wp:author><wp:author_login><![CDATA[rosa]]></wp:author_login>
<wp:author_display_name><![CDATA[Rosa Marsh]]></wp:author_display_name></wp:author>
{}</channel></rss>"""


def post(content: str, kind: str = "post", id: int = 7, more: str = "", status: str = "publish") -> str:
    return f"""<item><title>Quinces &amp; pears</title><link>https://example.org/quinces/</link>
<dc:creator>rosa</dc:creator><guid isPermaLink="false">https://example.org/?p={id}</guid>
<content:encoded><![CDATA[{content}]]></content:encoded><excerpt:encoded><![CDATA[]]></excerpt:encoded>
<wp:post_id>{id}</wp:post_id><wp:post_date>2024-03-01 23:30:00</wp:post_date>
<wp:post_date_gmt>2024-03-01 22:30:00</wp:post_date_gmt><wp:post_modified_gmt>2024-03-02 08:00:00</wp:post_modified_gmt>
<wp:status>{status}</wp:status><wp:post_type>{kind}</wp:post_type>
<category domain="category" nicename="trees"><![CDATA[Fruit trees]]></category>
<category domain="category" nicename="uncategorized"><![CDATA[Uncategorized]]></category>
<category domain="post_tag" nicename="b"><![CDATA[Bees &amp; co]]></category>
<category domain="post_format" nicename="x"><![CDATA[post-format-aside]]></category>
<wp:postmeta><wp:meta_key>_edit_last</wp:meta_key><wp:meta_value>1</wp:meta_value></wp:postmeta>{more}</item>"""


def comment(text: str, by: str = "Otto", approved: str = "1", kind: str = "comment", id: int = 3) -> str:
    return f"""<wp:comment><wp:comment_id>{id}</wp:comment_id><wp:comment_author><![CDATA[{by}]]></wp:comment_author>
<wp:comment_author_email>otto@example.org</wp:comment_author_email>
<wp:comment_date_gmt>2024-03-03 10:00:00</wp:comment_date_gmt><wp:comment_approved>{approved}</wp:comment_approved>
<wp:comment_type>{kind}</wp:comment_type><wp:comment_content><![CDATA[{text}]]></wp:comment_content></wp:comment>"""


def wxr(folder: Path, *items: str, name: str = "garden.xml") -> Path:
    return written(folder / name, WXR.replace("{}", "\n".join(items)))


NEW = """<!-- wp:paragraph {"align":"left"} -->
<p>It <strong>blooms</strong> in
May.</p>
<!-- /wp:paragraph -->

<!-- wp:list -->
<ul><li>prune</li>
<li>graft</li></ul>
<!-- /wp:list -->"""
OLD = """See <a href="https://example.org/a">this</a>.
It blooms [sic] in May.

[caption id="a" width="30"]<img src="x.jpg" /> Our tree[/caption]
<ul>
<li>prune</li>
</ul>
[vc_row css="x"]Rows[/vc_row]
[code language="c"]
if (a < b)

  [x] = 1;
[/code]"""


def test_a_post_is_a_note_of_its_author_with_its_times_and_terms(tmp_path: Path) -> None:
    path = wxr(tmp_path, post(NEW))
    assert detect(path) == "wordpress"
    (found,) = drafts(path)
    assert found.text == "It blooms in May.\n\n- prune\n- graft"
    assert (found.title, found.speaker) == ("Quinces & pears", "Rosa Marsh")
    assert (found.happened_at, found.document.updated_at) == ("2024-03-01T22:30:00Z", "2024-03-02T08:00:00Z")
    assert found.tags == ("Fruit trees", "Bees & co")
    assert found.document.source == "wordpress:https://example.org/?p=7"
    assert found.document.fields == {"author": "Rosa Marsh", "url": "https://example.org/quinces/"}


def test_lines_of_the_old_editor_stay_lines_and_short_codes_go(tmp_path: Path) -> None:
    (found,) = drafts(wxr(tmp_path, post(OLD)))
    assert found.text == (
        "See [this](https://example.org/a).\nIt blooms [sic] in May.\n\nOur tree\n\n- prune\n\nRows\n\n"
        "```\nif (a < b)\n\n  [x] = 1;\n```"
    )


def test_a_comment_belongs_to_who_wrote_it(tmp_path: Path) -> None:
    said = [
        comment("Mine, too.\n\nSince &lt;May&gt;."),
        comment("[...] quinces [...]", kind="pingback"),
        comment("Buy", approved="0"),
        comment("Buy", approved="spam"),
    ]
    first, second = drafts(wxr(tmp_path, post("It blooms.", more="".join(said))))
    assert first.text == "It blooms."
    assert (second.speaker, second.text, second.title, second.happened_at, second.kind) == (
        "Otto", "Mine, too.\n\nSince <May>.", "Comments on Quinces & pears", "2024-03-03T10:00:00Z", "turn",
    )  # fmt: skip


def test_drafts_are_kept_and_what_a_site_is_made_of_is_counted(tmp_path: Path) -> None:
    draft = post("Not yet.", id=8, status="draft").replace("2024-03-01 22:30:00", "0000-00-00 00:00:00")
    kinds = ("attachment", "nav_menu_item", "wp_global_styles", "shop_order")
    path = wxr(tmp_path, draft, post("Gone.", status="trash"), *(post("x", kind) for kind in kinds))
    (found,) = drafts(path, ReadOptions(timezone="Europe/Berlin"))
    assert (found.text, found.document.fields["status"]) == ("Not yet.", "draft")
    assert found.happened_at == "2024-03-01T22:30:00Z"
    with MemoryDatabase(embed="none") as db:
        (left_out,) = db.ingest(path).left_out
        assert "1 post in the trash, or never saved" in str(left_out)
        assert "1 entry of the kind 'shop_order', which is a plugin's" in str(left_out)


def test_a_later_export_changes_what_was_changed(tmp_path: Path) -> None:
    with MemoryDatabase(embed="none") as db:
        path = wxr(tmp_path, post("It blooms.", more=comment("Mine, too.")))
        assert db.ingest(path).added == 2
        assert db.ingest(path).unchanged == 2
        later = post("It bloomed.", more=comment("Mine, too.") + comment("Ours?", id=4))
        report = db.ingest(wxr(tmp_path, later.replace("2024-03-02", "2024-03-05"), name="later.xml"))
        assert (report.added, report.updated, report.unchanged) == (1, 1, 1)


def test_what_is_before_broken_xml_is_read(tmp_path: Path) -> None:
    text = WXR.replace("{}", post("It\x0b blooms.") + "<item><title>a</b></item>")
    first, second = read(written(tmp_path / "a.xml", text))
    assert isinstance(first, Draft)
    assert first.text == "It blooms."
    assert isinstance(second, Failure)
    assert second.reason == "broken XML: mismatched tag"


def test_an_export_is_read_under_limits(tmp_path: Path) -> None:
    path = wxr(tmp_path, post("x" * 5000))
    (found,) = read(path, options=ReadOptions(limits=ReadLimits(note_size=1000)))
    assert "more than 1,000 characters in a record" in found.reason
    deep = wxr(tmp_path, "<item>" + "<a>" * 200 + "</a>" * 200 + "</item>")
    assert "elements inside each other" in next(iter(read(deep))).reason


def test_other_xml_is_refused(tmp_path: Path) -> None:
    feed = written(tmp_path / "a.xml", '<?xml version="1.0"?><rss version="2.0"><channel></channel></rss>')
    with pytest.raises(Exception, match="looks like XML"):
        detect(feed)


@pytest.mark.parametrize("one", ["[a ", "[a b=", "[/a]", "[code]", "<pre>", "<p ", "\n", " ", "<p>\n", "[a b=c d="])
def test_any_text_takes_time_in_proportion_to_its_length(one: str) -> None:
    assert grows_in_proportion(wordpress._text, one * 20_000)


ATOM = """<?xml version='1.0' encoding='utf-8'?>
<feed xmlns='http://www.w3.org/2005/Atom' xmlns:blogger='http://schemas.google.com/blogger/2018'>
<id>tag:blogger.com,1999:blog-1</id><title>Garden</title>
<entry><id>tag:blogger.com,1999:blog-1.post-9</id><blogger:parent>tag:blogger.com,1999:blog-1.post-5</blogger:parent>
<blogger:type>COMMENT</blogger:type><blogger:status>LIVE</blogger:status><author><name>Otto</name></author>
<content type='html'>Mine, too.&lt;br /&gt;Since May.</content><published>2024-03-03T10:00:00Z</published></entry>
<entry><id>tag:blogger.com,1999:blog-1.post-5</id><blogger:type>POST</blogger:type>
<blogger:status>LIVE</blogger:status><author><name>Rosa</name><blogger:type>BLOGGER</blogger:type></author>
<title>Quinces &amp;amp; pears</title>
<content type='html'>&lt;div&gt;It &lt;b&gt;blooms&lt;/b&gt;.&lt;/div&gt;</content>
<published>2024-03-01T22:30:00Z</published><updated>2024-03-02T08:00:00Z</updated>
<blogger:location><blogger:name>Lund, Sweden</blogger:name></blogger:location>
<category scheme='tag:blogger.com,1999:blog-1' term='garden'/><blogger:trashed/></entry>
<entry><id>6</id><blogger:type>POST</blogger:type><blogger:status>DRAFT</blogger:status><title>Figs</title>
<content type='html'>Not yet.</content></entry>
<entry><id>7</id><blogger:type>POST</blogger:type><blogger:status>SOFT_TRASHED</blogger:status>
<content type='html'>Gone.</content></entry>
<entry><id>8</id><blogger:type>COMMENT</blogger:type><blogger:status>SPAM_COMMENT</blogger:status>
<content type='html'>Buy.</content></entry></feed>"""
OLDER = """<?xml version='1.0' encoding='UTF-8'?>
<feed xmlns='http://www.w3.org/2005/Atom'><id>tag:blogger.com,1999:blog-1.archive</id>
<entry><id>tag:blogger.com,1999:blog-1.settings</id><category scheme='http://schemas.google.com/g/2005#kind'
term='http://schemas.google.com/blogger/2008/kind#settings'/><title>x</title><content type='text'>true</content></entry>
<entry><id>tag:blogger.com,1999:blog-1.post-5</id><published>2010-03-01T23:30:00.000+01:00</published>
<category scheme='http://schemas.google.com/g/2005#kind' term='http://schemas.google.com/blogger/2008/kind#post'/>
<category scheme='http://www.blogger.com/atom/ns#' term='garden'/><title type='text'>Quinces</title>
<content type='html'>It blooms.</content><link rel='alternate' type='text/html' href='https://example.org/q.html'/>
<author><name>Rosa</name></author><app:control xmlns:app='http://purl.org/atom/app#'><app:draft>yes</app:draft>
</app:control></entry>
<entry><id>tag:blogger.com,1999:blog-1.post-6</id><published>2010-03-02T10:00:00.000+01:00</published>
<category scheme='http://schemas.google.com/g/2005#kind' term='http://schemas.google.com/blogger/2008/kind#comment'/>
<title type='text'>Mine...</title><content type='html'>Mine, too.</content><author><name>Otto</name></author>
<thr:in-reply-to xmlns:thr='http://purl.org/syndication/thread/1.0' ref='tag:blogger.com,1999:blog-1.post-5'/></entry>
</feed>"""


def test_a_feed_of_blogger_gives_posts_drafts_and_comments(tmp_path: Path) -> None:
    path = written(tmp_path / "feed.atom", ATOM)
    assert detect(path) == "blogger"
    post, draft, said = drafts(path)
    assert (post.text, post.title, post.speaker, post.tags) == ("It blooms.", "Quinces & pears", "Rosa", ("garden",))
    assert (post.happened_at, post.document.updated_at) == ("2024-03-01T22:30:00Z", "2024-03-02T08:00:00Z")
    assert post.document.fields == {"author": "Rosa", "place": "Lund, Sweden"}
    assert (draft.text, draft.document.fields) == ("Not yet.", {"status": "draft"})
    assert (said.text, said.speaker, said.title) == ("Mine, too.\nSince May.", "Otto", "Comments on Quinces & pears")
    with MemoryDatabase(embed="none") as db:
        report = db.ingest(path)
        assert "1 entry in the trash, 1 comment without approval" in str(report.left_out[0])
        assert db.ingest(path).unchanged == report.added == 3


def test_a_backup_of_blogger_of_before_is_read_alike(tmp_path: Path) -> None:
    path = written(tmp_path / "blog-03-04-2010.xml", OLDER)
    assert detect(path) == "blogger"
    post, said = drafts(path)
    assert (post.document.source, post.text, post.tags) == (
        "blogger:tag:blogger.com,1999:blog-1.post-5", "It blooms.", ("garden",),
    )  # fmt: skip
    assert post.happened_at == "2010-03-01T22:30:00Z"
    assert post.document.fields == {"author": "Rosa", "url": "https://example.org/q.html", "status": "draft"}
    assert (said.text, said.speaker, said.title) == ("Mine, too.", "Otto", "Comments on Quinces")


POSTS = """post_id,post_date,is_published,email_sent_at,inbox_sent_at,type,audience,title,subtitle,podcast_url
123.quinces,2024-01-15T10:00:00.000Z,true,,,newsletter,everyone,"Quinces, again",In May,
124.figs,,false,,,newsletter,only_paid,Figs,,
125.pears,2024-02-01T10:00:00.000Z,true,,,podcast,everyone,Pears,,
"""
BUTTON = (
    '<p class="button-wrapper" data-attrs="{}"><a class="button primary" href="https://example.org">Subscribe</a></p>'
)


@pytest.fixture
def newsletter(tmp_path: Path) -> Path:
    folder = tmp_path / "letters"
    written(folder / "posts.csv", POSTS)
    written(folder / "posts" / "123.quinces.html", f"<h2>Hello</h2><p>It <em>blooms</em>.</p>{BUTTON}")
    written(folder / "posts" / "124.figs.html", "<p>Not yet.</p>")
    written(folder / "posts" / "123.quinces.opens.csv", "email\notto@example.org\n")
    written(folder / "email_list.letters.csv", "email\notto@example.org\n")
    return folder


@pytest.mark.parametrize("packed", [False, True])
def test_substack_gives_posts_with_what_the_table_says_of_them(newsletter: Path, packed: bool) -> None:
    path = Path(shutil.make_archive(str(newsletter), "zip", newsletter)) if packed else newsletter
    assert detect(path) == "substack"
    first, second, third, fourth = drafts(path)
    assert (first.text, second.text) == ("In May", "## Hello\n\nIt blooms.")
    assert (first.title, first.happened_at) == ("Quinces, again", "2024-01-15T10:00:00Z")
    assert (third.text, third.title, third.happened_at) == ("Not yet.", "Figs", None)
    assert (third.document.source, third.document.fields) == ("substack:124.figs", {"status": "draft"})
    assert (fourth.text, fourth.happened_at) == ("Pears", "2024-02-01T10:00:00Z")
    with MemoryDatabase(embed="none") as db:
        report = db.ingest(path)
        assert report.added == 4
        assert not report.failures
        assert "2 tables of readers" in str(report.left_out)
        assert db.ingest(path).unchanged == 4


def test_another_table_of_posts_is_no_newsletter(tmp_path: Path) -> None:
    written(tmp_path / "posts.csv", "id,text\n1,It blooms.\n")
    written(tmp_path / "posts" / "1.html", "<p>It blooms.</p>")
    assert detect(tmp_path) == "folder"
