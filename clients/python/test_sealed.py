"""The toolsets that need neither a program nor a network, under a filter that ends a server which starts
the one or opens a socket for the other: every tool is called, in ways that work and in ways that do not.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters

import sealed
from report import Report, equal

SERVER = os.environ["WORKSPACE_MCP_SERVER"]
NOTES = (
    "notes_append,notes_write,notes_edit,notes_move,"
    "tasks_add,tasks_complete,tasks_update,tasks_remove"
)
TOOLSETS = {
    "notes": lambda root: ["notes", "--root", root, "--markdown-tasks", "--allow-write", NOTES],
    "paged": lambda root: ["paged", "--root", root, "--include", "**", "--era", "both"],
}
FILES = {
    "a.md": "# One\n\n[[b]] two\n\n- [ ] three\n",
    "b.md": "---\ntitle: two\n---\nfour\n",
    "folder/c.md": "five\n",
}
# What arguments of these names are given, each in turn; any other is given by its type.
VALUES = {
    "path": ["a.md", "folder/c.md", "../outside.md"],
    "to": ["moved.md"],
    "root": ["."],
    "folder": ["folder"],
    "oldString": ["two"],
    "newString": ["deux"],
    "query": ["two", "t.*o"],
    "pattern": ["two", "*.md"],
    "text": ["more\n"],
    "content": ["all of it\n"],
    "title": ["buy milk"],
    "due": ["2030-01-01"],
}
BY_TYPE = {"string": "x", "integer": 1, "boolean": True, "number": 1, "array": [], "object": {}}


def is_there(toolset):
    asked = subprocess.run([SERVER, toolset, "--help"], stdin=subprocess.DEVNULL, capture_output=True)
    return asked.returncode == 0


def arguments(schema, turn, optional):
    """Arguments for a call: those that are needed, and perhaps the others."""
    needed = schema.get("required", [])
    given = {}
    for name, kind in schema.get("properties", {}).items():
        if name in needed or optional:
            values = VALUES.get(name) or kind.get("enum") or [BY_TYPE[kind.get("type", "string")]]
            given[name] = values[turn % len(values)]
    return given


async def every_tool(toolset, mode):
    root = Path(tempfile.mkdtemp(prefix="workspace-mcp-sealed-"))
    for name, text in FILES.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    command = [sys.executable, sealed.__file__, SERVER, *TOOLSETS[toolset](str(root))]
    server = StdioServerParameters(command=command[0], args=command[1:], cwd=str(root))
    async with Client(server, mode=mode, read_timeout_seconds=30) as client:
        tools = (await client.list_tools()).tools
        worked = 0
        for optional in [False, True]:
            for turn in range(3):
                for tool in tools:
                    sent = arguments(tool.input_schema, turn, optional)
                    result = await client.call_tool(tool.name, sent)
                    worked += not result.is_error
        if worked < len(tools):
            raise AssertionError(f"only {worked} calls of {len(tools)} tools worked")
        # Had the filter ended the server, nothing would answer any more.
        equal(len((await client.list_tools()).tools), len(tools))
    shutil.rmtree(root)


async def main():
    report = Report()
    for toolset in TOOLSETS:
        for mode in ["legacy", "auto"]:

            async def session(toolset=toolset, mode=mode):
                await every_tool(toolset, mode)

            # On other systems there is no such filter, and a build may leave a toolset out.
            if sealed.is_possible() and is_there(toolset):
                await report.run(f"{toolset}: every tool runs nothing ({mode})", session)
    print(f"{report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


sys.exit(anyio.run(main))
