"""`workspace-mcp paged` with the official client, which holds each answer against its schema, under the
filter that ends a server which starts a program or opens a socket.
"""

import hashlib
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

import anyio
from mcp import Client, MCPError, StdioServerParameters

import sealed
from report import Report, equal

SERVER = os.environ["WORKSPACE_MCP_SERVER"]
SEALED = str(Path(sealed.__file__).resolve())
REFUSED = "Unsupported protocol version: 2025-11-25"
FILES = {
    "a.md": "# A\n" + "needle ☃\n" * 900,
    "lib/b.txt": "one\nneedle\n",
    "lib/deep/c.txt": "nothing\n",
    "node_modules/d.txt": "needle\n",
}


def server(root, *options):
    command = [SERVER, "paged", "--root", str(root), "--include", "**", *options]
    if sealed.is_possible():
        command = [sys.executable, SEALED, *command]
    return StdioServerParameters(command=command[0], args=command[1:], env={}, cwd=str(root))


def digest(*parts):
    return "sha256:" + hashlib.sha256("".join(parts).encode()).hexdigest()


async def page(client, tool, arguments):
    result = await client.call_tool(tool, arguments)
    text = result.content[0].text
    if result.is_error:
        raise AssertionError(f"{tool}: {text}")
    equal(json.loads(text), result.structured_content)
    return result.structured_content


async def pages(client, tool, cite, **arguments):
    """All items of a traversal, each page held against its hash."""
    items = []
    while True:
        one = await page(client, tool, arguments)
        equal(one["content_hash"], digest(*(cite(item) for item in one["items"])))
        items += one["items"]
        if one["next_cursor"] is None:
            return items
        arguments["cursor"] = one["next_cursor"]


async def whole_session(mode, *options):
    root = Path(tempfile.mkdtemp(prefix="workspace-mcp-paged-"))
    for name, content in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode())
    async with Client(server(root, *options), mode=mode, read_timeout_seconds=30) as client:
        tools = (await client.list_tools()).tools
        equal(
            [tool.name for tool in tools],
            ["list_directory", "search_files", "search_text", "read_text_file", "write_text_file"],
        )
        entries = await pages(
            client, "list_directory", lambda entry: f"{entry['kind']}\0{entry['path']}\n", limit=1
        )
        equal([entry["path"] for entry in entries], ["a.md", "lib"])
        found = await pages(client, "search_files", lambda file: f"{file['path']}\n", query="c")
        equal([file["path"] for file in found], ["lib/deep/c.txt"])
        lines = await pages(
            client,
            "search_text",
            lambda line: f"{line['path']}\0{line['line']}\0{line['text']}\n",
            any_of=["NEEDLE", "no such"],
            case_insensitive=True,
            limit=150,
        )
        equal(len(lines), 901)
        equal(lines[-1], {"path": "lib/b.txt", "line": 2, "text": "needle"})
        pieces = await pages(client, "read_text_file", lambda piece: piece["text"], path="a.md", limit=2)
        equal("".join(piece["text"] for piece in pieces), FILES["a.md"])
        written = await page(client, "write_text_file", {"path": "new.md", "content": "one\n"})
        equal(written, {"path": "new.md", "bytes": 4, "content_hash": digest("one\n")})
        again = {"path": "new.md", "content": "two\n", "expected_hash": digest("other\n")}
        refused = await client.call_tool("write_text_file", again)
        equal((refused.is_error, refused.content[0].text), (True, "file changed since it was read"))
        again["expected_hash"] = written["content_hash"]
        await page(client, "write_text_file", again)
        equal((root / "new.md").read_bytes(), b"two\n")
        first = await page(client, "search_text", {"query": "needle", "limit": 1})
        (root / "lib" / "b.txt").write_bytes(b"changed\n")
        stale = {"query": "needle", "cursor": first["next_cursor"]}
        refused = await client.call_tool("search_text", stale)
        equal(
            refused.content[0].text,
            "the filesystem changed since this cursor was issued; start the traversal again",
        )
    shutil.rmtree(root)


def faults(error):
    """What went wrong, out of the groups that it came in."""
    inner = getattr(error, "exceptions", None)
    return [fault for one in inner for fault in faults(one)] if inner else [error]


async def old_clients_are_refused():
    root = Path(tempfile.mkdtemp(prefix="workspace-mcp-paged-"))
    seen = []
    try:
        async with Client(server(root), mode="legacy", read_timeout_seconds=30):
            pass
    except Exception as error:
        seen = faults(error)
    equal([(type(fault), str(fault)) for fault in seen], [(MCPError, REFUSED)])
    equal([fault.error.code for fault in seen], [-32022])
    shutil.rmtree(root)


async def main():
    report = Report()
    for mode, options in [("2026-07-28", ()), ("auto", ()), ("legacy", ("--era", "both"))]:

        async def session(mode=mode, options=options):
            await whole_session(mode, *options)

        await report.run(f"paged: a whole session ({mode})", session)
    await report.run("paged: a client of another revision is refused", old_clients_are_refused)
    print(f"{report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


sys.exit(anyio.run(main))
