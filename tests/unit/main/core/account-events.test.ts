import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { accountChanges, eventsPath, type AccountChange } from '#shared/api/events.ts';
import type { Core } from '../../../../src/main/core/core.ts';
import { createCore } from '../../../../src/main/core/create-core.ts';
import { startTestHelper, type TestHelper } from '../support/helper.ts';
import { createTestFile, createTestTextFile } from '../support/key-value-file.ts';
import { createTestKeychain } from '../support/keychain.ts';
import { emptyDiagnostics } from '../support/diagnostics.ts';
import { createTestLog } from '../support/log.ts';
import { connectedTo } from '../support/tunnel-states.ts';

/** What main does with what the service says, without any page. */

const hour = 60 * 60_000;
const deviceId = 'b1b0a7fa-5b4c-4b43-8a8c-2d6ef6c26d31';
const connected = connectedTo({ host: '127.0.0.1', port: 9 });

let service: Server;
let helper: TestHelper;
let core: Core;
/** The streams that were opened, the newest last, with the Authorization of each. */
let streams: { reply: ServerResponse; authorization: string | undefined }[];
/** Until when the plan lasts, as the service has it. */
let until: number;
/** What the service's clock says when this computer's says 0, in milliseconds. */
let serviceOffset: number;
let heard: (readonly AccountChange[])[];
/** What the service waits for before it answers. */
let release: Promise<void>;
/** How often the service was asked for servers. */
let asked: number;
/** What the service waits for before it says that the stream is open. */
let opening: Promise<void>;
let followed: number;

beforeEach(async () => {
  streams = [];
  heard = [];
  serviceOffset = 0;
  release = Promise.resolve();
  asked = 0;
  opening = Promise.resolve();
  followed = 0;
  until = Date.now() + hour;
  helper = await startTestHelper();
  service = createServer((request, reply) => {
    if (request.url === eventsPath) {
      reply.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      void opening.then(() => reply.write('retry: 1000\n\n'));
      streams.push({ reply, authorization: request.headers.authorization });
      return;
    }
    const servers = [{ serverId: 'one', name: 'One', domain: '127.0.0.1', port: 9 }];
    const group = { id: 'one', name: 'One', isTrial: false, trialExpiredAt: null };
    const data =
      request.url === '/api/server-groups'
        ? { items: [{ ...group, items: [{ id: 'one', level: 1, servers }] }] }
        : { serviceId: 's', expiredAt: new Date(until).toISOString(), seats: 1, service: 'Plan' };
    if (request.url === '/api/server-groups') asked += 1;
    reply.setHeader('date', new Date(Date.now() + serviceOffset).toUTCString());
    void release.then(() => reply.end(JSON.stringify({ code: 0, msg: '', data })));
  });
  await new Promise<void>((resolve) => {
    service.listen(0, '127.0.0.1', resolve);
  });
  const { port } = service.address() as AddressInfo;
  core = createCore({
    environment: { apiUrl: `http://127.0.0.1:${port}`, helperSocket: helper.socketPath },
    version: '1.2.3',
    lang: 'en-GB',
    settingsFile: createTestFile({ deviceId }),
    pageFile: createTestFile(),
    planFile: createTestFile(),
    listsFile: createTestTextFile(),
    addressListsFile: createTestTextFile(),
    ...emptyDiagnostics(),
    keychain: createTestKeychain({ [deviceId]: 'token' }),
    runProgram: () => Promise.resolve(undefined),
    session: {},
    openBrowser: () => Promise.resolve({ kind: 'cancelled' }),
    openPortalWindow: () => Promise.resolve(),
    log: createTestLog().log,
  });
  core.onAccountFollowed(() => (followed += 1));
  core.onAccountChanges((changes) => heard.push(changes));
  await streamNumber(1);
});

afterEach(async () => {
  core.close();
  service.closeAllConnections();
  await new Promise((resolve) => {
    service.close(resolve);
  });
  await helper[Symbol.asyncDispose]();
});

async function streamNumber(count: number): Promise<ServerResponse> {
  await vi.waitFor(() => expect(streams).toHaveLength(count));
  return streams[count - 1]?.reply as ServerResponse;
}

const deadlines = () =>
  helper.calls.filter(({ method }) => method === 'setDeadline').map(({ params }) => params);

/** The stream that is open once there is a tunnel, which it goes through. */
async function untilConnected(): Promise<ServerResponse> {
  helper.set(connected);
  const stream = await streamNumber(2);
  await vi.waitFor(() =>
    expect(deadlines().at(-1)).toEqual({ deadline: { at: until, reason: 'plan-ended' } }),
  );
  return stream;
}

/** Half of what an answer takes is not known, however slow this machine is: little beside hours. */
const aboutMs = 60_000;

test.each([8, -8])(
  'a computer whose clock is %i hours ahead keeps its plan until its real end',
  async (hours) => {
    serviceOffset = -hours * hour;
    until = Date.now() + serviceOffset + hour;
    await core.refreshServers();
    expect(core.servers()).toHaveLength(1);
    expect(Math.abs(core.clock.offset() - serviceOffset)).toBeLessThan(aboutMs);
    expect(core.planEnd()).toEqual({ kind: 'plan', at: until });
    expect(Math.abs(core.clock.now() - (Date.now() + serviceOffset))).toBeLessThan(aboutMs);
    helper.set(connected);
    // The helper only knows the clock of the computer.
    await vi.waitFor(() => expect(deadlines()).toHaveLength(1));
    const [sent] = deadlines() as [{ deadline: { at: number } }];
    expect(Math.abs(sent.deadline.at - (until - serviceOffset))).toBeLessThan(aboutMs);
    expect(core.tunnel.state()).toEqual(connected);
  },
);

