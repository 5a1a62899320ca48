import { afterEach, beforeEach, expect, test } from 'vitest';
import { apiCalls } from '#shared/api/calls.ts';
import { createTestDesktop, type TestDesktop } from '../support/desktop.ts';

let desktop: TestDesktop;
beforeEach(async () => {
  desktop = await createTestDesktop();
});
afterEach(async () => {
  await desktop[Symbol.asyncDispose]();
});

test('every server that is listed can be chosen, and the log says how many are not listed', async () => {
  const servers = ['one', '', 'x'.repeat(256), 'x'.repeat(257)].map((serverId) => ({
    serverId,
    name: 'Server',
    domain: 'gw.example.net',
  }));
  const items = [
    { id: 'g', name: 'G', isTrial: false, trialExpiredAt: null, items: [{ id: 'i', level: 1, servers }] },
  ];
  desktop.reply = () => ({ body: { code: 0, msg: '', data: { items } } });
  const { host, log } = desktop.startApp();
  const reply = await host.api.call({ name: 'serverGroups' });
  const listed = apiCalls.serverGroups.data
    .parse(reply.ok && reply.data)
    .items.flatMap((group) => group.items.flatMap((item) => item.servers));
  expect(listed.map(({ serverId }) => serverId.length)).toEqual([3, 256]);
  for (const { serverId } of listed) expect(await host.server.choose(serverId)).toBe(true);
  expect(log()).toContain('"leftOut":2');
});
