import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { framePacket, packetKind } from '#node/anyconnect/cstp/packet.ts';
import { startTunnel, usualHeaders, type TestGateway } from '../support/test-gateway.ts';

/** Anything at any time: what coincides, nobody has thought of. */

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

const kinds = [
  'end',
  'goodbye',
  'opens',
  'thinks',
  'answer',
  'loses',
  'silent',
  'slow',
  'address',
  'packet',
  'in-one-piece',
] as const;
type Event = readonly [what: (typeof kinds)[number], value: number, afterMs: number];

const events: fc.Arbitrary<Event[]> = fc.array(
  fc.tuple(fc.constantFrom(...kinds), fc.nat(3), fc.oneof(fc.nat(50), fc.nat(3_000), fc.nat(15_000))),
  { minLength: 1, maxLength: 30 },
);

const inOnePiece = [
  framePacket(packetKind.data, Buffer.from('with the answer')),
  framePacket(packetKind.dpdRequest, Buffer.from('here?')),
  framePacket(packetKind.disconnect, Buffer.from([0xb0])),
];

/** `settle`: what lets slow configurations go on. */
function happen(gateway: TestGateway, [what, value]: Event, settle: (() => void)[]): void {
  switch (what) {
    case 'end':
      return gateway.end();
    case 'goodbye':
      // Rarely, since nothing comes after it.
      if (value === 0) gateway.write(framePacket(packetKind.disconnect, Buffer.from([0xb0])));
      return;
    case 'opens':
      gateway.opens = value > 0;
      return;
    case 'thinks':
      gateway.thinks = value > 1;
      if (!gateway.thinks) gateway.answer();
      return;
    case 'answer':
      return gateway.answer();
    case 'loses':
      gateway.largestDatagram = [0, 700, 1_350, 65_535][value] ?? 0;
      return;
    case 'silent':
      gateway.answers = { tls: value !== 0, dtls: value > 1 };
      return;
    case 'slow': {
      for (const one of settle.splice(0)) one();
      const { promise, resolve } = Promise.withResolvers<boolean>();
      settle.push(() => resolve(true));
      gateway.accepts = value > 1 ? true : promise;
      return;
    }
    case 'address':
      gateway.headers = gateway.headers.map((line) => line.replace(/192\.0\.2\.\d/, `192.0.2.${value + 1}`));
      return;
    case 'in-one-piece':
      gateway.inOnePiece = inOnePiece[value] ?? Buffer.alloc(0);
      return;
    case 'packet':
      return gateway.tunnel.send(Buffer.from('a packet'));
    default:
      what satisfies never;
  }
}

interface Played {
  gateway: TestGateway;
  /** Nothing is slow, lost or silent any more. */
  calm: () => Promise<void>;
}

async function play(all: readonly Event[], rekeys: boolean): Promise<Played> {
  const keys = rekeys ? ['X-CSTP-Rekey-Time: 20', 'X-CSTP-Rekey-Method: new-tunnel'] : [];
  const gateway = startTunnel({ headers: [...usualHeaders, ...keys] });
  const settle: (() => void)[] = [];
  for (const event of all) {
    happen(gateway, event, settle);
    await pass(event[2]);
  }
  return {
    gateway,
    async calm() {
      Object.assign(gateway, {
        opens: true,
        thinks: false,
        largestDatagram: 65_535,
        answers: { tls: true, dtls: true },
        accepts: true,
        inOnePiece: Buffer.alloc(0),
      });
      gateway.answer();
      for (const one of settle.splice(0)) one();
      await pass(60_000);
    },
  };
}

const runs = { numRuns: Number(process.env['WAYMAKER_RANDOM_RUNS'] ?? 50) };

test('whatever happens at once, a tunnel that is not ended carries packets once it is calm', async () => {
  await fc.assert(
    fc.asyncProperty(events, fc.boolean(), async (all, rekeys) => {
      const { gateway, calm } = await play(all, rekeys);
      await calm();
      const isOver = gateway.ends.length > 0;
      const before = gateway.packets.length;
      gateway.tunnel.send(Buffer.from('once it is calm'));
      await pass(30_000);
      const arrived = gateway.packets.slice(before).filter(({ text }) => text === 'once it is calm');
      expect([arrived.length, gateway.ends.length]).toEqual(isOver ? [0, 1] : [1, 0]);
      expect(gateway.configuredAtOnce).toBeLessThanOrEqual(1);
      gateway.tunnel.close();
      const { opened, datagrams } = gateway;
      await pass(120_000);
      expect([gateway.opened, gateway.datagrams]).toEqual([opened, datagrams]);
    }),
    runs,
  );
});

test('whatever happens at once, whoever leaves is soon gone, and hears nothing more', async () => {
  await fc.assert(
    fc.asyncProperty(events, fc.boolean(), async (all, rekeys) => {
      const { gateway, calm } = await play(all, rekeys);
      const ends = gateway.ends.length;
      let hasLeft = false;
      void gateway.tunnel.leave().then(() => (hasLeft = true));
      await pass(1_000);
      expect(hasLeft).toBe(true);
      const { opened } = gateway;
      await calm();
      expect([gateway.ends.length, gateway.opened]).toEqual([ends, opened]);
    }),
    runs,
  );
});
