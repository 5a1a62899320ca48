import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { gatewaySession, type ConnectRequest, type GatewaySession } from '#shared/helper/protocol.ts';
import type { Gateway } from '../../lab/gateway.ts';
import { createLab, type Lab, type LabOptions } from '../../lab/lab.ts';
import { endProcess, eventually } from '../../lab/process.ts';
import { attach, type TestClient } from './test-client.ts';

const credentials = { username: 'a2f1c7d0-device', password: 'token' };
const entry = path.resolve(import.meta.dirname, '../../../helper/index.ts');

export interface HelperLab extends AsyncDisposable {
  readonly lab: Lab;
  readonly socket: string;
  readonly stateDirectory: string;
  /** Pid of the helper that was started last. */
  pid(): number;
  /** What all helpers have logged so far. */
  log(): string;
  /** Starts one, from source if no `script` is given; `under` is a command that runs it, e.g. with less rights. */
  start(options?: { args?: string[]; script?: string; under?: string[] }): Promise<void>;
  /** Ends the helper with a signal and waits until it is gone. */
  end(signal: NodeJS.Signals): Promise<void>;
  attach(): Promise<TestClient>;
  /** Signs in to a gateway of the laboratory. */
  signIn(gateway?: Gateway): Promise<GatewaySession>;
  /** A request for the laboratory's gateway, global and without the kill switch. */
  request(changes?: Partial<ConnectRequest>): ConnectRequest;
  /** Pids of the engines that run on the user's machine. */
  engines(): Promise<number[]>;
  /** Pids of the proxies that run on the user's machine. */
  proxies(): Promise<number[]>;
}

/** A laboratory with a helper that runs on the user's machine. */
export async function createHelperLab(options?: LabOptions): Promise<HelperLab> {
  const lab = await createLab(options);
  const [socket, stateDirectory] = [
    path.join(lab.directory, 'helper.sock'),
    path.join(lab.directory, 'state'),
  ];
  const clients: TestClient[] = [];
  const output: string[] = [];
  let child: Awaited<ReturnType<Lab['user']['spawnUntil']>> | undefined;
  await Promise.all(
    [lab.gateway, lab.untrustedGateway].map((gateway) =>
      gateway.addUser(credentials.username, credentials.password),
    ),
  );
  /** Pids in the user machine's namespace: there may be other laboratories. */
  async function processes(...selected: string[]): Promise<number[]> {
    const inside = ['sh', '-c', 'exec pgrep --ns $$ --nslist net "$@"', 'pgrep', ...selected];
    const { stdout } = await lab.user.exec(inside);
    return stdout.split('\n').filter(Boolean).map(Number);
  }
  return {
    lab,
    socket,
    stateDirectory,
    pid() {
      if (child?.pid === undefined) throw new Error('no helper was started');
      return child.pid;
    },
    log: () => output.join(''),
    async start({ args = [], script = entry, under = [] } = {}) {
      child = await lab.user.spawnUntil(
        [...under, process.execPath, script, '--socket', socket, '--state-dir', stateDirectory, ...args],
        /"listening"/,
      );
      child.stderr?.on('data', (chunk: Buffer) => output.push(chunk.toString()));
    },
    async end(signal) {
      if (child) await endProcess(child, signal);
    },
    async attach() {
      const client = await attach(socket);
      clients.push(client);
      return client;
    },
    async signIn(gateway = lab.gateway) {
      const script = path.join(import.meta.dirname, 'sign-in-process.ts');
      const { username, password } = credentials;
      const words = [gateway.name, gateway.address.ipv4, String(gateway.port), username, password];
      return gatewaySession.parse(JSON.parse(await lab.user.run([process.execPath, script, ...words])));
    },
    request: (changes) => ({
      gateway: { host: lab.gateway.name, port: lab.gateway.port },
      address: lab.gateway.address.ipv4,
      routing: { mode: 'global', localNetwork: false },
      killSwitch: false,
      ...changes,
    }),
    engines: () => processes('-x', 'openconnect'),
    proxies: () => processes('--uid', 'waymaker-proxy'),
    async [Symbol.asyncDispose]() {
      for (const client of clients) client[Symbol.dispose]();
      await lab[Symbol.asyncDispose]();
    },
  };
}

/** Waits until the engines on the user's machine are others than `before`, and at least one. */
export async function anotherEngine(net: HelperLab, before: readonly number[]): Promise<number[]> {
  return eventually('another engine runs', async () => {
    const now = await net.engines();
    return now.length > 0 && !now.some((pid) => before.includes(pid)) ? now : undefined;
  });
}

/** Children of a process, at present. */
export async function childrenOf(pid: number): Promise<string> {
  return (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim();
}
