"""The official Python client against the real program: one sample project, one scenario for each era."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import anyio
import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from report import Report, equal

SERVER = os.environ["WORKSPACE_MCP_SERVER"]
SAMPLE = Path(os.environ["WORKSPACE_MCP_SAMPLE"])
SCENARIO = json.loads(Path(os.environ["WORKSPACE_MCP_SCENARIO"]).read_text(encoding="utf-8"))


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


@contextmanager
def over_stdio(root, options=()):
    yield StdioServerParameters(command=SERVER, args=["--root", str(root), *options])


@contextmanager
def over_http(root, options=()):
    """A server on a free port, with a token; one of its first lines says where it listens."""
    token = "a-token-of-the-client-tests"
    with subprocess.Popen(
        [SERVER, "--http", "--port", "0", "--root", str(root), *options],
        env={**os.environ, "MCP_TOKEN": token},
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as served:
        try:
            found = next(filter(None, (re.search(r"http:\S+/mcp", line) for line in served.stderr)))
            headers = {"Authorization": f"Bearer {token}"}
            http_client = httpx2.AsyncClient(headers=headers, timeout=30)
            yield streamable_http_client(found[0], http_client=http_client)
        finally:
            served.terminate()


async def session(report, title, mode, version, over):
    root = Path(tempfile.mkdtemp(prefix="workspace-mcp-clients-"))
    shutil.copytree(SAMPLE, root, dirs_exist_ok=True)
    with over(root) as server:
        await converse(report, title, mode, version, server)

    async def leaves():
        equal(tree(root), SCENARIO["after"])

    await report.run(f"{title}: leaves the tree as it said", leaves)
    shutil.rmtree(root)


async def converse(report, title, mode, version, server):
    async with Client(server, mode=mode, read_timeout_seconds=30) as client:

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


# Says a line, and waits for a while after each.
TALK = "import time\nfor n in (1, 2, 3): print(f'step {n}', flush=True); time.sleep(0.4)"


async def told(mode, over):
    """A caller that asks is told how far a command is."""
    seen = []

    async def tell(progress, total, message):
        seen.append((progress, message))

    with tempfile.TemporaryDirectory(prefix="workspace-mcp-clients-") as root:
        options = ["--shell", "--shell-allow", Path(sys.executable).name]
        call = {"command": [Path(sys.executable).name, "-c", TALK]}
        with over(Path(root), [*options, "--shell-path", str(Path(sys.executable).parent)]) as server:
            async with Client(server, mode=mode, read_timeout_seconds=30) as client:
                result = await client.call_tool("run_command", call, progress_callback=tell)
    equal(result.content[0].text.splitlines()[:3], ["step 1", "step 2", "step 3"])
    if not seen:
        raise AssertionError("nothing was told")
    equal([progress for progress, _ in seen], list(range(1, len(seen) + 1)))
    for _, message in seen:
        if not re.fullmatch(r"step \d", message):
            raise AssertionError(f"told {message!r}")


async def main():
    report = Report()
    for title, mode, version, over in [
        ("initialize over stdio", "legacy", "2025-11-25", over_stdio),
        ("discover over stdio", "auto", "2026-07-28", over_stdio),
        ("initialize over HTTP", "legacy", "2025-11-25", over_http),
        ("discover over HTTP", "auto", "2026-07-28", over_http),
    ]:

        async def whole(title=title, mode=mode, version=version, over=over):
            await session(report, title, mode, version, over)

        await report.run(f"{title}: opens and closes", whole)

        async def commands(mode=mode, over=over):
            await told(mode, over)

        if sys.platform != "win32":  # commands do not run there yet
            await report.run(f"{title}: is told how far a command is", commands)
    print(f"{report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


sys.exit(anyio.run(main))
