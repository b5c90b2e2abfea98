"""Payloads of the wrong type: any node of a valid file is replaced by any value; it is read, or fails alone."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fuzz.samples import CANVAS, CSL_JSON, GITHUB, GOOGLE_TASKS, JOURNEY, MATTERMOST, PLACES, SPOTIFY, TRELLO

from memkit import MemoryDatabase
from memkit.core.types import Failure
from memkit.sources import FORMATS, ReadOptions, guard, read

NOW = "2026-03-01T12:00:00Z"
ALL = ReadOptions(include_tools=True, include_system=True, include_thinking=True)

# JSON, and what Python's parser takes for it. The text of a number is kept as it is.
VALUES = [
    "null", "true", "0", "-1", "1.5", "NaN", "Infinity", "-1e999", "9" * 400, '""', '"x"', '"\\ud800"', '"a\\u0000b"',
    "[]", "[null]", "[[1]]", '[{"type": "text", "text": {"a": 1}}]', "{}", '{"text": [NaN]}', '{"id": {"a": [1]}}',
    '"2025-01-01"', "[" * 150 + "]" * 150, '{"\\ud800": 1e999}',
]  # fmt: skip

CHATGPT = {
    "conversation_id": "c", "title": "Garden", "create_time": 1700000000.5, "update_time": 1700000001,
    "current_node": "b",
    "mapping": {
        "a": {"id": "a", "parent": None, "children": ["b"], "message": {
            "id": "m1", "author": {"role": "user"}, "create_time": 1700000000, "recipient": "all",
            "content": {"content_type": "text", "parts": ["Who planted it?", {"text": "heard"}]},
            "metadata": {"is_visually_hidden_from_conversation": False}}},
        "b": {"id": "b", "parent": "a", "children": [], "message": {
            "id": "m2", "author": {"role": "assistant"}, "create_time": None, "content": {
                "content_type": "thoughts", "thoughts": [{"content": "Rosa."}], "text": "Rosa did.", "result": "r"}}},
    },
}  # fmt: skip
CLAUDE = {
    "uuid": "u", "name": "Garden", "created_at": "2025-01-01T00:00:00Z", "updated_at": "2025-01-02T00:00:00Z",
    "current_leaf_message_uuid": "m2",
    "chat_messages": [
        {"uuid": "m1", "sender": "human", "created_at": "2025-01-01T00:00:00Z", "parent_message_uuid": "0",
         "text": "Who?", "attachments": [{"file_name": "a.txt", "extracted_content": "Rosa."}]},
        {"uuid": "m2", "sender": "assistant", "parent_message_uuid": "m1", "content": [
            {"type": "text", "text": "Rosa."}, {"type": "thinking", "thinking": "Hm."},
            {"type": "tool_use", "name": "find", "input": {"q": [1]}},
            {"type": "tool_result", "content": [{"type": "text", "text": "found"}]}]},
    ],
}  # fmt: skip
PROJECT = {
    "uuid": "p", "name": "Garden", "description": "Of the quince.", "prompt_template": "Be kind.",
    "created_at": "2025-01-01T00:00:00Z", "updated_at": None,
    "docs": [{"uuid": "d", "filename": "a.md", "content": "It blooms.", "created_at": "2025-01-01T00:00:00Z"}],
}  # fmt: skip
REMEMBERED = {"conversations_memory": "Rosa plants.", "project_memories": {"p": "A quince."}, "account_uuid": "u",
              "memory_files": [{"path": "/a.md", "content": "Ben."}]}  # fmt: skip
SESSION = {
    "type": "user", "sessionId": "s", "uuid": "1", "timestamp": "2025-01-01T00:00:00Z", "cwd": "/garden",
    "gitBranch": "main", "isMeta": False, "isSidechain": False, "isCompactSummary": False, "summary": "Trees",
    "message": {"content": [{"type": "text", "text": "Rosa."}, {"type": "tool_result", "content": "found"}]},
}  # fmt: skip
NOTEBOOK = {
    "nbformat": 4,
    "cells": [
        {"id": "a", "cell_type": "markdown", "source": ["# Trees\n", "The quince."]},
        {"id": "b", "cell_type": "code", "source": "1 + 1", "outputs": [
            {"output_type": "stream", "text": ["2"]}, {"output_type": "error", "ename": "E", "evalue": "v"},
            {"output_type": "display_data", "data": {"text/plain": ["3"]}}]},
    ],
}  # fmt: skip
ROW = {
    "text": "Rosa planted it.", "id": "r", "title": "T", "timestamp": "2025-01-01", "session": "s", "speaker": "Rosa",
    "project": "garden", "kind": "fact", "category": "c", "tags": ["a"], "importance": 5, "confidence": 0.5,
    "slot": "user", "key": "k", "valid_from": "2025-01-01", "valid_until": "2026-01-01", "expires_at": "2027-01-01",
    "mood": {"now": ["dry"]},
}  # fmt: skip
TRIPLE = {
    "passage_id": "r", "subject": "Rosa", "predicate": "planted", "object": "quince", "confidence": 0.5,
    "valid_from": "2025", "valid_until": "2026-01-01", "quote": "Rosa planted it.",
}  # fmt: skip
TELEGRAM = {
    "name": "Garden", "type": "personal_chat", "id": 7,
    "messages": [
        {"id": 1, "type": "message", "date": "2025-01-01T00:00:00", "date_unixtime": "1735689600", "from": "Rosa",
         "text": ["See ", {"type": "text_link", "text": "this", "href": "https://a.org"}], "reply_to_message_id": 0,
         "edited": "2025-01-01T00:00:00", "forwarded_from": "Ben"},
        {"id": 2, "type": "message", "date": "2025-01-01T00:00:00", "from": "Rosa", "text": "", "file": "f/a.pdf",
         "media_type": "sticker", "sticker_emoji": "x", "file_name": "a.pdf",
         "contact_information": {"first_name": "Ben"}, "location_information": {"latitude": 1, "longitude": 2},
         "poll": {"question": "When?", "answers": [{"text": "May"}]}},
    ],
    "chats": {"list": [{"id": 8, "messages": []}]},
}  # fmt: skip
DISCORD = {
    "guild": {"name": "Allotment"}, "channel": {"id": "6", "name": "garden", "category": "c", "topic": "t"},
    "messages": [
        {"id": "1", "type": "Reply", "timestamp": "2025-01-01T00:00:00+00:00", "timestampEdited": None,
         "content": "Rosa.", "author": {"name": "r", "nickname": "Rosa", "isBot": False},
         "attachments": [{"fileName": "a.pdf"}], "stickers": [{"name": "s"}], "reference": {"messageId": "0"},
         "embeds": [{"url": "u", "title": "t", "description": "d", "fields": [{"name": "n", "value": "v"}]}]},
    ],
}  # fmt: skip
FACEBOOK = {
    "participants": [{"name": "Rosa"}], "title": "Rosa", "thread_path": "inbox/rosa_1", "threadName": "t",
    "messages": [
        {"sender_name": "Rosa", "senderName": "r", "timestamp_ms": 1735689600000, "content": "Bl\u00c3\u00bcte",
         "photos": [{"uri": "a/b.jpg"}], "media": [{"uri": "c.jpg"}], "sticker": {"uri": "s"}, "type": "Generic",
         "share": {"link": "https://a.org", "share_text": "t"}, "is_unsent": False, "isUnsent": False,
         "reactions": [{"reaction": "x", "actor": "Rosa", "timestamp": 1735689600}]},
        {"sender_name": "Rosa", "timestamp": 1735689600000, "text": "x"},
    ],
}  # fmt: skip

POSTS = [
    {"timestamp": 1735689600, "title": "t", "data": [{"post": "p"}, {"update_timestamp": 1}], "attachments": [{"data": [
        {"external_context": {"name": "n", "url": "https://a.org"}}, {"place": {"name": "Lund"}},
        {"media": {"uri": "a/b.jpg", "description": "d"}}]}]},
    {"media": [{"uri": "a/b.jpg", "creation_timestamp": 1735689600, "title": "t"}], "title": "u"},
]  # fmt: skip

COMMENTS = [
    {"comments_v2": [{"timestamp": 1735689600, "title": "t", "data": [{"comment": {"comment": "c", "author": "a"}}]}]},
    {"string_map_data": {"Comment": {"value": "c"}, "Owner": {"value": "o"}, "Time": {"timestamp": 1735689600}}},
    {"media_comments": [["2019-01-01T00:00:00+00:00", "text", "owner"]]},
]
ZULIP = {"zerver_message": [
    {"id": 101, "sender": 11, "recipient": 31, "subject": "quince", "content": "@**Ben|12**", "date_sent": 1554100000,
     "last_edit_time": 1554200000.0},
]}  # fmt: skip
ELEMENT = {
    "room_name": "Garden", "exported_by": "Rosa", "topic": "Trees",
    "messages": [
        {"type": "m.room.message", "room_id": "!a", "sender": "@r:a.org", "event_id": "$1", "state_key": "@r:a.org",
         "origin_server_ts": 1700000000000, "content": {"msgtype": "m.file", "body": "> x\n\ny", "filename": "f",
             "displayname": "Rosa", "m.relates_to": {"rel_type": "m.thread", "m.in_reply_to": {"event_id": "$0"}}}},
        {"type": "m.poll.start", "sender": "@rosa:a.org", "content": {"m.poll.start": {
            "question": {"m.text": "When?"}, "answers": [{"m.text": "May"}]}}},
    ],
}  # fmt: skip
GOOGLE_CHAT = {
    "messages": [
        {"creator": {"name": "Rosa", "email": "r@a.org", "user_type": "Bot"}, "text": "It blooms.", "topic_id": "t",
         "created_date": "Friday, November 4, 2016 at 9:46:26 PM UTC", "message_id": "a/t/m", "updated_date": "x",
         "attached_files": [{"original_name": "a.pdf", "export_name": "File-a.pdf"}], "message_state": "x",
         "annotations": [{"gsuite_integration_metadata": {"tasks_data": {}}}],
         "previous_message_versions": [{"created_date": "Friday, November 4, 2016 at 9:46:20 PM UTC", "text": "x"}]},
    ],
}  # fmt: skip
HANGOUTS = {
    "conversations": [
        {"conversation_id": {"id": "U"},
         "conversation": {"conversation": {"id": {"id": "U"}, "name": "Garden", "self_conversation_state": {
             "self_read_state": {"participant_id": {"gaia_id": "1"}}}, "participant_data": [
             {"id": {"gaia_id": "1", "chat_id": "2"}, "fallback_name": "Rosa", "phone_number": {"e164": "+1"}}]}},
         "events": [
             {"sender_id": {"chat_id": "2"}, "timestamp": "1569073414201730", "event_id": "e", "chat_message": {
                 "message_content": {"segment": [{"type": "LINE_BREAK", "text": "x"}], "attachment": [
                     {"embed_item": {"plus_photo": {"url": "https://a.org/b.jpg"}}}]}}}]},
    ],
}  # fmt: skip
SKYPE = {
    "userId": "8:rosa",
    "conversations": [
        {"id": "8:ben", "displayName": "Ben", "threadProperties": {"topic": "Garden"}, "MessageList": [
            {"id": "1", "displayName": "Ben", "originalarrivaltime": "2024-03-04T11:20:34.567Z", "from": "8:ben",
             "messagetype": "RichText", "properties": {"edittime": "1"}, "content":
             "<quote>x</quote><a href=\"b\">c</a><URIObject><OriginalName v=\"a.pdf\"/></URIObject>"}]},
    ],
}  # fmt: skip
SNAPCHAT = {
    "ben": [{"From": "ben", "Media Type": "TEXT", "Created": "2024-04-20 01:29:22 UTC", "Content": "Hello",
             "Conversation Title": None, "IsSender": False, "Created(microseconds)": 1713576562686}],
    "Sent Saved Chat History": [{"To": "ben", "Created": "2024-04-20 01:29:22 UTC", "Text": "x"}],
    "Friends": [{"Username": "ben", "Display Name": "Ben"}],
}  # fmt: skip
DISCORD_PACKAGE = [
    {"ID": 5, "Timestamp": "2024-01-01 10:20:30", "Contents": "<@2> <:a:3>", "Attachments": "https://a.org/b"}
]
KEEP = {
    "title": "Quince", "textContent": "It blooms.", "isTrashed": False, "isArchived": True, "isPinned": False,
    "createdTimestampUsec": 1690372692755000, "userEditedTimestampUsec": 1690866308447000,
    "labels": [{"name": "garden"}], "annotations": [{"url": "https://example.org"}],
    "listContent": [{"text": "prune", "isChecked": False}],
}  # fmt: skip
DAY_ONE = {
    "metadata": {"version": "1.0"},
    "entries": [{
        "uuid": "E1", "creationDate": "2024-04-16T23:00:00Z", "modifiedDate": "2024-04-19T21:55:51Z", "tags": ["walk"],
        "text": "It rained.", "starred": True, "location": {"placeName": "Pier"}, "timeZone": "Europe/Dublin",
        "weather": {"conditionsDescription": "Rain"}, "photos": [{}]}],
}  # fmt: skip
STANDARD_NOTES = {
    "version": "004",
    "items": [
        {"uuid": "n", "content_type": "Note", "created_at": "2024-04-28T09:29:22.642Z", "content": {
            "title": "Quince", "noteType": "super", "starred": True, "text": json.dumps({"root": {"children": [
                {"type": "paragraph", "children": [{"type": "text", "text": "It blooms."}]}]}}),
            "appData": {"org.standardnotes.sn": {"client_updated_at": "2024-04-28T09:29:42.628Z"}}}},
        {"uuid": "t", "content_type": "Tag", "content": {
            "title": "garden",
            "references": [{"uuid": "n", "content_type": "Note"}, {"uuid": "t", "content_type": "Tag"}]}},
    ],
}  # fmt: skip
SIMPLENOTE = {
    "activeNotes": [
        {"id": "a", "content": "Quince\n\n[Pear](simplenote://note/b)", "creationDate": "2024-04-28T09:29:22.642Z",
         "lastModified": "2024-04-28T09:29:42.628Z", "tags": ["garden"], "pinned": True},
        {"id": "b", "content": "Pear"}],
    "trashedNotes": [{"id": "c", "content": "Gone."}],
}  # fmt: skip
DRAFTS = [{
    "uuid": "A", "content": "Quince\n\n[it](drafts://open?uuid=A) [[d:Pear]]", "created_at": "2025-01-01T00:00:00Z",
    "modified_at": "2025-01-02T00:00:00Z", "tags": ["garden"], "flagged": True, "folder": 1,
    "languageGrammar": "Markdown",
}]  # fmt: skip
JRNL = {
    "tags": {"@garden": 1}, "entries": [
        {"title": "It blooms.", "body": "In the @garden.", "date": "2025-01-01", "time": "10:00", "tags": ["@garden"],
         "starred": True}],
}  # fmt: skip
ROAM = [{
    "title": "Quince", "uid": "page00001", "create-time": 1591572842475, "edit-time": 1591572843000, "children": [
        {"string": "See ((block0002))", "uid": "block0001", "create-time": 1591572842475, "children": [
            {"string": "It blooms.", "uid": "block0002"}]}]}]  # fmt: skip
TIDDLERS = [{
    "title": "Quince", "text": "It ''blooms''.", "created": "20130822170200000", "modified": "20130822170200000",
    "tags": "garden", "type": "", "caption": "C", "creator": "Rosa", "planted": "2012",
}]  # fmt: skip

CODEX = {
    "timestamp": "2025-01-01T00:00:00Z", "type": "response_item", "payload": {
        "type": "message", "id": "msg_1", "role": "user", "content": [{"type": "input_text", "text": "Who?"}],
        "summary": [{"text": "Hm."}]},
}  # fmt: skip
GEMINI = {
    "sessionId": "g", "projectHash": "h", "startTime": "2025-01-01T00:00:00Z", "summary": "Garden",
    "messages": [
        {"id": "m", "timestamp": "2025-01-01T00:00:00Z", "type": "user", "content": [{"text": "Who?"}]},
        {"id": "n", "type": "gemini", "content": "Rosa.", "parts": [{"text": "Rosa."}],
         "thoughts": [{"description": "Hm."}], "toolCalls": [{"name": "find", "args": {"q": 1}}]},
    ],
}  # fmt: skip
QWEN_CODE = {
    "uuid": "u", "parentUuid": "t", "sessionId": "q", "timestamp": "2025-01-01T00:00:00Z", "type": "user",
    "subtype": "cron", "cwd": "/garden", "systemPayload": {"displayText": "Who?", "customTitle": "Garden"},
    "message": {"role": "user", "parts": [
        {"text": "Who?", "thought": True}, {"functionCall": {"name": "find", "args": {"q": 1}}},
        {"functionResponse": {"response": {"output": "Rosa."}}},
    ]},
}  # fmt: skip
PI = {
    "type": "message", "id": "m", "parentId": "n", "timestamp": "2025-01-01T00:00:00Z", "cwd": "/garden",
    "message": {"role": "assistant", "content": [{"type": "text", "text": "Rosa."}], "timestamp": 1735689600000},
}  # fmt: skip
DROID = {
    "type": "message", "role": "user", "id": "m", "text": "Who?", "timestamp": 1735689600000, "session_id": "d",
    "finalText": "Rosa.", "toolName": "grep", "parameters": {"q": "rose"}, "value": "A rose.",
}  # fmt: skip
KIMI = {
    "type": "context.append_loop_event", "time": 1735689600000, "created_at": 1735689600000,
    "event": {"type": "content.part", "uuid": "e", "part": {"type": "text", "text": "Rosa.", "think": "Hm."}},
    "message": {"role": "user", "content": [{"type": "text", "text": "Who?"}], "origin": {"kind": "user", "name": "x"}},
}  # fmt: skip
GOOSE = {
    "role": "user", "created": 1735689600, "content": [{"type": "text", "text": "Who?"}], "id": "m",
    "metadata": {"userVisible": True}, "working_dir": "/garden", "description": "Garden", "message_count": 1,
}  # fmt: skip
ZED = {"id": "z", "zed": "context", "version": "0.4.0", "text": "Who?\nRosa.", "summary": "A",
       "messages": [{"id": {"replica_id": 0, "value": 1}, "start": 0, "metadata": {"role": "user"}},
                    {"id": {"replica_id": 0, "value": 2}, "start": 5, "metadata": {"role": "assistant"}}],
       "slash_command_output_sections": [{"range": {"start": 0, "end": 2}, "label": "x"}]}  # fmt: skip
MASTODON = {"type": "OrderedCollection", "orderedItems": [
    {"type": "Create", "actor": "https://a.org/users/rosa", "object": {
        "id": "1", "type": "Note", "summary": "x", "published": "2025-01-01T00:00:00Z", "content": "<p>It blooms.</p>",
        "attachment": [{"name": "A quince"}], "oneOf": [{"name": "yes"}], "inReplyTo": "https://a.org/2"}},
    {"type": "Announce", "object": "https://a.org/3"}]}  # fmt: skip
AMP = {
    "id": "T", "title": "Garden", "created": 1735689600000, "messages": [
        {"role": "user", "messageId": 1, "content": [{"text": "Who?", "type": "text"}], "meta": {"sentAt": 1735689600}},
    ],
}  # fmt: skip
READABILITY = {"article__title": "A", "article__url": "https://a.org", "article__excerpt": "x",
               "date_added": "2015-05-01T10:00:00Z", "favorite": True, "archive": False}  # fmt: skip
POCKET = {"status": 1, "list": {"1": {"item_id": "1", "given_url": "https://a.org", "given_title": "A", "status": "0",
          "time_added": "1599806347", "tags": {"g": {"tag": "g"}}, "annotations": [{"quote": "q"}]}}}  # fmt: skip
PINBOARD = {
    "href": "https://example.org", "description": "Quinces", "extended": "Late.", "time": "2025-01-01T00:00:00Z",
    "toread": "no", "tags": "garden trees",
}  # fmt: skip
WALLABAG = {
    "id": 7, "url": "https://example.org", "title": "Quinces", "is_archived": 0, "is_starred": 1, "tags": ["garden"],
    "created_at": "2025-01-01T00:00:00Z", "content": "<p>Late.</p>", "annotations": [{"quote": "Late", "text": "True"}],
}  # fmt: skip
DELICIOUS = {
    "title": "Quinces", "url": "https://example.org", "description": "Late.", "created": "1735689600",
    "tags": ["garden"], "others": 9, "owner": "rosa",
}  # fmt: skip
KIRO = {
    "sessionId": "s", "title": "Garden", "history": [{"message": {"role": "user", "content": "Who?", "id": "m"}}],
}  # fmt: skip
GROK = {"type": "user", "content": [{"type": "text", "text": "Who?"}], "prompt_index": 0}
ANTIGRAVITY = {
    "step_index": 0, "source": "USER_EXPLICIT", "type": "USER_INPUT", "status": "DONE", "content": "Who?",
    "created_at": "2025-01-01T00:00:00Z",
}  # fmt: skip
COPILOT = {
    "sessionId": "c", "responderUsername": "GitHub Copilot", "creationDate": 1735689600000, "customTitle": "Garden",
    "requests": [
        {"requestId": "r", "responseId": "a", "timestamp": 1735689600000,
         "message": {"text": "Who?", "parts": [{"text": "Who?"}]},
         "response": [
             {"value": "Rosa, in ", "kind": None}, {"kind": "thinking", "value": ["Hm."]},
             {"kind": "inlineReference", "inlineReference": {"location": {"uri": {"path": "/a.md"}}, "name": "a"}},
             {"kind": "toolInvocationSerialized", "invocationMessage": {"value": "Reading"}},
             {"kind": "markdownContent", "content": {"value": "."}}]},
    ],
}  # fmt: skip
CURSOR = {"role": "user", "message": {"content": [{"type": "text", "text": "<user_query>Who?</user_query>"}]}}
CLINE = [
    {"ts": 1735689600000, "type": "say", "say": "text", "text": "Who?", "partial": False},
    {"ts": 1735689600000, "type": "ask", "ask": "followup", "text": '{"question": "Where?"}'},
    {"role": "assistant", "content": [{"type": "text", "text": "<thinking>Hm.</thinking><result>Rosa.</result>"}]},
]
SHAREGPT = [{"id": "a", "conversations": [{"from": "human", "value": "Who?"}, {"from": "gpt", "value": "Rosa."}]}]
AI_STUDIO = {
    "id": "p", "displayName": "Garden", "createTime": "2025-01-01T00:00:00Z", "systemInstruction": {"text": "Be kind."},
    "chunkedPrompt": {"chunks": [
        {"id": "a", "role": "user", "text": "Who?", "createTime": "2025-01-01T00:00:00Z", "branchChildren": []},
        {"role": "model", "parts": [{"text": "Rosa."}], "isThought": False}]},
}  # fmt: skip

OMNIVORE = {
    "id": "o", "slug": "quince", "title": "Quinces", "description": "It blooms.", "author": "Rosa", "state": "Active",
    "url": "https://example.org", "readingProgress": 0, "labels": ["garden", {"name": "b"}],
    "savedAt": "2025-01-01T00:00:00Z",
}  # fmt: skip
HYPOTHESIS = {
    "id": "h", "created": "2025-01-01T00:00:00Z", "user": "acct:rosa@hypothes.is", "uri": "https://example.org",
    "document": {"title": ["Quinces"]}, "text": "True.", "tags": ["garden"], "references": ["a"],
    "target": [{"selector": [{"type": "TextQuoteSelector", "exact": "It blooms."}]}],
}  # fmt: skip

_PAGE = {"type": "text/x-moz-place", "uri": "https://a.org", "title": "A", "dateAdded": 1460294956000000,
         "tags": "a,b", "annos": [{"name": "bookmarkProperties/description", "value": "x"}]}  # fmt: skip
BOOKMARKS = {
    "type": "text/x-moz-place-container", "title": "Garden", "root": "placesRoot", "children": [_PAGE],
    "roots": {"other": {"name": "Other", "children": [
        {"type": "url", "url": "https://b.org", "name": "B", "date_added": "13255337775902496"}]}},
}  # fmt: skip

_SEGMENT = {"startTime": "2025-01-01T00:00:00Z", "endTime": "2025-01-01T01:00:00Z",
            "visit": {"topCandidate": {"placeLocation": {"latLng": "48.1°, 11.5°"}, "semanticType": "HOME"}},
            "activity": {"start": "geo:1,2", "end": "geo:3,4", "topCandidate": {"type": "WALKING"}},
            "timelinePath": [{"point": "geo:1,2", "time": "2025-01-01T00:00:00Z"}]}  # fmt: skip
TAKEOUT = {
    "Browser History": [{"title": "A", "url": "https://a.org", "time_usec": 1593250194513750}],
    "locations": [{"timestampMs": "1437263846012", "latitudeE7": 376955289, "longitudeE7": -1219287261, "accuracy": 4}],
    "timelineObjects": [{"placeVisit": {"location": {"name": "Garden", "address": "x", "latitudeE7": 1},
                                        "duration": {"startTimestamp": "2025-01-01T00:00:00Z"}}}],
    "semanticSegments": [_SEGMENT],
}  # fmt: skip

SLACK = {
    "channel_id": "C1", "name": "garden", "messages": [
        {"type": "message", "user": "U1", "text": "Who?", "ts": "1736478630.9", "thread_ts": "1736478630.9",
         "slackdump_thread_replies": [{"type": "message", "user": "U2", "text": "Rosa.", "ts": "1736478631.9"}]}],
}  # fmt: skip
_ASKED = {
    "header": "Gemini Apps", "title": "Prompted Who?", "titleUrl": "https://gemini.google.com/app/abc123abc",
    "time": "2025-01-01T00:00:00Z", "products": ["Gemini Apps"], "details": [{"name": "x"}],
    "subtitles": [{"name": "-  a.pdf", "url": "a.pdf"}], "attachedFiles": ["a.pdf"],
    "safeHtmlItem": [{"html": "Rosa."}],
}  # fmt: skip
DEEPSEEK = {
    "id": "c", "title": "Garden", "inserted_at": "2025-01-01T00:00:00Z", "updated_at": None, "mapping": {
        "1": {"id": "1", "parent": None, "children": ["2"], "message": {
            "inserted_at": "2025-01-01T00:00:00Z", "files": [{"file_name": "a.pdf"}],
            "fragments": [{"type": "REQUEST", "content": "Who?"}]}},
        "2": {"id": "2", "parent": "1", "children": [], "message": {
            "inserted_at": "2025-01-01T00:00:01Z", "fragments": [{"type": "RESPONSE", "content": "Rosa."}]}}},
}  # fmt: skip
GROK_EXPORT = {"conversations": [{
    "conversation": {"id": "g", "title": "Garden", "create_time": "2025-01-01T00:00:00Z", "modify_time": None},
    "responses": [
        {"response": {"_id": "1", "sender": "human", "message": "Who?",
                      "create_time": {"$date": {"$numberLong": "1"}}}},
        {"response": {"_id": "2", "sender": "assistant", "message": "Rosa.", "parent_response_id": "1",
                      "create_time": "2025-01-01T00:00:01Z"}}],
}]}  # fmt: skip
OPEN_WEBUI = {
    "id": "o", "title": "Garden", "created_at": 1743456789, "updated_at": 1743456795, "meta": {"tags": ["garden"]},
    "chat": {"history": {"currentId": "b", "messages": {
        "a": {"id": "a", "parentId": None, "role": "user", "content": "Who?", "timestamp": 1743456789,
              "files": [{"name": "a.pdf"}]},
        "b": {"id": "b", "parentId": "a", "role": "assistant", "content": "",
              "content_list": [{"phase": "answer", "content": "Rosa."}]}}}, "messages": []},
}  # fmt: skip
DESIGN = {
    "uuid": "d", "title": "Chat", "project": {"name": "Garden"}, "created_at": "2025-01-01T00:00:00Z", "messages": [
        {"uuid": "1", "role": "user", "created_at": "2025-01-01T00:00:00Z",
         "content": {"content": "Who?", "attachments": [{"name": "a", "content": "x"}]}},
        {"uuid": "2", "role": "assistant", "content": {"contentBlocks": [{"type": "text", "text": "Rosa."}]}}],
}  # fmt: skip
THREADS = {"text_post_app_text_posts": [
    {"media": [{"creation_timestamp": 1776526631, "title": "Rosa.", "text_app_post": {}}]}]}  # fmt: skip
TIKTOK = {
    "Activity": {"Browsing": {"VideoList": []}},
    "Comment": {"Comments": {"CommentsList": [{"date": "2025-01-01 00:00:00", "comment": "Lovely"}]}},
    "Direct Message": {"Direct Messages": {"ChatHistory": {
        "Chat History with ben:": [{"Date": "2025-01-01 00:00:00", "From": "ben", "Content": "Who?"}]}}},
    "Post": {"Posts": {"VideoList": [{"Date": "2025-01-01 00:00:00", "Title": "Quince"}]}},
    "Profile": {"Profile Info": {"ProfileMap": {"userName": "rosa"}}},
}  # fmt: skip
CHAT_JSON = [
    {"title": "Garden", "conversationId": "c", "createdAt": 1736789912980, "messages": [
        {"messageId": "1", "parentMessageId": "0", "isCreatedByUser": True, "text": "Who?", "createdAt": "2025-01-01",
         "children": [{"messageId": "2", "parentMessageId": "1", "role": "assistant",
                       "content": [{"type": "text", "text": {"value": "Rosa."}}]}]}]},
    {"name": "Garden", "messages": [{"currentlySelected": 0, "versions": [{"role": "assistant", "steps": [
        {"stepIdentifier": "1736789912980-0.1", "style": {"type": "thinking"},
         "content": [{"type": "text", "text": "x"}]},
    ]}]}]},
]  # fmt: skip
VALID = {
    "slack": ("json", SLACK),
    "google-takeout": ("json", TAKEOUT),
    "bookmarks": ("json", BOOKMARKS),
    "omnivore": ("json", [OMNIVORE]),
    "pinboard": ("json", [PINBOARD]),
    "wallabag": ("json", [WALLABAG]),
    "delicious": ("json", [DELICIOUS]),
    "readability": ("json", {"bookmarks": [READABILITY]}),
    "pocket": ("json", POCKET),
    "csl-json": ("json", [CSL_JSON]),
    "hypothesis": ("json", [HYPOTHESIS, {"rows": [HYPOTHESIS], "total": 1}]),
    "discord": ("json", DISCORD),
    "mattermost": ("jsonl", MATTERMOST),
    "discord-package": ("json", DISCORD_PACKAGE),
    "element": ("json", ELEMENT),
    "zulip": ("json", ZULIP),
    "google-chat": ("json", GOOGLE_CHAT),
    "hangouts": ("json", HANGOUTS),
    "saved-places": ("json", PLACES),
    "spotify": ("json", SPOTIFY),
    "journey": ("json", JOURNEY),
    "google-tasks": ("json", GOOGLE_TASKS),
    "trello": ("json", TRELLO),
    "github": ("json", [GITHUB]),
    "skype": ("json", SKYPE),
    "snapchat": ("json", SNAPCHAT),
    "tiktok": ("json", TIKTOK),
    "mastodon": ("json", MASTODON),
    "facebook": ("json", [FACEBOOK, *POSTS, *COMMENTS, THREADS]),
    "telegram": ("json", TELEGRAM),
    "chatgpt": ("json", [CHATGPT]),
    "claude": ("json", [CLAUDE, PROJECT, REMEMBERED, DESIGN]),
    "gemini": ("json", [_ASKED]),
    "deepseek": ("json", [DEEPSEEK]),
    "grok-export": ("json", GROK_EXPORT),
    "open-webui": ("json", [OPEN_WEBUI]),
    "claude-code": ("jsonl", SESSION),
    "codex": ("jsonl", CODEX),
    "gemini-cli": ("json", GEMINI),
    "qwen-code": ("jsonl", QWEN_CODE),
    "pi": ("jsonl", PI),
    "droid": ("jsonl", DROID),
    "kimi": ("jsonl", KIMI),
    "goose": ("jsonl", GOOSE),
    "amp": ("json", AMP),
    "zed": ("json", ZED),
    "kiro": ("json", KIRO),
    "grok": ("jsonl", GROK),
    "antigravity": ("jsonl", ANTIGRAVITY),
    "copilot": ("json", COPILOT),
    "cursor": ("jsonl", CURSOR),
    "cline": ("json", CLINE),
    "sharegpt": ("json", SHAREGPT),
    "chat-json": ("json", CHAT_JSON),
    "ai-studio": ("json", AI_STUDIO),
    "notebook": ("ipynb", NOTEBOOK),
    "google-keep": ("json", KEEP),
    "day-one": ("json", DAY_ONE),
    "standard-notes": ("json", STANDARD_NOTES),
    "simplenote": ("json", SIMPLENOTE),
    "jrnl": ("json", JRNL),
    "drafts": ("json", DRAFTS),
    "canvas": ("canvas", CANVAS),
    "roam": ("json", ROAM),
    "tiddlywiki": ("json", TIDDLERS),
    "json": ("json", [ROW]),
    "jsonl": ("jsonl", ROW),
    "triples": ("jsonl", TRIPLE),
}


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to each node of a JSON value."""
    yield path
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(inner, (*path, key))


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """A copy with another value at a place."""
    if not path:
        return new
    whole = copy.deepcopy(value)
    at = whole
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = new
    return whole


