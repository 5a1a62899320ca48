import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { addresses } from '../../../lab/network/addresses.ts';
import { narrowPath } from '../../../lab/network/narrow-path.ts';
import { eventually, words } from '../../../lab/runs/process.ts';
import { waitLimit } from '../../../lab/runs/wait-limit.ts';
import { startGapMeter } from '../../../lab/packets/gaps.ts';
import { engines } from '../../support/engines.ts';
import { createHelperLab, type HelperLab } from '../../support/helper-lab.ts';
import { dropUdp } from '../../support/session-under-traffic.ts';

/**
 * How many datagrams of 50 a second get lost when something happens to the way to the gateway, and for how long nothing
 * comes back, with each engine. The figures are in docs/engine.md.
 */

interface Trouble {
  /** `longMs`: longer than nothing may come back, in milliseconds. */
  happen: (net: HelperLab, longMs: number) => Promise<void>;
  /** For how long nothing may come back to our own engine on an idle machine, in milliseconds. */
  ownGapMs: number;
  /** For how long nothing can come back to any engine, in addition. */
  inevitableMs?: number;
  /** Whether our own engine stays. */
  ownStays: boolean;
}

const suspendedMs = 60_000;

const troubles: Record<string, Trouble> = {
  'datagrams vanish for some seconds': {
    happen: (net, longMs) => dropUdp(net, () => delay(longMs)),
    ownGapMs: 1_500,
    ownStays: true,
  },
  'datagrams of more than 1,300 bytes begin to vanish': {
    async happen({ lab: { internet, user, gatewayMachine } }) {
      await narrowPath({ internet, ends: [user, gatewayMachine] }, 1_300);
    },
    ownGapMs: 1_500,
    ownStays: true,
  },
  'the gateway breaks the TLS connection off': {
    async happen({ lab: { internet, user } }) {
      // One that breaks soon after it was made is not opened again by the same engine.
      await delay(11_000);
      const sockets = await user.run(words('ss -Hnt state established dport = :443'));
      const [, port] = /:(\d+)\s+\S+:443/.exec(sockets) ?? [];
      // As a box on the way does that has forgotten the connection.
      await internet.run(['nft', '-f', '-'], {
        input: `table inet broken {
          chain forward {
            type filter hook forward priority filter
            tcp sport ${port} reject with tcp reset
          }
        }`,
      });
    },
    ownGapMs: 6_000,
    ownStays: true,
  },
  'this machine gets another address': {
    async happen({ lab: { user } }) {
      await user.run(words('ip address add 192.0.2.11/24 dev uplink'));
      await user.run(words(`ip address del ${addresses.user.ipv4}/24 dev uplink`));
      await user.exec(words(`ip route add default via ${addresses.router.ipv4}`));
    },
    ownGapMs: 6_000,
    ownStays: false,
  },
  'the machine is suspended for a minute': {
    async happen(net) {
      const pids = [net.pid(), ...(await net.engines())];
      for (const pid of pids) process.kill(pid, 'SIGSTOP');
      await delay(suspendedMs);
      for (const pid of pids) process.kill(pid, 'SIGCONT');
    },
    ownGapMs: 6_000,
    inevitableMs: suspendedMs,
    // Whoever has slept makes the tunnel again.
    ownStays: false,
  },
};

// Side by side, each in a laboratory of its own: most of the time is waiting.
describe.concurrent('what gets lost', () => {
  const cases = Object.entries(troubles);
  test.each(cases.flatMap(([name, trouble]) => engines.map((engine) => [name, engine, trouble] as const)))(
    'when %s, with %s',
    async (name, engine, { happen, ownGapMs, inevitableMs = 0, ownStays }) => {
      await using net = await createHelperLab({ engine });
      await net.start();
      const client = await net.connect();
      await client.until('connected', { where: ({ transport }) => transport === 'dtls' });
      const before = await net.engines();
      const meter = await startGapMeter(net.lab.user);
      await delay(1_000);
      const limitMs = waitLimit(ownGapMs);
      // Whoever does not come back by himself is not helped before the limit.
      const longMs = limitMs + 2_000;
      await happen(net, longMs);
      // What follows from it has followed, and a silence that lasts has become too long.
      await delay(Math.max(25_000, longMs));
      // openconnect makes way for another one when large packets are lost, which may have just begun.
      await eventually('the tunnel is up', () => client.states.at(-1)?.state === 'connected' || undefined);
      const { udp, tcp, lost, isTcpAlive } = await meter.end();
      process.stderr.write(`${name}, ${engine}: ${JSON.stringify({ udp, tcp, lost })}\n`);
      expect(isTcpAlive).toBe(true);
      if (engine !== 'own') return;
      expect(udp, net.log()).toBeLessThan(inevitableMs + limitMs);
      if (ownStays) expect(await net.engines(), net.log()).toEqual(before);
    },
    waitLimit(150_000),
  );
});
