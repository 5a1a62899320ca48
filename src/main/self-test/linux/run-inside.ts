import { spawnSync } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { openControlConnection, type ControlConnection } from '../../control/control-connection.ts';
import { controlPlace } from '../../control/control-place.ts';
import { addresses, names } from '../addresses.ts';
import type { ServiceFacts } from '../service.ts';
import {
  checkNames,
  type CheckName,
  type Engine,
  type InsideTask,
  type Message,
  type Obstacle,
  type Verdict,
} from '../verdict.ts';
import { newToken, NotChecked, type Bench, type Check } from '../checks/bench.ts';
import { end, places, startCore, startHelper, type Running } from '../product/children.ts';
import { leakChecks, takeControls } from '../checks/controls.ts';
import { killChecks } from '../checks/kill-checks.ts';
import { modeChecks } from '../checks/mode-checks.ts';
import { makePrivateSystem, uidOf } from './private-system.ts';
import { askByTcp } from '../checks/probes.ts';
import { differences, takeSnapshot, type Snapshot } from './snapshot.ts';
import { connectCheck, namesCheck, versionCheck } from '../checks/traffic-checks.ts';
import { watchUplink, type UplinkWatch } from '../checks/uplink-watch.ts';
import { createWorld, type World } from './world.ts';

/** Why it cannot go on. */
class Stopped extends Error {
  readonly obstacle: Obstacle;

  constructor(obstacle: Obstacle, detail: string) {
    super(detail);
    this.obstacle = obstacle;
  }
}

/** How long all of it may take, in milliseconds: what is left then is not checked. */
const limitMs = 105_000;
const attachMs = 15_000;
const disconnectMs = 15_000;

/** The checks that are made with the second engine: what does not depend on it has been seen. */
const ofEveryEngine: ReadonlySet<CheckName> = new Set([
  'tunnel',
  'ipv4',
  'ipv6',
  'names',
  'plain',
  'engine-killed',
  'restored',
]);

/**
 * The part of a self-test that runs as root in namespaces of its own, as the first process of one: makes a small internet
 * around this network, runs the product in it and looks at it. Tells what it finds by `tell`.
 */
export async function runInside(task: InsideTask, tell: (message: Message) => void): Promise<void> {
  const [helperLog, coreLog]: [string[], string[]] = [[], []];
  const closing: (() => Promise<void> | void)[] = [];
  const facts: Record<string, string> = {};
  try {
    await run(task, { tell, helperLog, coreLog, facts, onClose: (close) => closing.push(close) });
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    const obstacle = error instanceof Stopped ? error.obstacle : 'broken';
    tell({ kind: 'obstacle', obstacle, detail });
  }
  for (const close of closing.toReversed()) await close();
  tell({ kind: 'end', facts, coreLog, helperLog });
}

interface Surroundings {
  tell: (message: Message) => void;
  helperLog: string[];
  coreLog: string[];
  facts: Record<string, string>;
  onClose: (close: () => Promise<void> | void) => void;
}

