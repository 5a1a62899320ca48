import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { framePacket, packetKind } from '#node/anyconnect/cstp/packet.ts';
import { startTunnel, usualHeaders, type TestGateway } from '../support/test-gateway.ts';

/** Two things that happen at once, or one in the middle of another. */

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);
const withoutDtls = usualHeaders.slice(0, 3);
const goodbye = (text: string) =>
  framePacket(packetKind.terminate, Buffer.concat([Buffer.from([0xb0]), Buffer.from(text)]));
const rekeys = ['X-CSTP-Rekey-Time: 20', 'X-CSTP-Rekey-Method: new-tunnel'];

async function up(changes?: Parameters<typeof startTunnel>[0]): Promise<TestGateway> {
  const gateway = startTunnel(changes);
  await pass(50);
  return gateway;
}

describe('a goodbye', () => {
  const told = [{ kind: 'ended', by: { kind: 'goodbye', final: true, text: 'No licence' } }];

  test('in one piece with the answer ends the tunnel with its words', async () => {
    const gateway = await up({ inOnePiece: goodbye('No licence') });
    expect(gateway.ends).toEqual(told);
  });

  test('in one piece with the answer that brings new keys does so, too', async () => {
    const gateway = await up({ headers: [...usualHeaders, ...rekeys] });
    gateway.inOnePiece = goodbye('No licence');
    await pass(19_000);
    expect(gateway.ends).toEqual(told);
  });

  test('while the system is configured anew after new keys does so, too', async () => {
    const gateway = await up({ headers: [...usualHeaders, ...rekeys] });
    gateway.headers = gateway.headers.map((line) => line.replace('192.0.2.7', '192.0.2.8'));
    gateway.accepts = new Promise(() => undefined);
    await pass(18_500);
    expect(gateway.mtus).toHaveLength(2);
    gateway.write(goodbye('No licence'));
    await pass(1);
    expect(gateway.ends).toEqual(told);
  });
});

test('packets in one piece with the answer that brings new keys arrive, in their order', async () => {
  const gateway = await up({ headers: [...withoutDtls, ...rekeys] });
  gateway.inOnePiece = framePacket(packetKind.data, Buffer.from('first'));
  vi.spyOn(gateway.requests, 'push').mockImplementation((...heads) => {
    queueMicrotask(() => gateway.send('tls', 'second'));
    return Array.prototype.push.apply(gateway.requests, heads);
  });
  await pass(19_000);
  expect(gateway.received).toEqual(['first', 'second']);
});

