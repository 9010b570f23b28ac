// The MCP Inspector's command line against the real program, started from the file that `setup` wrote.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const { WORKSPACE_MCP_SERVER: server } = process.env;
const scenario = JSON.parse(await readFile(process.env.WORKSPACE_MCP_SCENARIO, 'utf8'));
const launcher = join(
  dirname(fileURLToPath(import.meta.url)),
  'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
);

// What the Inspector ends with when a tool said that it failed.
const TOOL_FAILED = 5;

let world;
let root;
let file;

before(async () => {
  world = await mkdtemp(join(tmpdir(), 'workspace-mcp-inspector-'));
  root = join(world, 'root');
  file = join(world, 'mcp.json');
  await mkdir(root);
  await mkdir(join(world, 'managed'));
  await writeFile(join(root, 'tea.md'), 'tea\ncoffee\n');
  // JSON texts are TOML texts, too.
  const managed = `[workspace]\nroot = ${JSON.stringify(join(world, 'managed'))}\n`;
  await writeFile(join(world, 'managed.toml'), managed);
});
after(() => rm(world, { recursive: true, force: true, maxRetries: 10 }));

function run(program, words) {
  const env = { ...process.env, HOME: world, USERPROFILE: world, MCP_INSPECTOR_SECRET_STORE: 'memory' };
  return new Promise((resolve) => {
    execFile(program, words, { env, cwd: root }, (error, stdout, stderr) => {
      resolve({ code: error ? error.code : 0, stdout, stderr });
    });
  });
}

const inspect = (...words) => run(process.execPath, [launcher, '--cli', ...words]);

// The answer to a question, from the server of that name in the file.
async function ask(name, ...words) {
  const { code, stdout, stderr } = await inspect('--config', file, '--server', name, ...words);
  assert.match(stdout, /^\s*\{/, stderr);
  return { code, answer: JSON.parse(stdout) };
}

async function setUp(name, ...words) {
  const { code, stderr } = await run(server, ['setup', 'cursor', '--file', file, '--name', name, ...words]);
  assert.equal(code, 0, stderr);
}

const toolsets = [
  { name: 'project', words: [], tools: scenario.tools },
  { name: 'notes', words: ['--', 'notes', '--root', '.'], tools: ['notes_search', 'tasks_list'] },
  { name: 'paged', words: ['--', 'paged', '--include', '**'], tools: ['list_directory', 'read_text_file'] },
  { name: 'managed', words: ['--', 'managed', '../managed.toml'], tools: ['apply_changes', 'git_restore'] },
];

for (const { name, words, tools } of toolsets) {
  test(`inspector, stdio: ${name} is set up, and its tools are listed without a fault in a schema`, async () => {
    await setUp(name, ...words);
    const { code, answer } = await ask(name, '--method', 'tools/list', '--strict');
    assert.equal(code, 0);
    const names = answer.tools.map((tool) => tool.name);
    for (const tool of tools) assert.ok(names.includes(tool), `${tool} in ${names}`);
    if (name === 'project') assert.deepEqual(names.toSorted(), tools.toSorted());
  });
}

test('inspector, stdio: a tool answers, and one that fails says so', async () => {
  await setUp('calls');
  const read = ['--method', 'tools/call', '--tool-name', 'read_file', '--tool-arg'];
  const good = await ask('calls', ...read, 'path=tea.md', 'offset=2');
  assert.deepEqual([good.code, good.answer.content[0].text], [0, '2: coffee']);
  const bad = await ask('calls', ...read, 'path=gone.md');
  assert.equal(bad.code, TOOL_FAILED);
  assert.equal(bad.answer.isError, true);
  assert.match(bad.answer.content[0].text, /gone\.md/);
});

test('inspector, HTTP: the tools are listed with the token, and not without', async () => {
  const token = 'a-token-of-the-inspector-tests';
  const child = spawn(server, ['--http', '--port', '0', '--root', root], {
    env: { ...process.env, MCP_TOKEN: token },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  try {
    let address;
    for await (const line of createInterface({ input: child.stderr })) {
      [address] = line.match(/http:\S+\/mcp/) ?? [];
      if (address) break;
    }
    const list = ['--transport', 'http', '--server-url', address, '--method', 'tools/list'];
    const { code, stdout, stderr } = await inspect(...list, '--header', `Authorization: Bearer ${token}`);
    assert.equal(code, 0, stderr);
    const names = JSON.parse(stdout).tools.map((tool) => tool.name);
    assert.deepEqual(names.toSorted(), scenario.tools.toSorted());
    assert.notEqual((await inspect(...list)).code, 0);
  } finally {
    child.kill();
    await ended;
  }
});