async function run(
  task: InsideTask,
  { tell, helperLog, coreLog, facts, onClose }: Surroundings,
): Promise<void> {
  const deadline = performance.now() + limitMs;
  attempt('no-namespaces', () => makePrivateSystem([task.helper, task.commandLine, process.execPath]));
  expectPacketFilter();
  const credentials = { username: 'self-test', password: randomBytes(12).toString('hex') };
  const account: Omit<ServiceFacts, 'gateway'> = {
    email: 'self-test@self-test.test',
    code: String(randomInt(100_000, 1_000_000)),
    token: randomBytes(24).toString('hex'),
    routeDomains: [names.where],
  };
  const world = await createWorld({ credentials, service: account }).catch((error: unknown) => {
    throw new Stopped('no-namespaces', error instanceof Error ? error.message : String(error));
  });
  onClose(() => world.close());
  writeFileSync(places.authority, world.authority);
  const wire = openWatch(world, facts);
  if (wire) onClose(() => wire.watch.close());
  facts['IPv6'] = String(world.hasIpv6);
  tell({ kind: 'ready' });

  const initial = takeSnapshot();
  const installed: Engine[] = isInstalled('openconnect') ? ['openconnect', 'own'] : ['own'];
  const engines = task.engine === undefined ? installed : [task.engine];
  facts['engines'] = engines.join(', ');
  const env = environment();
  const core = await startCore({ commandLine: task.commandLine, env, lines: coreLog }).catch(
    (error: unknown) => {
      throw new Stopped('broken', `the core: ${String(error)}`);
    },
  );
  onClose(() => end(core, 'SIGKILL'));
  const connection = await reach(env, task.version);
  onClose(() => connection.close());

  let helper: Running | undefined;
  onClose(async () => {
    if (helper) await end(helper, 'SIGKILL');
  });
  const follow = followState(connection);
  const { client } = connection;
  const bench: Bench = {
    world,
    client,
    ...follow,
    deadline,
    controls: new Map(),
    observe: observeBy(wire?.watch),
  };
  if (wire) await takeControls(bench, wire.far);

  let address: string | undefined;
  for (const [index, engine] of engines.entries()) {
    const start = async () => {
      helper = await startHelper({
        program: task.helper,
        engine,
        controlGroup: task.controlGroup,
        env,
        lines: helperLog,
      }).catch((error: unknown) => {
        throw new Stopped('no-helper', String(error));
      });
    };
    await start();
    const isAttached = ({ state }: TunnelState) => state !== 'invalid';
    if (!(await bench.until(isAttached, attachMs)))
      throw new Stopped('no-helper', `the helper cannot be used: ${JSON.stringify(bench.state())}`);
    address ??= await signIn(connection, account);
    await client.preferences.set({ routing: 'global', localNetwork: false, killSwitch: true });
    const checks: Partial<Record<CheckName, Check>> = {
      tunnel: connectCheck(bench, address),
      ipv4: versionCheck(bench, 'ipv4'),
      ipv6: versionCheck(bench, 'ipv6'),
      names: namesCheck(bench),
      ...leakChecks(bench, wire?.far),
      ...killChecks(bench, {
        engineUid: uidOf('waymaker-engine'),
        async killHelper() {
          if (helper) await end(helper, 'SIGKILL');
        },
        startHelper: start,
      }),
      ...modeChecks(bench),
      restored: restoredCheck(bench, initial, async () => {
        if (helper) await end(helper, 'SIGTERM');
      }),
    };
    await runChecks(checks, { engine, bench, tell, isFirst: index === 0 });
  }
}

async function runChecks(
  checks: Partial<Record<CheckName, Check>>,
  {
    engine,
    bench,
    tell,
    isFirst,
  }: { engine: Engine; bench: Bench; tell: Surroundings['tell']; isFirst: boolean },
): Promise<void> {
  for (const name of checkNames) {
    const check = checks[name];
    if (!check || (!isFirst && !ofEveryEngine.has(name))) continue;
    const began = performance.now();
    const outcome = await outcomeOf(name, check, bench);
    const milliseconds = Math.round(performance.now() - began);
    const { observers } = check;
    tell({
      kind: 'verdict',
      verdict: { check: name, engine, observers: [...observers], milliseconds, ...outcome },
    });
  }
}

async function outcomeOf(
  name: CheckName,
  check: Check,
  bench: Bench,
): Promise<Pick<Verdict, 'outcome' | 'why' | 'details'>> {
  const notChecked = (why: NotChecked['why'], details: readonly string[] = []) =>
    ({ outcome: 'not-checked', why, details: [...details] }) satisfies Pick<
      Verdict,
      'outcome' | 'why' | 'details'
    >;
  const needsTunnel = name !== 'tunnel' && name !== 'restored';
  // A tunnel that is lost by one check is the next one's, too, if it comes back.
  if (needsTunnel && !(await bench.until(({ state }) => state === 'connected', 1_000)))
    return notChecked('no-tunnel', [JSON.stringify(bench.state())]);
  if (name !== 'restored' && performance.now() > bench.deadline) return notChecked('no-time');
  try {
    const details = await check.run();
    return { outcome: details.length === 0 ? 'passed' : 'failed', details };
  } catch (error) {
    if (error instanceof NotChecked) return notChecked(error.why, error.details);
    if (error instanceof Stopped) throw error;
    return { outcome: 'failed', details: [error instanceof Error ? error.message : String(error)] };
  }
}

/** A disconnect leaves nothing, and neither does the end of the helper. */
function restoredCheck(bench: Bench, initial: Snapshot, endHelper: () => Promise<void>): Check {
  return {
    observers: ['system', 'uplink'],
    async run() {
      const { client } = bench;
      await client.preferences.set({ killSwitch: false });
      await client.tunnel.disconnect();
      const isDone = await bench.until(({ state }) => state === 'disconnected', disconnectMs);
      const problems = isDone ? [] : [`not disconnected: ${JSON.stringify(bench.state())}`];
      const changed = () => differences(initial, takeSnapshot());
      for (let tries = 0; tries < 20 && changed().length > 0; tries += 1) await delay(100);
      problems.push(...changed());
      const token = newToken();
      const frames = await bench.observe(async () => {
        const answer = await askByTcp(addresses.host.ipv4, token);
        if (answer?.place !== 'outside')
          problems.push(`afterwards, a host was reached ${answer?.place ?? 'by no way'}`);
      });
      if (!frames.some(({ packet }) => packet?.payload.includes(token)))
        problems.push('afterwards, nothing was seen on the uplink');
      await endHelper();
      return [...problems, ...changed().map((difference) => `after the helper’s end: ${difference}`)];
    },
  };
}

