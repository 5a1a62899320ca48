import type { EngineKind } from '#shared/helper/protocol.ts';
import { setTimeout as delay } from 'node:timers/promises';
import type { TunnelState } from '#shared/tunnel/state.ts';
import type { Gaps } from '../../lab/packets/gap-meter.ts';
import { startGapMeter } from '../../lab/packets/gaps.ts';
import type { GatewaySettings } from '../../lab/gateway/gateway.ts';
import { eventually } from '../../lab/runs/process.ts';
import { createHelperLab, type HelperLab } from './helper-lab.ts';

export interface SessionUnderTraffic {
  engine?: EngineKind;
  /** Settings of the gateway. */
  gateway: Partial<GatewaySettings>;
  /** How long traffic runs, at least. */
  seconds: number;
  /** It goes on until the engine has got new keys so often. */
  rekeys?: number;
  /** What happens meanwhile. */
  disturb?: (net: HelperLab) => Promise<void>;
}

export interface SessionReport {
  gaps: Gaps;
  /** What the tunnel was in besides being connected: nothing, if it held. */
  interruptions: TunnelState['state'][];
  /** How often the engine got new keys. */
  rekeys: number;
  /** What the helper logged of dead peers, probes and engines that ended. */
  events: string[];
}

/** A session in a laboratory of its own, with traffic from its beginning to its end. */
export async function runSessionUnderTraffic(options: SessionUnderTraffic): Promise<SessionReport> {
  await using net = await createHelperLab({
    gateway: options.gateway,
    ...(options.engine && { engine: options.engine }),
  });
  await net.start();
  const client = await net.connect();
  const transport = options.gateway.dtls === false ? 'tls' : 'dtls';
  await client.until('connected', { where: (state) => state.transport === transport });
  const seen = client.states.length;
  const meter = await startGapMeter(net.lab.user);
  const rekeys = () => net.log().match(/(?:CSTP|DTLS) rekey due|"new keys"/g)?.length ?? 0;
  await Promise.all([delay(options.seconds * 1_000), options.disturb?.(net)]);
  await eventually('it has got its new keys', () => rekeys() >= (options.rekeys ?? 0) || undefined);
  const gaps = await meter.end();
  const interruptions = client.states
    .slice(seen)
    .map(({ state }) => state)
    .filter((state) => state !== 'connected');
  await client.call('disconnect', {});
  const log = net.log();
  return {
    gaps,
    interruptions,
    rekeys: rekeys(),
    events: log.split('\n').filter((line) => /dead peer|handshake failed|probed|the engine ended/.test(line)),
  };
}

/**
 * Gateways whose sessions get new keys every so many seconds, by either method, over DTLS and over TLS. On the same
 * connection DTLS gets them ten seconds later each time (ocserv, worker-vpn.c), and the two must not meet: ocserv 1.1.6
 * waits for one handshake and openconnect 9.01 for the other then, until GnuTLS gives the one of DTLS up after a
 * minute. With Debian's 172,800 seconds that takes 94 years, with 30 it is every other minute.
 */
export const rekeyingGateways = (seconds: number): Record<string, Partial<GatewaySettings>> => ({
  'over DTLS, on the same connection': { rekey: { seconds, method: 'ssl' } },
  'over DTLS, by a new tunnel': { rekey: { seconds, method: 'new-tunnel' } },
  'over TLS, on the same connection': { dtls: false, rekey: { seconds, method: 'ssl' } },
  'over TLS, by a new tunnel': { dtls: false, rekey: { seconds, method: 'new-tunnel' } },
  'with Debian’s own configuration file': { debianDefaults: true, rekey: { seconds, method: 'ssl' } },
});

/** Drops the gateway's datagrams meanwhile, as a firewall on the way does that forgets about them. */
export async function dropUdp(
  { lab: { internet } }: HelperLab,
  during: () => Promise<unknown>,
): Promise<void> {
  await internet.run(['nft', '-f', '-'], {
    input: `table inet no_udp {
      chain forward {
        type filter hook forward priority filter
        udp sport 443 drop
        udp dport 443 drop
      }
    }`,
  });
  await during();
  await internet.run(['nft', 'delete', 'table', 'inet', 'no_udp']);
}
