import type { TunnelState } from '#shared/tunnel/state.ts';
import type { ControlConnection } from '../../control/control-connection.ts';
import { observeBy, type Bench } from '../checks/bench.ts';
import { leakChecks, takeControls } from '../checks/controls.ts';
import { killChecks } from '../checks/kill-checks.ts';
import { modeChecks } from '../checks/mode-checks.ts';
import { initialSnapshot, restoredCheck } from '../checks/restored-check.ts';
import { runChecks } from '../checks/run-checks.ts';
import type { Surroundings } from '../checks/surroundings.ts';
import { connectCheck, namesCheck, versionCheck } from '../checks/traffic-checks.ts';
import type { ServiceFacts } from '../service.ts';
import { orStop, Stopped } from '../stopped.ts';
import type { Engine } from '../verdict.ts';
import type { Message } from '../messages.ts';
import { followState, reachCore, signIn } from './core.ts';
import { end, startCore, type Running } from './children.ts';

const attachMs = 15_000;

export interface ProductOptions {
  around: Surroundings;
  account: Pick<ServiceFacts, 'email' | 'code'>;
  /** Of the core. */
  commandLine: string;
  profile: string;
  version: string;
  env: NodeJS.ProcessEnv;
  /** One after the other. */
  engines: readonly Engine[];
  startHelper(engine: Engine): Promise<Running>;
  /** Something runs that has to end with the self-test. */
  onStart?(started: Running): void;
  /** Gets the way to ask for the tunnel's state. */
  onState?(state: () => TunnelState): void;
  coreLog: string[];
  /** Until when it may take, by `performance.now()`. */
  deadline: number;
  tell: (message: Message) => void;
  onClose: (close: () => Promise<void> | void) => void;
}

/**
 * Runs the core and the helper, with each engine, and makes all checks. What it has started is ended by `onClose`.
 * Throws `Stopped` if it cannot go on.
 */
export async function runWithProduct(options: ProductOptions): Promise<void> {
  const { around, env, tell, onClose } = options;
  const initial = await initialSnapshot(around.computer);
  const core = await orStop('broken', () =>
    startCore({ commandLine: options.commandLine, env, lines: options.coreLog }),
  );
  options.onStart?.(core);
  onClose(() => end(core, 'SIGTERM'));
  const connection = await reachCore(options.profile, env, options.version);
  onClose(() => connection.close());

  let helper: Running | undefined;
  onClose(async () => {
    if (helper) await end(helper, 'SIGKILL');
  });
  const bench: Bench = {
    around,
    client: connection.client,
    ...followState(connection),
    deadline: options.deadline,
    controls: new Map(),
    observe: observeBy(around.watch),
  };
  options.onState?.(() => bench.state());
  await takeControls(bench);

  let address: string | undefined;
  for (const [index, engine] of options.engines.entries()) {
    const start = async () => {
      helper = await orStop('no-helper', () => options.startHelper(engine));
      options.onStart?.(helper);
    };
    await start();
    address ??= await prepare(bench, connection, options.account);
    if (index > 0) await expectAttached(bench);
    await connection.client.preferences.set({ routing: 'global', localNetwork: false, killSwitch: true });
    await runChecks(
      {
        tunnel: connectCheck(bench, address),
        ipv4: versionCheck(bench, 'ipv4'),
        ipv6: versionCheck(bench, 'ipv6'),
        names: namesCheck(bench),
        ...leakChecks(bench),
        ...killChecks(bench, {
          async killHelper() {
            if (helper) await end(helper, 'SIGKILL');
          },
          startHelper: start,
        }),
        ...modeChecks(bench),
        restored: restoredCheck(bench, initial, async () => {
          if (helper) await end(helper, 'SIGTERM');
        }),
      },
      { engine, bench, tell, isFirst: index === 0 },
    );
  }
}

async function expectAttached(bench: Bench): Promise<void> {
  const isAttached = ({ state }: TunnelState) => state !== 'invalid';
  if (!(await bench.until(isAttached, attachMs)))
    throw new Stopped('no-helper', `the helper cannot be used: ${JSON.stringify(bench.state())}`);
}

async function prepare(
  bench: Bench,
  connection: ControlConnection,
  account: ProductOptions['account'],
): Promise<string> {
  await expectAttached(bench);
  const address = await signIn(connection, account);
  // Has the lists brought that automatic routing needs, as long as the service can be reached for sure.
  await connection.client.preferences.set({ routing: 'automatic' });
  return address;
}
