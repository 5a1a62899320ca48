import { setTimeout as delay } from 'node:timers/promises';
import type { Lab } from '../../lab/lab.ts';
import { startArrivals } from '../measure/arrivals.ts';
import { connect, disconnect, type Contender, type Contenders } from './contenders.ts';
import { byTurns, row, type Row } from '../row.ts';

export const failoverRows = ['failover-udp'] as const;

const rounds = 3;
/** openconnect needs up to twice its interval of ten seconds until it notices. */
const silentSeconds = 25;

/**
 * How many datagrams get lost, one every two milliseconds, when the network on the way begins to drop the gateway's
 * UDP.
 */
async function lostDatagrams(lab: Lab, contender: Contender): Promise<number> {
  const before = await lab.user.snapshot();
  await connect(lab, contender);
  const arrivals = await startArrivals(lab);
  await delay(1_000);
  await lab.internet.run(['nft', '-f', '-'], {
    input: `table inet no_udp { chain forward {
      type filter hook forward priority filter
      udp sport ${lab.gateway.port} drop
      udp dport ${lab.gateway.port} drop
    }; }`,
  });
  await delay(silentSeconds * 1_000);
  const lost = await arrivals.lost();
  await arrivals[Symbol.asyncDispose]();
  await lab.internet.run(['nft', 'delete', 'table', 'inet', 'no_udp']);
  await disconnect(lab, contender, before);
  return lost;
}

export async function* measureFailover(lab: Lab, { ours, peer }: Contenders): AsyncGenerator<Row> {
  const lost = await byTurns(rounds, {
    ours: () => lostDatagrams(lab, ours),
    peer: () => lostDatagrams(lab, peer),
  });
  yield row('failover-udp', lost, { unit: 'lost', better: 'lower' });
}