test('a clock that is set while the tunnel is up and the service answers changes nothing', async () => {
  await untilConnected();
  const { promise, resolve } = Promise.withResolvers<void>();
  release = promise;
  const before = asked;
  const refreshed = core.refreshServers();
  await vi.waitFor(() => expect(asked).toBeGreaterThan(before));
  vi.useFakeTimers({ now: Date.now() + 8 * hour, toFake: ['Date'] });
  serviceOffset = -8 * hour;
  resolve();
  await refreshed;
  expect(core.servers()).toHaveLength(1);
  helper.set({ ...connected, problems: ['ipv6-silent'] });
  await vi.waitFor(() => expect(core.tunnel.state()).toMatchObject({ problems: ['ipv6-silent'] }));
  expect(core.servers()).toHaveLength(1);
  await core.refreshServers();
  vi.useRealTimers();
  expect(helper.calls.filter(({ method }) => method === 'disconnect')).toEqual([]);
  expect(core.planEnd()).toEqual({ kind: 'plan', at: until });
});

test('a renewal moves the end of the tunnel at once, and pages hear of it', async () => {
  const stream = await untilConnected();
  expect(streams[0]?.authorization).toBe(`Basic ${btoa(`${deviceId}:token`)}`);
  heard.length = 0;
  until += 100 * hour;
  stream.write('data: entitlement\n\n');
  await vi.waitFor(() =>
    expect(deadlines().at(-1)).toEqual({ deadline: { at: until, reason: 'plan-ended' } }),
  );
  expect(heard).toContainEqual(['entitlement']);
});

test('a tunnel comes back that has ended with a plan which was renewed while the computer slept', async () => {
  const calls = (wanted: string) => helper.calls.filter(({ method }) => method === wanted).length;
  const connects = () => calls('connect');
  await core.refreshServers();
  await core.tunnel.connectTo({ serverId: 'one', domain: '127.0.0.1', port: 9 });
  // Nobody listens there.
  await vi.waitFor(() => expect(calls('disconnect')).toBeGreaterThan(0));
  helper.set(connected);
  await vi.waitFor(() => expect(core.tunnel.state().state).toBe('connected'));
  const before = connects();
  vi.useFakeTimers({ now: until + hour, toFake: ['Date'] });
  until += 100 * hour;
  helper.set({ state: 'disconnected', reason: 'plan-ended' });
  await vi.waitFor(() => expect(connects()).toBeGreaterThan(before));
  vi.useRealTimers();
});

/** Has somebody else sign in, whose stream opens later than what is loaded at once. */
async function signInBeforeStream(): Promise<{ open: () => void }> {
  await vi.waitFor(() => expect(core.planEnd()).toBeDefined());
  await core.signOut('user');
  const { promise, resolve } = Promise.withResolvers<void>();
  opening = promise;
  asked = 0;
  followed = 0;
  await core.session.signIn('another');
  await vi.waitFor(() => expect(asked).toBe(1));
  return { open: resolve };
}

test('what was loaded before the first stream opened is asked for again, as pages are told', async () => {
  const { open } = await signInBeforeStream();
  await vi.waitFor(() => expect(core.planEnd()).toEqual({ kind: 'plan', at: until }));
  until += 100 * hour;
  open();
  await vi.waitFor(() => expect(core.planEnd()).toEqual({ kind: 'plan', at: until }));
  expect(followed).toBe(1);
  expect(asked).toBe(2);
});

test('what is on its way when the first stream opens is not asked for twice', async () => {
  const { promise, resolve: answer } = Promise.withResolvers<void>();
  await vi.waitFor(() => expect(core.planEnd()).toBeDefined());
  release = promise;
  const { open } = await signInBeforeStream();
  open();
  await vi.waitFor(() => expect(followed).toBe(1));
  answer();
  await vi.waitFor(() => expect(core.planEnd()).toEqual({ kind: 'plan', at: until }));
  expect(asked).toBe(1);
});

test('a device that was revoked is signed out, and its tunnel ends', async () => {
  const stream = await untilConnected();
  stream.end('event: end\ndata: signed-out\n\n');
  await vi.waitFor(() => expect(core.session.session().signedIn).toBe(false));
  await vi.waitFor(() => expect(helper.calls.map(({ method }) => method)).toContain('disconnect'));
});

test('a stream that ended comes back, and what it missed is asked for', async () => {
  const stream = await untilConnected();
  heard.length = 0;
  until += 100 * hour;
  stream.end();
  await streamNumber(3);
  // The stream before may say so too, if it opened only now.
  await vi.waitFor(() => expect(heard).toContainEqual(accountChanges));
  await vi.waitFor(() =>
    expect(deadlines().at(-1)).toEqual({ deadline: { at: until, reason: 'plan-ended' } }),
  );
});

test('signing out ends the stream, and the next user has their own', async () => {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  streams[0]?.reply.on('close', resolve);
  await core.signOut('user');
  await closed;
  expect(streams).toHaveLength(1);
  await core.session.signIn('another');
  await streamNumber(2);
  expect(streams[1]?.authorization).toBe(`Basic ${btoa(`${deviceId}:another`)}`);
  expect(heard).toEqual([]);
});
