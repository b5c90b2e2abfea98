"""Language models that do as they are told, as a plugin of `llm`: the tests' stand-ins for real ones.

`echo` says what it was asked, also asynchronously. `tools` (and its asynchronous twin) reads the prompt as JSON lines,
`["memory_recall", {"query": "..."}]`, calls these tools of Memory, and says what it got. `plain` has no tools.
"""

import json
from threading import Event

import llm


def _asked(prompt):
    """The text of the newest message, and the system prompt if there is one."""
    return prompt.prompt + (f"\nSYSTEM {prompt.system}" if prompt.system else "")


def _use_tools(prompt, response):
    if prompt.tool_results:
        return "\n".join(result.output for result in prompt.tool_results)
    for number, line in enumerate(prompt.prompt.splitlines()):
        name, arguments = json.loads(line)
        name = f"Memory_{name}"
        response.add_tool_call(llm.ToolCall(name=name, arguments=arguments, tool_call_id=f"call {number} {name}"))
    return ""


class Plain(llm.Model):
    """Says what it was asked."""

    model_id = "plain"

    def execute(self, prompt, stream, response, conversation=None):
        yield _asked(prompt)


class Echo(Plain):
    """Says what it was asked, and could use tools."""

    model_id = "echo"
    supports_tools = True


class AsyncEcho(llm.AsyncModel):
    """Says what it was asked, asynchronously."""

    model_id = "echo"
    supports_tools = True

    async def execute(self, prompt, stream, response, conversation=None):
        yield _asked(prompt)


class Tools(llm.Model):
    """Calls the tools that its prompt names."""

    model_id = "tools"
    supports_tools = True

    def execute(self, prompt, stream, response, conversation=None):
        yield _use_tools(prompt, response)


class AsyncTools(llm.AsyncModel):
    """Calls the tools that its prompt names, asynchronously."""

    model_id = "tools"
    supports_tools = True

    async def execute(self, prompt, stream, response, conversation=None):
        yield _use_tools(prompt, response)


@llm.hookimpl
def register_models(register):
    """Adds the models."""
    register(Plain())
    register(Echo(), AsyncEcho())
    register(Tools(), AsyncTools())


class Moody(llm.EmbeddingModel):
    """An embedding model to read by eye, how often each letter from a to h occurs, that fails as its `mood` says."""

    model_id = "moody"
    batch_size = 50

    def __init__(self):
        self.mood, self.asked, self.answered = "well", 0, Event()

    def embed_batch(self, items, key=None):
        texts = list(items)
        self.asked += 1
        if self.mood == "raises":
            raise llm.NeedsKeyException("No key found for sk-SECRET")
        if self.mood == "crashes":
            raise ZeroDivisionError
        if self.mood == "hangs":
            self.answered.wait(60)
        vectors = [[float(text.lower().count(letter)) for letter in "abcdefgh"] for text in texts]
        if self.mood == "other size":
            vectors = [vector * 2 for vector in vectors]
        if self.mood == "nan":
            vectors = [[float("nan")] * 8 for _ in texts]
        if "refused" in self.mood:  # for some texts only, as models of today do
            bad = [1e400 if self.mood == "refused as infinite" else float("nan")] * 8
            if self.mood == "refused by an error" and any("odd" in text for text in texts):
                raise ValueError("filtered")
            vectors = [bad if "odd" in text else one for text, one in zip(texts, vectors, strict=True)]
        if self.mood == "too few":
            vectors = vectors[1:]
        if self.mood == "no numbers":
            vectors = [["a"] * 8 for _ in texts]
        yield from vectors


MOODS = ("raises", "crashes", "hangs", "other size", "nan", "too few", "no numbers", "not installed")
