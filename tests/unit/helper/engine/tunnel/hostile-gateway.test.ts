import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startTunnel, usualHeaders } from '../support/test-gateway.ts';

/** What a gateway may say and do, if nobody has thought well of it. */

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);
const without = (...names: string[]) =>
  usualHeaders.filter((line) => !names.some((name) => line.startsWith(`${name}:`)));

test.each([
  ['a link of one byte', [...without('X-CSTP-Base-MTU'), 'X-CSTP-Base-MTU: 1']],
  ['packets of one byte', [...without('X-CSTP-MTU'), 'X-CSTP-MTU: 1']],
  ['both', [...without('X-CSTP-MTU', 'X-CSTP-Base-MTU'), 'X-CSTP-MTU: 1', 'X-CSTP-Base-MTU: 60']],
  ['packets of one byte, and no DTLS', ['X-CSTP-Address: 192.0.2.7', 'X-CSTP-MTU: 1']],
])('a gateway that names %s carries packets, by channels that are able to', async (_what, headers) => {
  const gateway = startTunnel({ headers });
  await pass(2_000);
  gateway.tunnel.send(Buffer.from('a packet'));
  await pass(2_000);
  expect(gateway.packets.map(({ text }) => text)).toEqual(['a packet']);
  expect(gateway.ends).toEqual([]);
  // No link has smaller packets (RFC 791 §3.2).
  expect(Math.min(...gateway.mtus)).toBeGreaterThanOrEqual(68);
});

test('a gateway that wants new keys each second gets a new connection every few seconds', async () => {
  const headers = [...usualHeaders, 'X-CSTP-Rekey-Time: 1', 'X-CSTP-Rekey-Method: new-tunnel'];
  const gateway = startTunnel({ headers });
  await pass(60_000);
  expect(gateway.requests.length).toBeGreaterThan(5);
  expect(gateway.requests.length).toBeLessThanOrEqual(13);
  expect(gateway.ends).toEqual([]);
});
