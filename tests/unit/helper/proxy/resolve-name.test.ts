import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { decode, encode, type Answer } from 'dns-packet';
import { afterEach, expect, test } from 'vitest';
import { openDestination } from '../../../../helper/proxy/open-destination.ts';
import { createNameResolution } from '../../../../helper/proxy/resolve-name.ts';

const open: Socket[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.close();
});

type Says = 'nothing' | 'no address' | 'no such name' | { addresses: string[]; after?: Promise<unknown> };

/** A resolver that says this about every name; it notes down what it is asked. */
async function startResolver(says: { A: Says; AAAA: Says }, asked: string[] = []): Promise<string> {
  const socket = createSocket('udp4');
  open.push(socket);
  socket.on('message', (message, { port, address }) => {
    const { id, questions = [] } = decode(message);
    const type = questions[0]?.type;
    if (type !== 'A' && type !== 'AAAA') return;
    asked.push(`${type} ${questions[0]?.name}`);
    const said = says[type];
    if (said === 'nothing') return;
    const { addresses = [], after = Promise.resolve() } = typeof said === 'object' ? said : {};
    const answers = addresses.map((data): Answer => ({ type, name: 'host.test', ttl: 1, data }));
    const flags = 0x0180 + (said === 'no such name' ? 3 : 0);
    const answer = encode({ type: 'response', id: id ?? 0, flags, questions, answers });
    void after.then(() => socket.send(answer, port, address));
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return `127.0.0.1:${socket.address().port}`;
}

const both = { ipv4: true, ipv6: true };
const resolving = async (says: { A: Says; AAAA: Says }, families = both, options = {}) =>
  createNameResolution({ resolvers: [await startResolver(says)], families }, options);
/** What comes together does so on the slowest machine. */
const patient = { delayMs: 3_600_000 };

const ipv4 = { addresses: ['192.0.2.1'] };
const ipv6 = { addresses: ['2001:db8::1'] };

test('a resolver that never answers for one family does not hold up the other', async () => {
  for (const [says, found] of [
    [{ A: ipv4, AAAA: 'nothing' }, ipv4],
    [{ A: 'nothing', AAAA: ipv6 }, ipv6],
  ] as const) {
    const resolve = await resolving(says);
    const given = await resolve('host.test');
    expect(given.addresses).toEqual(found.addresses);
    // Whoever connects meanwhile has the other family yet to come.
    expect(given.late).toBeInstanceOf(Promise);
  }
});

test('a name is looked up once, however many connections to it are opened at a time, and again later', async () => {
  const asked: string[] = [];
  const resolver = await startResolver({ A: ipv4, AAAA: ipv6 }, asked);
  const resolve = createNameResolution({ resolvers: [resolver], families: both }, patient);
  const names = Array.from({ length: 200 }, () => ['host.test', 'other.test']).flat();
  const found = await Promise.all(names.map(resolve));
  for (const one of found) expect(one).toEqual({ addresses: ['2001:db8::1', '192.0.2.1'] });
  const questions = ['A host.test', 'A other.test', 'AAAA host.test', 'AAAA other.test'];
  expect(asked.toSorted()).toEqual(questions);
  await resolve('host.test');
  expect(asked.slice(questions.length).toSorted()).toEqual(['A host.test', 'AAAA host.test']);
});

test('answers that come together are used together, IPv6 first', async () => {
  const resolve = await resolving({ A: ipv4, AAAA: ipv6 }, both, patient);
  expect(await resolve('host.test')).toEqual({ addresses: ['2001:db8::1', '192.0.2.1'] });
});

test('an address is waited for if the other family has none', async () => {
  const late = { ...ipv4, after: delay(200) };
  for (const AAAA of ['no address', 'no such name'] as const) {
    expect(await (await resolving({ A: late, AAAA }))('host.test')).toEqual(ipv4);
  }
  expect(await (await resolving({ A: 'no such name', AAAA: 'no such name' }))('host.test')).toEqual({
    addresses: [],
  });
  expect(await (await resolving({ A: late, AAAA: ipv6 }, { ipv4: true, ipv6: false }))('host.test')).toEqual(
    ipv4,
  );
});

test('what came too late is the last resort', async () => {
  // Addresses of this machine are forbidden, so that nothing leaves it, and the failure says which were tried.
  const isTooLate = Promise.withResolvers<void>();
  const resolve = await resolving({
    A: { addresses: ['127.0.0.1'], after: isTooLate.promise },
    AAAA: { addresses: ['::1'] },
  });
  const asked: string[][] = [];
  const policy = {
    families: both,
    sources: undefined,
    roundTripMs: 0,
    isBlocked: () => false,
    async resolve(name: string) {
      const given = await resolve(name);
      asked.push(given.addresses);
      isTooLate.resolve();
      const { late } = given;
      return late ? { ...given, late: late.then((others) => (asked.push(others), others)) } : given;
    },
  };
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const destination = { host: { kind: 'name', name: 'host.test' }, port } as const;
  expect(await openDestination(destination, policy, new AbortController().signal)).toEqual({
    ok: false,
    failure: 'forbidden',
  });
  expect(asked).toEqual([['::1'], ['127.0.0.1']]);
  server.close();
});
