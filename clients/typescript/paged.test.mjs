// The official TypeScript clients against `workspace-mcp paged`: pages, cursors and hashes.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';

const { WORKSPACE_MCP_SERVER: server } = process.env;
const me = { name: 'workspace-mcp-client-tests', version: '1.0.0' };
const pinned = { versionNegotiation: { mode: { pin: '2026-07-28' } } };
const both = ['--era', 'both'];

const clients = [
  { title: 'sdk 1.x', make: () => new ClientV1(me), Stdio: StdioV1, options: both },
  { title: 'client 2.x, initialize', make: () => new ClientV2(me), Stdio: StdioV2, options: both },
  { title: 'client 2.x, 2026-07-28', make: () => new ClientV2(me, pinned), Stdio: StdioV2, options: [] },
];

const content = `# A\n${'needle ☃ 😀\n'.repeat(700)}`;
const digest = (...parts) => `sha256:${createHash('sha256').update(parts.join('')).digest('hex')}`;

async function page(client, name, args) {
  const { content: [{ text }], isError, structuredContent } = await client.callTool({ name, arguments: args });
  assert.notEqual(isError, true, text);
  assert.equal(text, JSON.stringify(structuredContent));
  return structuredContent;
}

// All items of a traversal, each page held against its hash.
async function pages(client, name, cite, args) {
  const items = [];
  let cursor;
  do {
    const one = await page(client, name, cursor ? { ...args, cursor } : args);
    assert.equal(one.content_hash, digest(...one.items.map(cite)));
    items.push(...one.items);
    cursor = one.next_cursor;
  } while (cursor !== null);
  return items;
}

for (const { title, make, Stdio, options } of clients) {
  test(`paged: ${title}`, async () => {
    const root = await mkdtemp(join(tmpdir(), 'workspace-mcp-paged-'));
    await mkdir(join(root, 'lib'));
    await writeFile(join(root, 'a.md'), content);
    await writeFile(join(root, 'lib', 'b.txt'), 'one\nNeedle\n');
    const args = ['paged', '--root', root, '--include', '**', ...options];
    const client = make();
    await client.connect(new Stdio({ command: server, args, env: {}, stderr: 'ignore' }));
    try {
      const entry = ({ kind, path }) => `${kind}\0${path}\n`;
      const entries = await pages(client, 'list_directory', entry, { limit: 1 });
      assert.deepEqual(entries.map(({ path }) => path), ['a.md', 'lib']);
      const line = ({ path, line: number, text }) => `${path}\0${number}\0${text}\n`;
      const query = { query: 'needle', case_insensitive: true, limit: 199 };
      const lines = await pages(client, 'search_text', line, query);
      assert.equal(lines.length, 701);
      assert.deepEqual(lines.at(-1), { path: 'lib/b.txt', line: 2, text: 'Needle' });
      const pieces = await pages(client, 'read_text_file', ({ text }) => text, { path: 'a.md', limit: 1 });
      assert.equal(pieces.map(({ text }) => text).join(''), content);
      const written = await page(client, 'write_text_file', { path: 'new.md', content });
      assert.deepEqual(written, {
        path: 'new.md',
        bytes: Buffer.byteLength(content),
        content_hash: digest(content),
      });
      assert.equal(await readFile(join(root, 'new.md'), 'utf8'), content);
      const { isError, content: [{ text }] } = await client.callTool({
        name: 'search_text',
        arguments: { query: '' },
      });
      assert.equal(isError, true);
      assert.match(text, /data\/query must NOT have fewer than 1 characters$/);
    } finally {
      await client.close();
      await rm(root, { recursive: true });
    }
  });
}
