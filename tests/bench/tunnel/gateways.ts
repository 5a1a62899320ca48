import { startFastGateway } from '../../lab/gateway/fast-gateway.ts';
import type { Gateway } from '../../lab/gateway/gateway.ts';
import type { Lab } from '../../lab/lab.ts';
import { eventually } from '../../lab/runs/process.ts';

/** What contenders need of a gateway; each connects to the laboratory's address and name of it. */
export interface ContendersGateway extends Pick<Gateway, 'name' | 'address' | 'port' | 'authorityFile'> {
  addUser(name: string, password: string): Promise<void>;
  /** How many sessions somebody has signed in to and not connected with yet. */
  waitingSessions(): Promise<number>;
}

/** The laboratory's own, as most gateways are. Its log names each session when it begins and when it connects. */
export const ocservOf = ({ gateway }: Lab): ContendersGateway => ({
  ...gateway,
  async waitingSessions() {
    const log = await gateway.log();
    const named = (event: string) =>
      [...log.matchAll(new RegExp(`${event}.*\\(session: (\\S+)\\)`, 'g'))].map(([, session]) => session);
    return countWaiting(named("using 'plain' authentication"), named('initiating session'));
  },
});

export interface FastContendersGateway extends ContendersGateway {
  /** Of its process. */
  readonly pid: number;
}

/**
 * One that is not the bottleneck, in the place of the laboratory's, which must not run; until the laboratory's end.
 * Throws if its data path cannot do all that ours does at its best.
 */
export async function fastGatewayOf({
  gateway,
  gatewayMachine,
  directory,
}: Lab): Promise<FastContendersGateway> {
  const fast = await startFastGateway(gatewayMachine, directory, gateway);
  for (const step of ['cipher step tls', 'offload of TCP and UDP'])
    await eventually(`it runs with ${step}`, () => fast.log().includes(step) || undefined);
  const named = (event: string) =>
    [...fast.log().matchAll(new RegExp(`session (\\d+) ${event}`, 'g'))].map(([, session]) => session);
  return {
    ...gateway,
    addUser: (name, password) => fast.addUser(name, password),
    pid: fast.pid,
    waitingSessions: async () => countWaiting(named('signed in'), named('connected')),
  };
}

function countWaiting(begun: readonly (string | undefined)[], connected: readonly (string | undefined)[]) {
  const used = new Set(connected);
  return begun.filter((session) => !used.has(session)).length;
}