def changed(value: Any) -> Iterator[str]:
    """The JSON of the value with each node replaced by each of VALUES, and with each node left out."""
    for path in places(value):
        text = json.dumps(replaced(value, path, "<here>"))
        yield from (text.replace('"<here>"', other) for other in VALUES)
    for path in places(value):
        if path and isinstance(path[-1], str):
            text = json.dumps(replaced(value, path, "<here>"))
            yield text.replace(f'{json.dumps(path[-1])}: "<here>"', '"left out": 1')


@pytest.mark.parametrize("format", VALID)
def test_any_value_at_any_place_is_read_or_fails_alone(tmp_path: Path, format: str) -> None:
    ending, value = VALID[format]
    texts = [json.dumps(value), *changed(value)]
    for number, text in enumerate(texts):
        (tmp_path / f"{number:05}.{ending}").write_text(text, "ascii")
    with MemoryDatabase(embed="none") as db:
        report = db.ingest(tmp_path, format=format, now=NOW, include_tools=True, include_thinking=True)
        assert [str(one) for one in report.failures if guard.UNEXPECTED in one.reason] == []
        assert report.added or report.relations or format == "triples"
        assert db.conn.execute("pragma integrity_check").fetchone()[0] == "ok"
        bad = "select count(*) from memories where not json_valid(meta) or not json_valid(tags)"
        assert db.conn.execute(bad).fetchone()[0] == 0
        kinds = "select distinct typeof({}) from memories"
        for column in ("text", "kind", "title", "speaker", "source_id", "happened_at", "category", "project"):
            assert {kind for (kind,) in db.conn.execute(kinds.format(column))} <= {"text", "null"}, column
    valid = tmp_path / f"00000.{ending}"
    assert not [one for one in read(valid, format=format, options=ALL) if isinstance(one, Failure)]


