import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type * as z from 'zod/mini';
import { webviewContract } from '#shared/host/webview-contract.ts';
import { messageNotes } from '../../../scripts/webview-readme/messages.ts';
import { readmeFile, withMessages } from '../../../scripts/webview-readme/readme.ts';

type Descriptor =
  | { direction: 'request'; input: z.ZodMiniType; output: z.ZodMiniType }
  | { direction: 'event'; payload: z.ZodMiniType };

const messages = Object.entries(webviewContract).flatMap(([group, descriptors]) =>
  Object.entries(descriptors).map(([name, descriptor]): [string, Descriptor] => [
    `${group}.${name}`,
    descriptor,
  ]),
);

test('resources/webview/README.md describes the contract as it is: run scripts/webview-readme/write.ts', async () => {
  const readme = await readFile(readmeFile, 'utf8');
  expect(readme).toBe(await withMessages(readme));
  for (const [channel] of messages) expect(readme).toContain(`### \`${channel}\``);
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
  const readme = await readFile(readmeFile, 'utf8');
  expect(await withMessages(readme.replace('`storage.get` (request)', '`storage.read` (request)'))).toBe(
    readme,
  );
});
