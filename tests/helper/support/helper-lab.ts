import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hasErrorCode } from '#node/os/error-code.ts';
import type { ConnectRequest, EngineKind } from '#shared/helper/protocol.ts';
import type { GatewaySession } from '#shared/helper/gateway-session.ts';
import { controlGroupOf } from '../../lab/machine/control-groups.ts';
import type { Gateway } from '../../lab/gateway/gateway.ts';
import { processesBeside, uidOn, type RunningProcess } from '../../lab/machine/processes.ts';
import { takeLab } from '../../lab/kept-labs.ts';
import type { Lab, LabOptions } from '../../lab/lab.ts';
import { endProcess, eventually, outputOf } from '../../lab/runs/process.ts';
import { programFile } from '../../lab/runs/programs.ts';
import { currentTestFile } from '../../lab/runs/test-file.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { attach, type TestClient } from './callers/test-client.ts';
import { usualEngine } from './engines.ts';
import { signInFrom } from './sign-in/sign-in.ts';
import type { SignInOrder } from './sign-in/sign-in-process.ts';

const credentials = { username: 'a2f1c7d0-device', password: 'token' };

export interface HelperLab extends AsyncDisposable {
  readonly lab: Lab;
  /** The user machine's network before anything was done to it. */
  readonly initialSnapshot: string;
  readonly socket: string;
  readonly stateDirectory: string;
  /** Pid of the helper that was started last. */
  pid(): number;
  /** What the helper that was started last has logged so far, or since that was forgotten. */
  log(): string;
  forgetLog(): void;
  /** Whether it runs, and was started as the product is, without anything else. */
  isUsual(): boolean;
  /** Starts one, of the file `script` if given; `under` is a command that runs it, e.g. with less rights. */
  start(options?: { args?: string[]; script?: string; under?: string[] }): Promise<void>;
  /** Ends the helper with a signal and waits until it is gone. */
  end(signal: NodeJS.Signals): Promise<void>;
  attach(): Promise<TestClient>;
  /** Has whatever tunnel there is ended, by a client that goes again. */
  disconnect(): Promise<void>;
  /** Lets all clients go that were attached so far. */
  letClientsGo(): void;
  /** What carries the tunnel's packets. */
  readonly engine: EngineKind;
  /** The name of the user who signs in. */
  readonly username: string;
  readonly password: string;
  /** Signs in to a gateway of the laboratory; `identityFile`: with the client certificate in this file, JSON. */
  signIn(gateway?: Gateway, way?: SignInWay): Promise<GatewaySession>;
  /** A request for the laboratory's gateway, global and without the kill switch. */
  request(changes?: Partial<ConnectRequest>): ConnectRequest;
  /** Attaches a client that signs in and connects, and waits for the tunnel. */
  connect(changes?: Partial<ConnectRequest>): Promise<TestClient>;
  /** Pids of the engines that run on the user's machine. */
  engines(): Promise<number[]>;
  /** Kills these, or all of them; one may have ended by itself meanwhile, as with a gateway that is gone. */
  killEngines(pids?: readonly number[]): Promise<void>;
  /** Pids of the proxies that run on the user's machine. */
  proxies(): Promise<number[]>;
}

/** What differs from a sign-in with a name and a password, at the gateway's own address. */
type SignInWay = Partial<Pick<SignInOrder, 'identityFile' | 'proxy' | 'address' | 'knowsPath'>>;

export interface HelperLabOptions extends LabOptions {
  /** What carries the tunnel's packets; if absent, see `usualEngine`. */
  engine?: EngineKind;
}

