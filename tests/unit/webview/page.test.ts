import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type * as z from 'zod/mini';
import { webviewContract } from '#shared/host/webview-contract.ts';
import { messageNotes } from '../../../scripts/webview-page/messages.ts';
import { pageFile, withMessages } from '../../../scripts/webview-page/page.ts';

type Descriptor =
  | { direction: 'request'; input: z.ZodMiniType; output: z.ZodMiniType }
  | { direction: 'event'; payload: z.ZodMiniType };

const messages = Object.entries(webviewContract).flatMap(([group, descriptors]) =>
  Object.entries(descriptors).map(([name, descriptor]): [string, Descriptor] => [
    `${group}.${name}`,
    descriptor,
  ]),
);

test('docs/webview.md describes the contract as it is: run scripts/webview-page/write.ts', async () => {
  const page = await readFile(pageFile, 'utf8');
  expect(page).toBe(await withMessages(page));
  for (const [channel] of messages) expect(page).toContain(`### \`${channel}\``);
});

test.each(messages)('the exchange shown for %s keeps to its schemas', (channel, descriptor) => {
  const note = new Map(Object.entries(messageNotes)).get(channel);
  const output = descriptor.direction === 'request' ? descriptor.output : descriptor.payload;
  expect(output.parse(note?.output)).toEqual(note?.output);
  if (descriptor.direction === 'request') {
    expect(descriptor.input.parse(note?.input)).toEqual(note?.input);
  }
});

test('a page without its section, or with an old one, would be noticed', async () => {
  await expect(withMessages('# Waymaker')).rejects.toThrow('no messages section');
  const page = await readFile(pageFile, 'utf8');
  expect(await withMessages(page.replace('`storage.get` (request)', '`storage.read` (request)'))).toBe(page);
});
