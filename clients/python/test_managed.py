"""`workspace-mcp managed` with the official client, which holds each answer against its schema, under a
filter that ends a server which starts a program or opens a socket; and its repository with dulwich.
"""

import hashlib
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import anyio
from dulwich.object_store import iter_tree_contents
from dulwich.repo import Repo
from mcp import Client, StdioServerParameters

import sealed
from report import Report, equal

SERVER = os.environ["WORKSPACE_MCP_SERVER"]
SEALED = str(Path(sealed.__file__).resolve())
AUTHOR = b"Safe Workspace MCP <safe-workspace-mcp@local>"


class World:
    """A folder, and a configuration beside it."""

    def __init__(self, files):
        self.base = Path(tempfile.mkdtemp(prefix="workspace-mcp-managed-"))
        self.root = self.base / "w"
        self.root.mkdir()
        self.config = self.base / "config.toml"
        self.config.write_text(f"[workspace]\nroot = {json.dumps(str(self.root))}\n", "utf-8")
        for name, content in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def server(self, *words):
        """The server, sealed where the system can do that."""
        command = [SERVER, *(words or ("managed", str(self.config)))]
        if sealed.is_possible():
            command = [sys.executable, SEALED, *command]
        return StdioServerParameters(command=command[0], args=command[1:], cwd=str(self.base))

    def close(self):
        shutil.rmtree(self.base)


def digest(content):
    return hashlib.sha256(content).hexdigest()


def create(path, content):
    return {"op": "create_file", "path": path, "content": content}