describe('while the gateway’s system is asked whether it has gone over to a new connection', () => {
  /** Up to some time before that is answered. */
  async function asking(changes: Parameters<typeof startTunnel>[0] = {}): Promise<TestGateway> {
    const gateway = await up({ headers: [...withoutDtls, ...rekeys], answersAsHop: () => true, ...changes });
    gateway.thinks = true;
    await pass(18_500);
    gateway.answersAsHop = () => false;
    gateway.answer();
    await pass(100);
    expect([gateway.requests.length, gateway.hops]).toEqual([2, 4]);
    return gateway;
  }

  test('whoever leaves says nothing after the goodbye', async () => {
    const gateway = await asking();
    gateway.tunnel.send(Buffer.from('too late'));
    await gateway.tunnel.leave();
    await pass(5_000);
    expect([gateway.hops, gateway.packets, gateway.goodbyes, gateway.ends]).toEqual([4, [], [1], []]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a tunnel that is closed sends nothing more', async () => {
    const gateway = await asking();
    gateway.tunnel.close();
    await pass(5_000);
    expect([gateway.hops, gateway.ends, vi.getTimerCount()]).toEqual([4, [], 0]);
  });

  test('the end of the new connection is told once', async () => {
    const gateway = await asking();
    gateway.end();
    await pass(5_000);
    expect([gateway.hops, gateway.ends.length, vi.getTimerCount()]).toEqual([4, 1, 0]);
  });

  test('what waits is sent in its order once it has, and no answer is for this machine', async () => {
    const gateway = await asking();
    const numbers = Array.from({ length: 100 }, (_, number) => String(number));
    for (const number of numbers) gateway.tunnel.send(Buffer.from(number));
    expect(gateway.packets).toEqual([]);
    gateway.answersAsHop = () => true;
    await pass(300);
    expect(gateway.packets.map(({ text }) => text)).toEqual(numbers);
    expect(gateway.received).toEqual([]);
  });
});

test('TLS that breaks while new keys are about to be made waits for the gateway’s system, too', async () => {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const gateway = await up({ headers: [...withoutDtls, ...rekeys], answersAsHop: () => true });
  gateway.opens = promise;
  await pass(18_100);
  gateway.end();
  await pass(100);
  gateway.tunnel.send(Buffer.from('waits'));
  resolve(true);
  await pass(500);
  expect([gateway.requests.length, gateway.packets.length, gateway.ends]).toEqual([2, 1, []]);
});

test('TLS that breaks while DTLS waits for its next try comes back by one connection', async () => {
  const gateway = await up({ largestDatagram: 0 });
  // Once the handshake has been given up, it is tried again after three seconds.
  for (let waits = 0; waits < 600 && gateway.told.at(-1) !== 'DTLS has ended: no answer'; waits += 1)
    await pass(100);
  await pass(1_000);
  const isThere = Promise.withResolvers<boolean>();
  gateway.opens = isThere.promise;
  gateway.end();
  await pass(2_900);
  gateway.largestDatagram = 65_535;
  isThere.resolve(true);
  await pass(50);
  expect(gateway.ends).toEqual([]);
  expect(gateway.told.slice(-2)).toEqual(['aes-256-gcm', 'dtls']);
});

test('an answer that has come while the machine stood still is one, however late it is read', async () => {
  vi.useRealTimers();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const gateway = await up({ headers: withoutDtls });
  await pass(11_000);
  gateway.thinks = true;
  gateway.end();
  await pass(50);
  expect(gateway.requests).toHaveLength(2);
  // Timers are due before what has come is read.
  vi.advanceTimersByTime(5_000);
  gateway.answer();
  await pass(50);
  expect([gateway.ends, gateway.told.at(-1)]).toEqual([[], 'new keys']);
});

test('a path that turns out to be smaller while the system is configured is configured after that', async () => {
  const first = Promise.withResolvers<boolean>();
  const gateway = await up({ largestDatagram: 1_350, accepts: first.promise });
  await pass(5_000);
  expect(gateway.mtus).toEqual([1_434]);
  gateway.accepts = true;
  first.resolve(true);
  await pass(50);
  expect(gateway.mtus).toEqual([1_434, 1_280]);
  gateway.tunnel.send(Buffer.from('a packet'));
  await pass(500);
  expect(gateway.packets.map(({ text }) => text)).toEqual(['a packet']);
});

describe('whoever leaves', () => {
  test('while new keys are asked for ends the session on the new connection', async () => {
    const gateway = await up({ headers: [...withoutDtls, ...rekeys] });
    gateway.thinks = true;
    await pass(18_500);
    expect(gateway.requests).toHaveLength(2);
    const left = gateway.tunnel.leave();
    await pass(50);
    expect(gateway.goodbyes).not.toContain(1);
    gateway.answer();
    await pass(50);
    await left;
    expect(gateway.goodbyes).toContain(1);
    expect(gateway.ends).toEqual([]);
  });

  test('while the tunnel is asked for ends the session that is granted', async () => {
    const gateway = await up({ thinks: true });
    const left = gateway.tunnel.leave();
    gateway.answer();
    await pass(50);
    await left;
    expect(gateway.goodbyes).toEqual([0]);
    expect([gateway.mtus, gateway.ends]).toEqual([[], []]);
  });

  test('is not kept long by a gateway that does not answer', async () => {
    const gateway = await up({ thinks: true });
    let hasLeft = false;
    void gateway.tunnel.leave().then(() => (hasLeft = true));
    await pass(200);
    expect(hasLeft).toBe(false);
    await pass(200);
    expect(hasLeft).toBe(true);
  });

  test('before anything is asked for sends nothing', async () => {
    const gateway = startTunnel();
    await gateway.tunnel.leave();
    await pass(5_000);
    expect([gateway.requests, gateway.goodbyes, gateway.ends]).toEqual([[], [], []]);
  });

  test('while a broken connection is opened anew ends the session there', async () => {
    const gateway = await up({ headers: withoutDtls });
    await pass(11_000);
    gateway.thinks = true;
    gateway.end();
    await pass(50);
    const left = gateway.tunnel.leave();
    gateway.answer();
    await pass(50);
    await left;
    expect(gateway.goodbyes).toEqual([1]);
  });

  test('before a broken connection is open again ends the session by the new one', async () => {
    const gateway = await up({ headers: withoutDtls });
    await pass(11_000);
    const opens = Promise.withResolvers<boolean>();
    gateway.opens = opens.promise;
    gateway.end();
    await pass(50);
    const left = gateway.tunnel.leave();
    await pass(300);
    opens.resolve(true);
    await pass(50);
    await left;
    expect([gateway.goodbyes, gateway.ends]).toEqual([[1], []]);
  });

  test('while the last packets of a broken connection’s DTLS are waited for ends the session', async () => {
    const gateway = await up({});
    await pass(11_000);
    gateway.end();
    await pass(10);
    expect(gateway.requests).toHaveLength(1);
    const left = gateway.tunnel.leave();
    await pass(100);
    await left;
    expect([gateway.goodbyes, gateway.ends]).toEqual([[1], []]);
  });

  test('is not kept long by a broken connection that cannot be opened again', async () => {
    const gateway = await up({ headers: withoutDtls });
    await pass(11_000);
    gateway.opens = Promise.withResolvers<boolean>().promise;
    gateway.end();
    await pass(50);
    let hasLeft = false;
    void gateway.tunnel.leave().then(() => (hasLeft = true));
    await pass(950);
    expect([hasLeft, gateway.requests.length, gateway.ends]).toEqual([true, 1, []]);
  });
});

/** ocserv shuts an address out for 20 minutes that has connected 80 times in as many (max-ban-score). */
describe('in twenty minutes, a gateway is connected to at most some sixty times', () => {
  const twentyMinutes = 1_200_000;

  test('if new keys cannot be had', async () => {
    const gateway = await up({ headers: [...usualHeaders, ...rekeys] });
    gateway.opens = false;
    const before = gateway.opened;
    await pass(twentyMinutes);
    expect(gateway.opened - before).toBeGreaterThan(3);
    expect(gateway.opened - before).toBeLessThanOrEqual(40);
    // They are had again.
    gateway.opens = true;
    await pass(600_000);
    expect(gateway.told).toContain('new keys');
  });

  test.each([12, 20, 45])(
    'if something on the way ends each connection after %i seconds',
    async (seconds) => {
      const gateway = await up({ headers: withoutDtls });
      for (let passed = 0; passed < twentyMinutes && gateway.ends.length === 0; passed += 1_000 * seconds) {
        await pass(1_000 * seconds);
        gateway.end();
      }
      await pass(50);
      expect(gateway.opened).toBeGreaterThan(1);
      expect(gateway.opened).toBeLessThanOrEqual(61);
      // Whoever starts the next engine waits before that, longer each time.
      if (seconds < 20) expect([gateway.opened, gateway.ends.length]).toEqual([2, 1]);
    },
  );

  test('if a path is found to be smaller again and again', async () => {
    const gateway = await up();
    gateway.opens = false;
    gateway.largestDatagram = 1_350;
    const before = gateway.opened;
    for (let passed = 0; passed < twentyMinutes; passed += 200) {
      gateway.tunnel.send(Buffer.from('a packet'));
      await pass(200);
    }
    expect(gateway.opened - before).toBeGreaterThan(3);
    expect(gateway.opened - before).toBeLessThanOrEqual(40);
  });

  test('and one that is ended each minute always comes back', async () => {
    const gateway = await up({ headers: withoutDtls });
    for (let minute = 0; minute < 60; minute += 1) {
      await pass(60_000);
      gateway.end();
    }
    await pass(50);
    expect([gateway.opened, gateway.ends]).toEqual([61, []]);
  });
});