/** A laboratory with a helper that runs on the user's machine. */
export async function createHelperLab(options: HelperLabOptions = {}): Promise<HelperLab> {
  const { engine = usualEngine(currentTestFile()), ...labOptions } = options;
  const lab = await takeLab(labOptions);
  const [socket, stateDirectory] = [
    path.join(lab.directory, 'helper.sock'),
    path.join(lab.directory, 'state'),
  ];
  const clients: TestClient[] = [];
  let output: string[] = [];
  let child: Awaited<ReturnType<Lab['user']['spawnUntil']>> | undefined;
  let isStartedAsUsual = false;
  const [initialSnapshot] = await Promise.all([
    lab.user.snapshot(),
    ...[lab.gateway, lab.untrustedGateway].map((gateway) =>
      gateway.addUser(credentials.username, credentials.password),
    ),
  ]);
  /** Pids in the user machine's namespace: there may be other laboratories. */
  const processes = (is: (running: RunningProcess) => boolean) =>
    Promise.resolve(
      processesBeside(lab.user.pid)
        .filter(is)
        .map(({ pid }) => pid),
    );
  async function attachClient(): Promise<TestClient> {
    const client = await attach(socket);
    clients.push(client);
    return client;
  }

  function letClientsGo(): void {
    for (const client of clients.splice(0)) client[Symbol.dispose]();
  }

  function signIn(
    gateway = lab.gateway,
    { address = gateway.address.ipv4, ...way }: SignInWay = {},
  ): Promise<GatewaySession> {
    return signInFrom({
      ...way,
      namespace: lab.user.namespace,
      gateway: { host: gateway.name, port: gateway.port },
      address,
      credentials,
      helper: socket,
    });
  }

  /** Whether the helper has put the network back. */
  async function disconnected(): Promise<boolean> {
    if (child === undefined) return true;
    if (child.exitCode !== null || child.signalCode !== null) return false;
    using client = await attach(socket);
    return (await isDisconnected(client)) && (await lab.user.snapshot()) === initialSnapshot;
  }

  async function restored(): Promise<void> {
    if (child) await endProcess(child, 'SIGKILL');
    if ((await lab.user.snapshot()) === initialSnapshot) return;
    const argv = [
      programFile('helper/index.ts'),
      '--restore',
      '--socket',
      socket,
      '--state-dir',
      stateDirectory,
    ];
    await lab.user.exec([process.execPath, ...argv, '--control-group', controlGroupOf(lab.user)]);
  }

  const request: HelperLab['request'] = (changes) => ({
    gateway: { host: lab.gateway.name, port: lab.gateway.port },
    address: lab.gateway.address.ipv4,
    routing: { mode: 'global', localNetwork: false },
    killSwitch: false,
    ...changes,
  });

  const engines = () => processes(({ name }) => name === 'openconnect' || name === 'waymaker-engine');

  return {
    lab,
    initialSnapshot,
    socket,
    stateDirectory,
    engine,
    ...credentials,
    pid() {
      if (child?.pid === undefined) throw new Error('no helper was started');
      return child.pid;
    },
    log: () => output.join(''),
    forgetLog: () => output.splice(0),
    isUsual: () => isStartedAsUsual && child?.exitCode === null && child.signalCode === null,
    async start(changes = {}) {
      const { args = [], script = programFile('helper/index.ts'), under = [] } = changes;
      isStartedAsUsual = Object.keys(changes).length === 0;
      const own = ['--socket', socket, '--state-dir', stateDirectory, '--engine', engine];
      child = await lab.user.spawnUntil(
        [...under, process.execPath, script, ...own, '--control-group', controlGroupOf(lab.user), ...args],
        /"listening"/,
      );
      // What has come in one piece with that.
      const lines = [/"listening".*\n([^]*)$/.exec(outputOf(child))?.[1] ?? ''];
      output = lines;
      child.stderr?.on('data', (chunk: Buffer) => lines.push(chunk.toString()));
    },
    async end(signal) {
      if (child) await endProcess(child, signal);
    },
    attach: attachClient,
    async disconnect() {
      const client = await attachClient();
      await client.call('disconnect', {});
      client[Symbol.dispose]();
    },
    letClientsGo,
    signIn,
    request,
    async connect(changes) {
      const client = await attachClient();
      await client.call('connect', request({ session: await signIn(), ...changes }));
      await client.until('connected');
      return client;
    },
    engines,
    async killEngines(pids) {
      for (const pid of pids ?? (await engines())) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch (error) {
          if (!hasErrorCode(error, 'ESRCH')) throw error;
        }
      }
    },
    proxies: () => processes(({ uid }) => uid === uidOn(lab.user.pid, 'waymaker-proxy')),
    async [Symbol.asyncDispose]() {
      letClientsGo();
      // The next test that takes the laboratory finds it as it was.
      if (!(await disconnected().catch(() => false))) await restored();
      await lab[Symbol.asyncDispose]();
    },
  };
}

/** Disconnects for what comes next; false if a helper that a test has left in a bad state does not answer. */
export async function isDisconnected(client: TestClient): Promise<boolean> {
  const silence = delay(waitLimit(15_000), false, { ref: false });
  return await Promise.race([client.call('disconnect', {}).then(() => true), silence]);
}

/** Waits until the engines on the user's machine are others than `before`, and at least one. */
export async function anotherEngine(net: HelperLab, before: readonly number[]): Promise<number[]> {
  return eventually('another engine runs', async () => {
    const now = await net.engines();
    return now.length > 0 && !now.some((pid) => before.includes(pid)) ? now : undefined;
  });
}

/** Kills the engine of a client's tunnel, and waits until the tunnel is up again with another one. */
export async function replaceEngine(net: HelperLab, client: TestClient): Promise<void> {
  const engines = await net.engines();
  const seen = client.states.length;
  await net.killEngines(engines);
  await client.until('connected', { seen, after: 'connecting' });
  await anotherEngine(net, engines);
}

/** Waits until no proxy runs on the user's machine. */
export async function proxyGone(net: HelperLab): Promise<void> {
  await eventually('the proxy is gone', async () => (await net.proxies()).length === 0 || undefined);
}

/** Children of a process, at present. */
export async function childrenOf(pid: number): Promise<string> {
  return (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim();
}
