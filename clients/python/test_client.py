"""The official Python client against the real program: one sample project, one scenario for each era."""

import json
import os
import re
import shutil
import sys
import tempfile
import traceback
from pathlib import Path

import anyio
from mcp import Client, MCPError, StdioServerParameters

SERVER = os.environ["WORKSPACE_MCP_SERVER"]
SAMPLE = Path(os.environ["WORKSPACE_MCP_SAMPLE"])
SCENARIO = json.loads(Path(os.environ["WORKSPACE_MCP_SCENARIO"]).read_text(encoding="utf-8"))


class Report:
    """Counts what held, and prints the rest."""

    def __init__(self):
        self.passed = 0
        self.failed = 0

    async def run(self, title, test):
        try:
            await test()
        except Exception:  # one broken check must not hide the next
            self.failed += 1
            print(f"not ok - {title}")
            traceback.print_exc(limit=2, file=sys.stdout)
        else:
            self.passed += 1
            print(f"ok - {title}")


def equal(seen, wanted):
    if seen != wanted:
        raise AssertionError(f"expected {wanted!r}, got {seen!r}")


def tree(root):
    """The whole tree as `path -> text`, state of the server left out."""
    files = {}
    for path in root.rglob("*"):
        relative = path.relative_to(root)
        if path.is_file() and relative.parts[0] != ".workspace-mcp":
            files[relative.as_posix()] = path.read_bytes().decode("utf-8")
    return files


def check(step, result):
    equal(len(result.content), 1)
    text = result.content[0].text
    if bool(result.is_error) != step.get("error", False):
        raise AssertionError(f"isError is {result.is_error}: {text}")
    if "text" in step:
        equal(text, step["text"])
    elif not text.startswith(step["starts"]):
        raise AssertionError(f"expected {step['starts']}…, got {text}")


async def session(report, title, mode, version):
    root = Path(tempfile.mkdtemp(prefix="workspace-mcp-clients-"))
    shutil.copytree(SAMPLE, root, dirs_exist_ok=True)
    command = StdioServerParameters(command=SERVER, args=["--root", str(root)])
    async with Client(command, mode=mode, read_timeout_seconds=30) as client:

        async def greets():
            equal(client.server_info.name, "workspace-mcp")
            equal(client.protocol_version, version)
            if not re.search("default", client.instructions or ""):
                raise AssertionError(f"no workspace in {client.instructions!r}")

        async def lists():
            tools = (await client.list_tools()).tools
            equal([tool.name for tool in tools], SCENARIO["tools"])

        async def unknown():
            try:
                await client.call_tool("format_disk", {})
            except MCPError as error:
                equal(error.error.code, -32602)
            else:
                raise AssertionError("an unknown tool was called")

        await report.run(f"{title}: says who it is", greets)
        await report.run(f"{title}: lists its tools", lists)
        for step in SCENARIO["steps"]:

            async def call(step=step):
                check(step, await client.call_tool(step["call"], step["arguments"]))

            await report.run(f"{title}: {step['name']}", call)
        await report.run(f"{title}: knows no other tool", unknown)

    async def leaves():
        equal(tree(root), SCENARIO["after"])

    await report.run(f"{title}: leaves the tree as it said", leaves)
    shutil.rmtree(root)


async def main():
    report = Report()
    for title, mode, version in [
        ("initialize", "legacy", "2025-11-25"),
        ("discover", "auto", "2026-07-28"),
    ]:

        async def whole(title=title, mode=mode, version=version):
            await session(report, title, mode, version)

        await report.run(f"{title}: opens and closes", whole)
    print(f"{report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


sys.exit(anyio.run(main))
