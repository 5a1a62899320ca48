import type { HoldRequest } from '#shared/helper/protocol.ts';
import type { GatewaySession } from '#shared/helper/gateway-session.ts';
import type { CapturedPacket } from '../../lab/packets/frame.ts';
import { eventually, words } from '../../lab/runs/process.ts';
import type { TestClient } from './callers/test-client.ts';
import type { HelperLab } from './helper-lab.ts';

/** What holding a connection for this session to the laboratory's gateway takes. */
export function holdRequestOf(
  net: HelperLab,
  { cookie: _later, ...trust }: GatewaySession,
  changes: Partial<HoldRequest> = {},
): HoldRequest {
  const { gateway, address = '' } = net.request();
  return { gateway, address, trust, ...changes };
}

/** Has one held, and waits until TLS is there. */
export async function hold(
  net: HelperLab,
  client: TestClient,
  session: GatewaySession,
  changes: Partial<HoldRequest> = {},
): Promise<void> {
  const count = () => net.log().split('TLS is held ready').length;
  const before = count();
  await client.call('holdConnection', holdRequestOf(net, session, changes));
  await eventually('a connection is held', async () => count() > before || undefined);
}

/**
 * Whether the gateway has answered on the held connection in time, as far as the log goes back: one that is too busy is
 * asked on another connection, too.
 */
export const isAnsweredInTime = (net: HelperLab): boolean =>
  !net.log().includes('the connection that was held does not answer');

/** The ports of this machine's connections to the gateway. */
export async function connections(net: HelperLab): Promise<number[]> {
  const listed = await net.lab.user.run(words(`ss -Hnt state established dport = :${net.lab.gateway.port}`));
  return [...listed.matchAll(/:(\d+)\s+\S+:443\b/g)].map(([, port]) => Number(port));
}

/** Waits until the gateway and this machine have no connection with each other. */
export const noConnection = (net: HelperLab) =>
  eventually('nothing is held', async () => {
    const [here, there] = await Promise.all([connections(net), workers(net)]);
    return (here.length === 0 && there === 0) || undefined;
  });

/** Waits until no engine runs: it ends soon after its connection. */
export const engineGone = (net: HelperLab) =>
  eventually('the engine has gone', async () => (await net.engines()).length === 0 || undefined);

/** How many connections the gateway has, as its own machine sees it. */
export async function workers(net: HelperLab): Promise<number> {
  const listed = await net.lab.gatewayMachine.run(
    words(`ss -Hnt state established sport = :${net.lab.gateway.port}`),
  );
  return listed.split('\n').filter(Boolean).length;
}

/**
 * How often this machine has something to say to the gateway by TCP and waits for the answer, until it sends by UDP.
 */
export function turnsBeforeDatagrams(packets: readonly CapturedPacket[], gateway: string): number {
  const [tcp, udp] = [6, 17];
  let turns = 0;
  let isOurs = false;
  for (const { protocol, destination, source, payload, isSyn } of packets) {
    if (protocol === udp && destination === gateway) return turns;
    if (protocol !== tcp || (payload.length === 0 && !isSyn)) continue;
    if (destination === gateway && !isOurs) turns += 1;
    isOurs = destination === gateway || (source !== gateway && isOurs);
  }
  throw new Error('no datagram');
}
