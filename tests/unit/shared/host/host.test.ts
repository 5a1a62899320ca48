import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { createHostClient } from '#shared/host/client.ts';
import { event, request } from '#shared/host/descriptor.ts';
import { createHostServer, HostRequestRefused } from '#shared/host/server.ts';
import type { HostTransport } from '#shared/host/transport.ts';

const contract = {
  lamp: {
    dim: request(z.object({ percent: z.number().check(z.maximum(100)) }), z.boolean()),
    changed: event(z.object({ percent: z.number() })),
  },
} as const;

function pair(dim: (input: { percent: number }) => boolean) {
  const listeners = new Set<(payload: unknown) => void>();
  const server = createHostServer(contract, { lamp: { dim } });
  const transport: HostTransport = {
    request: (channel, input) => server.handle(channel, structuredClone(input)),
    subscribe: (_, listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return { server, client: createHostClient(contract, transport), listeners };
}

describe('host contract', () => {
  test('a request reaches its handler and its result comes back', async () => {
    const { client } = pair(({ percent }) => percent === 40);
    await expect(client.lamp.dim({ percent: 40 })).resolves.toBe(true);
  });

  test("the page's end refuses an input outside the schema before it is sent", async () => {
    const { client } = pair(() => expect.unreachable('was sent'));
    await expect(client.lamp.dim({ percent: 101 })).rejects.toThrow(z.core.$ZodError);
  });

  test.each(['lamp.nope', 'nope.dim', 'lamp', '', 'lamp.changed', '__proto__.toString', 'lamp.constructor'])(
    "the app's end refuses channel %j",
    async (channel) => {
      const { server } = pair(() => expect.unreachable('was handled'));
      await expect(server.handle(channel, { percent: 1 })).rejects.toThrow(HostRequestRefused);
    },
  );

  test("the app's end refuses an input outside the schema, without handling it", async () => {
    const { server } = pair(() => expect.unreachable('was handled'));
    await expect(server.handle('lamp.dim', { percent: 'all' })).rejects.toThrow(HostRequestRefused);
  });

  test('an event reaches its listeners until they leave', () => {
    const { client, listeners } = pair(() => true);
    const heard: number[] = [];
    const leave = client.lamp.changed(({ percent }) => heard.push(percent));
    for (const listener of listeners) listener({ percent: 7 });
    leave();
    for (const listener of listeners) listener({ percent: 8 });
    expect(heard).toEqual([7]);
    expect(listeners.size).toBe(0);
  });
});
