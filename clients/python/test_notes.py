"""The walk through `docs/notes.md` with the official client: the servers are those that the page
registers, each call is made as it stands there, and each answer must be the one that follows it. The
client holds each answer against its schema as well.
"""

import json
import os
import re
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters

from report import Report, equal

SERVER = os.environ["WORKSPACE_MCP_SERVER"]
# The sample project lies in `clients/` of the checkout.
CHECKOUT = Path(os.environ["WORKSPACE_MCP_SAMPLE"]).parent.parent
PAGE = CHECKOUT / "docs/notes.md"
CALL = re.compile(r"```json\n([^\n]*)\n```\n\n```text\n(.*?)\n```\n", re.DOTALL)
REGISTERED = re.compile(r"^claude mcp add my-notes -- (workspace-mcp .*)$", re.MULTILINE)
WRITES = {"tasks_add", "tasks_complete"}


def walk():
    """The servers of the page, each with its calls: a list of (words, [(name, arguments, answer)])."""
    text = PAGE.read_text("utf-8")
    starts = list(REGISTERED.finditer(text))
    ends = [start.start() for start in starts[1:]] + [len(text)]
    for start, end in zip(starts, ends):
        calls = []
        for message, answer in CALL.findall(text[start.end() : end]):
            call = json.loads(message)
            calls.append((call["name"], call["arguments"], answer))
        yield start[1], calls


async def walked(mode):
    home = Path(tempfile.mkdtemp(prefix="workspace-mcp-notes-"))
    shutil.copytree(CHECKOUT / "examples/notes", home / "examples/notes")
    seen = []
    for command, calls in walk():
        words = shlex.split(command.replace("$PWD", str(home)))
        equal(words[0], "workspace-mcp")
        server = StdioServerParameters(command=SERVER, args=words[1:], cwd=str(home))
        async with Client(server, mode=mode, read_timeout_seconds=30) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            equal(names & WRITES, WRITES if seen else set())
            for name, arguments, answer in calls:
                result = await client.call_tool(name, arguments)
                equal(result.is_error, False)
                equal(result.content[0].text.rstrip("\n"), answer)
                if result.structured_content is None:
                    raise AssertionError(f"{name} gave no data")
                seen.append(name)
    equal(len(seen), 8)
    tasks = json.loads((home / "examples/notes/tasks.json").read_text("utf-8"))["tasks"]
    equal([task["title"] for task in tasks][-1], "Buy milk")
    before = (CHECKOUT / "examples/notes/projects/garden.md").read_bytes()
    after = (home / "examples/notes/projects/garden.md").read_bytes()
    equal(after, before.replace(b"[ ] Build", b"[x] Build"))
    shutil.rmtree(home)


async def main():
    report = Report()
    for mode in ["legacy", "auto"]:

        async def session(mode=mode):
            await walked(mode)

        await report.run(f"notes: the walk through its page ({mode})", session)
    print(f"{report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


sys.exit(anyio.run(main))