async def call(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    text = result.content[0].text
    if result.is_error:
        raise AssertionError(f"{tool}: {text}")
    equal(json.loads(text), result.structured_content)
    return result.structured_content


async def refused(client, tool, code, **arguments):
    result = await client.call_tool(tool, arguments)
    text = result.content[0].text
    if not result.is_error or f"ERROR [{code}]: " not in text:
        raise AssertionError(f"expected {code}, got {text}")


def plant(world, mark):
    """Everything in a repository that makes some git run a program, each of which leaves a mark."""
    script = f"#!/bin/sh\necho run >> {mark}\ncat\n"
    git = world.root / ".git"
    (git / "hooks").mkdir(exist_ok=True)
    for hook in ["pre-commit", "commit-msg", "post-commit", "post-checkout", "post-index-change",
                 "reference-transaction", "pre-auto-gc", "post-rewrite"]:
        path = git / "hooks" / hook
        path.write_text(script)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    program = world.base / "program"
    program.write_text(script)
    program.chmod(0o755)
    with (git / "config").open("a") as config:
        config.write(
            f'[core]\n\tfsmonitor = {program}\n\thooksPath = {git / "hooks"}\n\tpager = {program}\n'
            f'[filter "x"]\n\tclean = {program}\n\tsmudge = {program}\n\trequired = true\n'
            f'[diff "x"]\n\ttextconv = {program}\n\tcommand = {program}\n'
            f"[gpg]\n\tprogram = {program}\n[commit]\n\tgpgSign = true\n[gc]\n\tauto = 1\n"
            f'[alias]\n\tstatus = !{program}\n[credential]\n\thelper = {program}\n'
        )
    (world.root / ".gitattributes").write_text("* filter=x diff=x merge=x\n")
    (git / "info").mkdir(exist_ok=True)
    (git / "info" / "attributes").write_text("* filter=x diff=x\n")


async def whole_session(mode):
    """Every tool, with all that a repository can carry to make a program run."""
    world = World({"a.txt": b"one\n", "src/main.py": b"print()\r\n"})
    mark = world.base / "mark"
    async with Client(world.server(), mode=mode, read_timeout_seconds=30) as client:
        await call(client, "git_status")
    plant(world, mark)
    async with Client(world.server(), mode=mode, read_timeout_seconds=30) as client:
        tools = (await client.list_tools()).tools
        equal(len(tools), 9)
        await call(client, "workspace_info")
        await call(client, "list_directory")
        read = await call(client, "read_file", path="src/main.py")
        equal(read["content"], "print()\r\n")
        found = await call(client, "search_text", query="o.e", regex=True)
        equal(len(found["hits"]), 1)
        done = await call(
            client,
            "apply_changes",
            operations=[
                create("new/b.txt", "two\n"),
                {"op": "move", "source": "a.txt", "destination": "new/a.txt"},
                {"op": "replace_text", "path": "src/main.py", "old_text": "()", "new_text": "(1)",
                 "expected_sha256": digest(b"print()\r\n")},
            ],
        )
        equal((world.root / "src/main.py").read_bytes(), b"print(1)\r\n")
        status = await call(client, "git_status")
        equal(status["clean"], True)
        diff = await call(client, "git_diff", checkpoint=done["pre_checkpoint"])
        if "+print(1)" not in diff["diff"]:
            raise AssertionError(diff["diff"])
        await call(client, "git_diff", checkpoint=done["pre_checkpoint"], stat=True)
        await call(client, "git_history", limit=5)
        await call(client, "git_restore", checkpoint=done["pre_checkpoint"], dry_run=True)
        await call(client, "git_restore", checkpoint=done["pre_checkpoint"])
        equal((world.root / "a.txt").read_bytes(), b"one\n")
        await refused(client, "read_file", "INTERNAL_PATH_FORBIDDEN", path=".git/config")
        await refused(client, "read_file", "FILE_NOT_FOUND", path="gone")
    if mark.exists():
        raise AssertionError(f"something was run: {mark.read_text()}")
    world.close()


def tree_of(repo, commit):
    """A commit's files as `path -> content`."""
    files = {}
    store = repo.object_store
    for entry in iter_tree_contents(store, store[commit].tree):
        files[entry.path.decode()] = store[entry.sha].data
    return files


async def read_by_dulwich():
    world = World({"a.txt": b"one\n", "bin/run": b"\x00\x01", ".gitignore": b"*.log\n", "x.log": b"log\n"})
    (world.root / "bin/run").chmod(0o755)
    async with Client(world.server(), read_timeout_seconds=30) as client:
        done = await call(
            client,
            "apply_changes",
            operations=[
                {"op": "delete_file", "path": "a.txt", "expected_sha256": digest(b"one\n")},
                create("deep/er/b.txt", "two\n"),
            ],
        )
    with Repo(str(world.root)) as repo:
        equal(repo.refs.get_symrefs()[b"HEAD"], b"refs/heads/master")
        marker = repo.get_config().get(b"safe-workspace-mcp", b"managed-repository-format")
        equal(marker, b"1")
        head = repo.head()
        equal(head.decode(), done["checkpoint"])
        commit = repo[head]
        equal(commit.message, b"post-change checkpoint")
        equal((commit.author, commit.committer), (AUTHOR, AUTHOR))
        equal((commit.author_timezone, commit.commit_timezone), (0, 0))
        equal([parent.decode() for parent in commit.parents], [done["pre_checkpoint"]])
        equal(
            tree_of(repo, head),
            {".gitignore": b"*.log\n", "bin/run": b"\x00\x01", "deep/er/b.txt": b"two\n",
             "x.log": b"log\n"},
        )
        if os.name == "posix":
            equal(repo[repo[head].tree].lookup_path(repo.get_object, b"bin/run")[0], 0o100755)
        messages = [entry.commit.message for entry in repo.get_walker()]
        equal(messages, [b"post-change checkpoint", b"pre-change checkpoint", b"initial snapshot"])
        index = {path.decode() for path in repo.open_index()}
        equal(index, {".gitignore", "bin/run", "deep/er/b.txt", "x.log"})
    world.close()


async def made_by_dulwich():
    """A workspace as the server that this one stands in for leaves it."""
    world = World({"a.txt": b"one\n", "src/b.txt": b"two\n"})
    with Repo.init(str(world.root)) as repo:
        config = repo.get_config()
        config.set(b"core", b"autocrlf", b"false")
        config.set(b"core", b"eol", b"lf")
        config.set(b"safe-workspace-mcp", b"managed-repository-format", b"1")
        config.write_to_path()
        worktree = repo.get_worktree()
        worktree.stage(["a.txt", "src/b.txt"])
        first = worktree.commit(message=b"initial snapshot", author=AUTHOR, committer=AUTHOR)
    async with Client(world.server(), read_timeout_seconds=30) as client:
        status = await call(client, "git_status")
        equal(status["clean"], True)
        equal(status["checkpoint"], first.decode())
        await call(client, "apply_changes", operations=[create("c.txt", "three\n")])
        await call(client, "git_restore", checkpoint=first.decode()[:8])
        history = await call(client, "git_history")
        equal(
            [one["message"] for one in history["checkpoints"]],
            [f"restored to {first.decode()[:8]}", "pre-restore checkpoint",
             "post-change checkpoint", "pre-change checkpoint", "initial snapshot"],
        )
    with Repo(str(world.root)) as repo:
        equal(tree_of(repo, repo.head()), {"a.txt": b"one\n", "src/b.txt": b"two\n"})
    world.close()


async def seal_holds():
    """The filter ends what it is to end, and nothing else."""

    def outcome(code):
        command = [sys.executable, SEALED, sys.executable, "-c", code]
        return subprocess.run(command, capture_output=True).returncode

    equal(outcome("import threading as t; a = t.Thread(); a.start(); a.join()"), 0)
    for code in [
        "import socket; socket.socket()",
        "import subprocess; subprocess.run(['true'])",
        "import os; os.fork()",
        "import os; os.execv('/bin/true', ['true'])",
    ]:
        equal(outcome(code), -signal.SIGSYS)


async def main():
    report = Report()
    tests = [
        ("managed: a repository that dulwich reads", read_by_dulwich),
        ("managed: a repository that dulwich made", made_by_dulwich),
    ]
    for mode in ["legacy", "auto"]:

        async def session(mode=mode):
            await whole_session(mode)

        tests.append((f"managed: a whole session runs nothing ({mode})", session))
    if sealed.is_possible():
        tests.append(("the filter of system calls ends what it is to end", seal_holds))
    for title, test in tests:
        await report.run(title, test)
    print(f"{report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


sys.exit(anyio.run(main))
