import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { probeTraffic } from '../../../../../helper/tunnel/health/traffic-probe.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

test('a machine that stands still while a tunnel is probed finds what has answered meanwhile', async () => {
  // Who probes breaks off.
  const server = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  let looks = 0;
  const findings = await probeTraffic(
    {
      addresses: { ipv4: '127.0.0.1' },
      resolvers: [],
      needsResolver: false,
      targets: [{ address: '127.0.0.1', port }],
      roundTripMs: 0,
    },
    {
      received() {
        looks += 1;
        // Three looks before anything is sent, and then this one.
        if (looks === 4) vi.advanceTimersByTime(60_000);
        return { ipv4: looks, ipv6: 0 };
      },
      signal: new AbortController().signal,
    },
  );
  expect(findings).toMatchObject({ passing: ['ipv4'], targetsAnswer: true });
  server.close();
});