function openWatch(world: World, facts: Record<string, string>) {
  try {
    const { near, far } = world.openWire();
    const watch = watchUplink({ near, far, from: world.hardware.uplink });
    return { watch, far };
  } catch (error) {
    facts['observer'] = error instanceof Error ? error.message : String(error);
    return undefined;
  }
}

const observeBy =
  (watch: UplinkWatch | undefined): Bench['observe'] =>
  async (action) => {
    if (!watch) throw new NotChecked('no-observer');
    await watch.sent();
    await action();
    const { frames, complete } = await watch.sent();
    if (!complete) throw new NotChecked('no-observer', ['some frames may not have been seen']);
    return frames;
  };

function followState({ client, closed }: ControlConnection): Pick<Bench, 'state' | 'until'> {
  let current: TunnelState = { state: 'invalid', cause: 'helper-absent' };
  const waiting = new Set<() => void>();
  const learn = (state: TunnelState) => {
    current = state;
    for (const look of waiting) look();
  };
  client.tunnel.stateChanged(learn);
  void client.tunnel.snapshot().then(learn, () => undefined);
  return {
    state: () => current,
    until: (is, limit) =>
      new Promise((resolve) => {
        const settle = (isSo: boolean) => {
          clearTimeout(timer);
          waiting.delete(look);
          resolve(isSo);
        };
        const look = () => {
          if (is(current)) settle(true);
        };
        const timer = setTimeout(settle, limit, false);
        waiting.add(look);
        void closed.then(() => settle(false));
        look();
      }),
  };
}

async function reach(env: NodeJS.ProcessEnv, version: string): Promise<ControlConnection> {
  const { socketPath } = controlPlace(places.profile, { env, platform: process.platform });
  const connection = await openControlConnection({
    socketPath,
    client: { name: 'waymaker-self-test', version },
  });
  if (typeof connection === 'string') throw new Stopped('broken', `the core is ${connection}`);
  return connection;
}

/** Signs in as somebody does who reads the code in a mail; resolves with the only server's address. */
async function signIn(
  { client }: ControlConnection,
  account: Omit<ServiceFacts, 'gateway'>,
): Promise<string> {
  const asked = await client.session.requestCode({ email: account.email });
  if (!asked.ok) throw new Stopped('no-sign-in', JSON.stringify(asked.failure));
  const { authId } = asked.data;
  const signedIn = await client.session.verifyCode({ authId, authCode: account.code });
  if (!signedIn.ok) throw new Stopped('no-sign-in', JSON.stringify(signedIn.failure));
  const [server] = (await client.servers.list()) ?? [];
  if (!server) throw new Stopped('no-sign-in', 'there is no server');
  return server.address;
}

/** Nothing of the person's own session: no bus, no keychain, no proxy, and names of folders that are ours. */
const environment = (): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  LANG: 'C.UTF-8',
  HOME: places.home,
  TMPDIR: places.temporary,
  WAYMAKER_USER_DATA: places.profile,
  WAYMAKER_API_URL: `http://${names.service}`,
  WAYMAKER_HELPER_SOCKET: places.socket,
  NODE_EXTRA_CA_CERTS: places.authority,
  ...(process.env['NODE_COMPILE_CACHE'] !== undefined && {
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
  }),
});

function attempt(obstacle: Obstacle, action: () => void): void {
  try {
    action();
  } catch (error) {
    throw new Stopped(obstacle, error instanceof Error ? error.message : String(error));
  }
}

/** Some kernels are without it, or have it in a module that is not installed. */
function expectPacketFilter(): void {
  const table = 'inet waymaker_self_test';
  const { status, stderr, error } = spawnSync('nft', ['-f', '-'], {
    input: `table ${table} { chain output { type filter hook output priority 0; }; }\ndelete table ${table}\n`,
    encoding: 'utf8',
  });
  // A program that ends before it has read everything is an error of its own, but what it says is the reason.
  if (status !== 0)
    throw new Stopped('no-packet-filter', status === null ? String(error?.message) : stderr.trim());
}

function isInstalled(program: string): boolean {
  const { error } = spawnSync(program, ['--version'], { stdio: 'ignore' });
  return error === undefined;
}
