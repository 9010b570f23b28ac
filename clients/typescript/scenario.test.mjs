// The official TypeScript clients against the real program: one sample project, one scenario for each client.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';

import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const { WORKSPACE_MCP_SERVER: server, WORKSPACE_MCP_SAMPLE: sample } = process.env;
const scenario = JSON.parse(await readFile(process.env.WORKSPACE_MCP_SCENARIO, 'utf8'));
const me = { name: 'workspace-mcp-client-tests', version: '1.0.0' };
const pinned = { versionNegotiation: { mode: { pin: '2026-07-28' } } };

const clients = [
  { title: 'sdk 1.x', make: () => new ClientV1(me), Stdio: StdioV1, Http: HttpV1, old: true },
  { title: 'client 2.x, initialize', make: () => new ClientV2(me), Stdio: StdioV2, Http: HttpV2 },
  { title: 'client 2.x, 2026-07-28', make: () => new ClientV2(me, pinned), Stdio: StdioV2, Http: HttpV2 },
];

const overStdio = ({ Stdio }, root, options = []) => ({
  transport: new Stdio({ command: server, args: ['--root', root, ...options], stderr: 'ignore' }),
  end: () => {},
});

// A server on a free port, with a token; one of its first lines says where it listens.
async function overHttp({ Http }, root, options = []) {
  const token = 'a-token-of-the-client-tests';
  const child = spawn(server, ['--http', '--port', '0', '--root', root, ...options], {
    env: { ...process.env, MCP_TOKEN: token },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let address;
  for await (const line of createInterface({ input: child.stderr })) {
    [address] = line.match(/http:\S+\/mcp/) ?? [];
    if (address) break;
  }
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  const ended = new Promise((resolve) => child.once('exit', resolve));
  return {
    transport: new Http(new URL(address), { requestInit }),
    end: () => {
      child.kill();
      return ended;
    },
  };
}

const ways = [
  { over: 'stdio', open: overStdio },
  { over: 'HTTP', open: overHttp },
];

// The whole tree as `path -> text`, state of the server left out.
async function tree(folder, prefix = '') {
  const files = {};
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.name === '.workspace-mcp') continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) Object.assign(files, await tree(path, `${prefix}${entry.name}/`));
    else files[prefix + entry.name] = (await readFile(path)).toString('utf8');
  }
  return files;
}

function check(step, result) {
  assert.equal(result.content.length, 1);
  const [{ type, text }] = result.content;
  assert.equal(type, 'text');
  assert.equal(result.isError === true, step.error === true, text);
  if (step.text !== undefined) assert.equal(text, step.text);
  else assert.ok(text.startsWith(step.starts), `expected ${step.starts}…, got ${text}`);
}

for (const [kind, { over, open }] of clients.flatMap((kind) => ways.map((way) => [kind, way]))) {
  test(`${kind.title}, over ${over}`, async (t) => {
    const root = await mkdtemp(join(tmpdir(), 'workspace-mcp-clients-'));
    await cp(sample, root, { recursive: true });
    const client = kind.make();
    const { transport, end } = await open(kind, root);
    try {
      await client.connect(transport);

      await t.test('says who it is', () => {
        assert.equal(client.getServerVersion().name, 'workspace-mcp');
        assert.match(client.getInstructions(), /default/);
      });
      await t.test('lists its tools', async () => {
        const { tools } = await client.listTools();
        assert.deepEqual(tools.map((tool) => tool.name), scenario.tools);
        for (const tool of tools) assert.equal(tool.inputSchema.type, 'object');
      });
      for (const step of scenario.steps) {
        await t.test(step.name, async () => {
          check(step, await client.callTool({ name: step.call, arguments: step.arguments }));
        });
      }
      await t.test('knows no other tool', async () => {
        await assert.rejects(client.callTool({ name: 'format_disk', arguments: {} }), { code: -32602 });
      });
      await t.test('answers calls sent at once', async () => {
        const calls = Array.from({ length: 20 }, () =>
          client.callTool({ name: 'read_file', arguments: { path: 'docs/prices.txt' } }),
        );
        for (const result of await Promise.all(calls)) {
          assert.equal(result.content[0].text, '1: tea;4.50\n2: coffee;6.90');
        }
      });
    } finally {
      await client.close();
      await end();
    }
    await t.test('leaves the tree as it said', async () => {
      assert.deepEqual(await tree(root), scenario.after);
    });
    await rm(root, { recursive: true });
  });
}

// Says a line, and waits for a while after each.
const talk = `for (const n of [1, 2, 3]) setTimeout(() => console.log('step', n), n * 400)`;

for (const [kind, { over, open }] of clients.flatMap((kind) => ways.map((way) => [kind, way]))) {
  const skip = process.platform === 'win32' && 'commands do not run there yet';
  test(`${kind.title}, over ${over}, is told how far a command is`, { skip }, async () => {
    const root = await mkdtemp(join(tmpdir(), 'workspace-mcp-clients-'));
    const client = kind.make();
    const { transport, end } = await open(kind, root, ['--shell']);
    try {
      await client.connect(transport);
      const told = [];
      const options = { onprogress: (progress) => told.push(progress) };
      const call = { name: 'run_command', arguments: { command: ['node', '-e', talk] } };
      const result = await client.callTool(call, ...(kind.old ? [undefined, options] : [options]));
      assert.match(result.content[0].text, /^step 1\nstep 2\nstep 3\n/);
      assert.ok(told.length > 0, 'nothing was told');
      told.forEach(({ progress, message }, index) => {
        assert.equal(progress, index + 1);
        assert.match(message, /^step \d$/);
      });
    } finally {
      await client.close();
      await end();
    }
    await rm(root, { recursive: true });
  });
}