# Formats that are not JSON.
OTHERS = {
    *("csv", "tsv", "llm", "markdown", "memkit", "sqlite"),
    *("enex", "joplin", "bear", "apple-notes", "notion", "opml", "org", "wiki", "wordpress", "blogger", "substack"),
    *("zim", "dokuwiki", "rednotebook", "tomboy", "cherrytree"),
    *(
        "asciidoc",
        "doc",
        "docx",
        "epub",
        "html",
        "mhtml",
        "opendocument",
        "pdf",
        "ppt",
        "pptx",
        "rst",
        "rtf",
        "xls",
        "xlsx",
    ),
    *("asciidoc", "browser-history", "zip"),
    *(
        "imessage",
        "imessage-export",
        "signal",
        "telegram-html",
        "twitter",
        "whatsapp",
        "facebook-html",
        "line",
        "linkedin",
        "microsoft-copilot",
        "google-voice",
        "qq",
        "sms-backup",
        "kakaotalk",
        "reddit",
        "zoom",
        "irc",
        "pidgin",
        "adium",
        "bluesky",
    ),
    *("aider", "opencode"),
    *("eml", "maildir", "mbox", "msg", "contact-table", "vcard"),
    *(
        "kindle",
        "kobo",
        "anki",
        "apple-books",
        "calibre",
        "instapaper",
        "raindrop",
        "readwise",
        "goodreads",
        "bibtex",
        "ris",
        "daylio",
        "letterboxd",
        "netflix",
        "ticktick",
        "todoist",
    ),
    *("ics", "vtt", "srt", "meeting"),
    *("asana", "jira", "linear", "toodledo", "imdb", "storygraph", "todo.txt"),
}


def test_each_format_of_json_has_its_payloads() -> None:
    assert {*VALID} == {*FORMATS} - OTHERS
