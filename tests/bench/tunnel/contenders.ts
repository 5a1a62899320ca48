import { fork, type ChildProcess } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { serverAddress } from '#shared/tunnel/address.ts';
import { connectPath } from '../../../src/main/page/page-address.ts';
import { builtRenderer } from '../../e2e/support/host/paths.ts';
import { names } from '../../lab/network/addresses.ts';
import { startHelperProcess } from '../../lab/runs/helper-process.ts';
import type { Lab } from '../../lab/lab.ts';
import { signIn, startOpenconnect, type Credentials } from '../../lab/gateway/openconnect.ts';
import { endProcess, eventually, words } from '../../lab/runs/process.ts';
import type { AppArguments, AppCommand, AppReport } from './app-process.ts';
import { ocservOf } from './gateways.ts';
import { now } from './watch.ts';

/** Somebody who makes a tunnel to the laboratory's gateway. Times are milliseconds since the epoch. */
export interface Contender {
  /** Does what its user did some time before wanting to connect. */
  prepare(): Promise<void>;
  /** Resolves to the time of the click, without waiting for the tunnel. */
  click(): Promise<number>;
  /** Resolves when the tunnel is up. */
  connected(): Promise<void>;
  /** Resolves to the time at which it was told to disconnect, without waiting for the end. */
  disconnect(): Promise<number>;
  /** Resolves when it says that the tunnel is gone. */
  disconnected(): Promise<void>;
}

export interface Ours extends Contender {
  /** The same app, whose window is hidden until the click, so that no connection is held ready for it. */
  readonly cold: Contender;
  /** Process id of the helper. */
  readonly helper: number;
  /** Ends the app and the helper. */
  end(): Promise<void>;
}

export interface Peer extends Contender {
  /** Process id of openconnect while it runs. */
  process(): number;
}

export interface Contenders {
  readonly ours: Ours;
  readonly peer: Peer;
  /** One that has signed in when its user clicks, as ours has. */
  readonly peerWithCookie: Peer;
}

export async function createContenders(lab: Lab): Promise<Contenders> {
  return {
    ours: await createOurs(lab),
    peer: await createPeer(lab),
    peerWithCookie: await createPeer(lab, { signsInAhead: true }),
  };
}

/** Debian's openconnect with its stock script; its user's click is starting it, with name and password or a cookie. */
export async function createPeer(
  lab: Lab,
  { signsInAhead = false, gateway = ocservOf(lab) } = {},
): Promise<Peer> {
  const user = { name: signsInAhead ? 'ready-peer' : 'peer', password: randomBytes(16).toString('hex') };
  await gateway.addUser(user.name, user.password);
  let credentials: Credentials = user;
  let starting: Promise<ChildProcess> | undefined;
  let running: ChildProcess | undefined;
  let ending: Promise<void> = Promise.resolve();
  return {
    async prepare() {
      if (signsInAhead) credentials = await signIn(lab.user, gateway, user);
    },
    async click() {
      const at = now();
      starting = startOpenconnect(lab.user, gateway, credentials);
      return at;
    },
    async connected() {
      running = await starting;
    },
    async disconnect() {
      const at = now();
      if (running) ending = endProcess(running, 'SIGINT');
      return at;
    },
    disconnected: () => ending,
    process: () => running?.pid ?? 0,
  };
}

/** As it is installed: one bundled file. */
const builtHelper = path.join(path.dirname(builtRenderer), 'helper/helper.mjs');

/** The app's main process and the helper, with the usual engine, on the user's machine. */
export async function createOurs(lab: Lab, gateway = ocservOf(lab)): Promise<Ours> {
  const user = { deviceId: randomUUID(), token: randomBytes(16).toString('hex') };
  await gateway.addUser(user.deviceId, user.token);
  const helper = await startHelperProcess(lab.user, path.join(lab.directory, 'helper'), builtHelper);
  const settings: AppArguments = { ...user, helperSocket: helper.socket };
  const app = await startApp(lab, settings);
  const address = serverAddress({ protocol: 'anyconnect', domain: names.gateway, port: gateway.port });
  const connectionsTo = `ss -Htn state established dst ${gateway.address.ipv4}`;
  let isHeld = false;
  helper.process.stderr?.on('data', (chunk: Buffer) => {
    for (const line of chunk.toString().split('\n')) {
      if (line.includes('TLS is held ready')) isHeld = true;
      if (line.includes('asking for a tunnel') || line.includes('nothing is held')) isHeld = false;
    }
  });
  let state = 'disconnected';
  let asked = (_at: number) => {};
  app.on('message', (report: AppReport) => {
    if (report.report === 'state') ({ state } = report.state);
    if (report.report === 'asked') asked(report.at);
  });

  function ask(command: AppCommand): Promise<number> {
    return new Promise((resolve, reject) => {
      asked = resolve;
      app.send(command, (error) => error && reject(error));
    });
  }
  /**
   * Resolves once a session is prepared and nothing else is in progress; if the window is visible, also once a
   * connection is held ready.
   */
  async function prepareWith(page: string | undefined): Promise<void> {
    await ask({ do: 'look', page });
    await ask({ do: 'choose' });
    await eventually('a session is prepared', async () => {
      const isWaiting = (await gateway.waitingSessions()) > 0;
      const open = (await lab.user.run(words(connectionsTo))).split('\n').filter(Boolean).length;
      const isReady = page === undefined ? open === 0 : open === 1 && isHeld;
      return (isWaiting && isReady) || undefined;
    });
  }

  const contender = (page: string | undefined): Contender => ({
    prepare: () => prepareWith(page),
    click: () => ask({ do: 'connect', address }),
    async connected() {
      await eventually('the app is connected', () => state === 'connected' || undefined);
    },
    disconnect: () => ask({ do: 'disconnect' }),
    async disconnected() {
      await eventually('the app is disconnected', () => state === 'disconnected' || undefined);
    },
  });
  return {
    ...contender(connectPath),
    cold: contender(undefined),
    helper: helper.process.pid ?? 0,
    async end() {
      await endProcess(app, 'SIGKILL');
      await endProcess(helper.process);
    },
  };
}

/** A tunnel that carries traffic. */
export async function connect(lab: Lab, contender: Contender): Promise<void> {
  await contender.prepare();
  await contender.click();
  await contender.connected();
  const seen = await lab.user.probe.http4('connected');
  if (seen?.address !== lab.gateway.address.ipv4) throw new Error(`not through the tunnel: ${seen?.address}`);
}

/** Ends the tunnel, and waits until the user's machine is as it was `before`. */
export async function disconnect(lab: Lab, contender: Contender, before: string): Promise<void> {
  await contender.disconnect();
  await contender.disconnected();
  await eventually(
    'the machine is as before',
    async () => (await lab.user.snapshot()) === before || undefined,
  );
}

async function startApp(lab: Lab, settings: AppArguments): Promise<ChildProcess> {
  const script = path.join(import.meta.dirname, 'app-process.ts');
  const [file, args] = lab.user.command([process.execPath, script, JSON.stringify(settings)]);
  const app = fork(args[0] ?? '', args.slice(1), {
    execPath: file,
    execArgv: [],
    env: { ...process.env, NODE_EXTRA_CA_CERTS: lab.gateway.authorityFile },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await once(app, 'message');
  return app;
}
