import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { en } from '#shared/texts/en.ts';
import { createSay } from '#shared/texts/say.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import type { Core } from '../../../src/main/core/core.ts';
import { createDesktopLinks } from '../../../src/main/desktop-links.ts';
import type { Question } from '../../../src/main/desktop-quit.ts';
import { connected, createTestSurroundings, groups, type TestSurroundings } from './support/surroundings.ts';

const link = 'waymaker://connect?server=one';
const title = 'Connect to One?';

let around: TestSurroundings;
beforeEach(async () => {
  around = await createTestSurroundings();
});
afterEach(() => around[Symbol.asyncDispose]());

const groupsNamed = (name: string) =>
  groups.map((group) => ({
    ...group,
    items: group.items.map((item) => ({ ...item, servers: item.servers.map((one) => ({ ...one, name })) })),
  }));

/** The links of an app whose user gives this answer to every question. */
function linksOf(core: Core, answer: 'agree' | 'cancel' | Promise<number> = 'cancel') {
  const questions: Question[] = [];
  const complaints: (string | undefined)[] = [];
  const open = createDesktopLinks({
    core,
    say: createSay('en', 'linux'),
    ask(question) {
      questions.push(question);
      if (typeof answer !== 'string') return answer;
      return Promise.resolve(answer === 'agree' ? 0 : 1);
    },
    openWindow: () => undefined,
    failed(error) {
      throw error;
    },
    complain: (...texts) => complaints.push(...texts),
  });
  return { open, complaints, asked: () => questions.map((question) => question.title) };
}

test('a link that starts the app waits for the list of servers', async () => {
  const links = linksOf(around.startCore());
  await links.open(link);
  expect(links.asked()).toEqual([title]);
  expect(links.complaints).toEqual([]);
});

test('a link to a server that the service has only just listed is understood', async () => {
  around.answers['/api/server-groups'] = { items: [] };
  const core = around.startCore();
  await core.session.load();
  await vi.waitFor(() => expect(core.servers()).toEqual([]));
  around.answers['/api/server-groups'] = { items: groups };
  const links = linksOf(core);
  await links.open(link);
  expect(links.asked()).toEqual([title]);
});

test('a link opened while nobody is signed in asks after the sign-in, and only once', async () => {
  const core = around.startCore();
  await core.session.load();
  await core.signOut('user');
  const links = linksOf(core);
  await links.open(link);
  expect(links.asked()).toEqual([]);
  await core.session.signIn('another');
  await vi.waitFor(() => expect(links.asked()).toEqual([title]));
  await core.signOut('user');
  await core.session.signIn('a-third');
  await links.open('waymaker://open');
  expect(links.asked()).toEqual([title]);
});

test('the server of a link to which the user agrees is chosen and connected', async () => {
  const core = around.startCore();
  const states: TunnelState[] = [];
  core.onTunnelState((state) => states.push(state));
  await core.routingModes();
  const links = linksOf(core, 'agree');
  await links.open(link);
  expect(core.server.server()?.serverId).toBe('one');
  await vi.waitFor(() =>
    expect(states).toContainEqual(
      expect.objectContaining({ state: 'connecting', gateway: expect.objectContaining(connected.gateway) }),
    ),
  );
});

test('a link that the user declines changes nothing', async () => {
  const core = around.startCore();
  const states: TunnelState[] = [];
  await core.routingModes();
  core.onTunnelState((state) => states.push(state));
  const links = linksOf(core);
  await links.open(link);
  expect(links.asked()).toEqual([title]);
  expect(around.files.settingsFile.content.get('serverId')).toBeUndefined();
  expect(states.filter(({ state }) => state === 'connecting')).toEqual([]);
});

test('whoever agrees only after a sign-out chooses nothing for the next account', async () => {
  const core = around.startCore();
  await core.session.load();
  const { promise: answer, resolve: agree } = Promise.withResolvers<number>();
  const links = linksOf(core, answer);
  const opened = links.open(link);
  await vi.waitFor(() => expect(links.asked()).toEqual([title]));
  await core.signOut('user');
  agree(0);
  await opened;
  expect(around.files.settingsFile.content.get('serverId')).toBeUndefined();
  expect(around.helper.calls.filter(({ method }) => method === 'connect')).toEqual([]);
});

test('a link to a server that the service does not list is refused in words', async () => {
  const links = linksOf(around.startCore());
  await links.open('waymaker://connect?server=unknown');
  expect(links.asked()).toEqual([]);
  expect(links.complaints).toEqual([en['connect.failed'], en['reason.serverNotListed']]);
});

test('a link to the server that is connected already asks nothing', async () => {
  const core = around.startCore();
  around.helper.set(connected);
  await core.session.load();
  await vi.waitFor(() => expect(core.tunnel.state()).toEqual(connected));
  const links = linksOf(core);
  await links.open(link);
  expect([links.asked(), links.complaints]).toEqual([[], []]);
});

test('a server’s name is asked about as one short line that turns no other text around', async () => {
  around.answers['/api/server-groups'] = { items: groupsNamed(`One?\nText\u202e${'x'.repeat(500)}`) };
  const links = linksOf(around.startCore());
  await links.open(link);
  expect(links.asked()).toEqual([expect.stringMatching(/^Connect to One\? Textx{38}…\?$/)]);
});
