import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { ConnectRequest } from '#shared/helper/protocol.ts';
import type { Routing } from '#shared/tunnel/state.ts';
import { addresses, pools, ports } from '../../../lab/network/addresses.ts';
import { controlGroupOf, unifiedCgroups } from '../../../lab/machine/control-groups.ts';
import { setKernel } from '../../../lab/network/network.ts';
import { curlLimits } from '../../../lab/probes/probe.ts';
import { secondUser } from '../../../lab/machine/second-user.ts';
import { attachAs } from '../callers/attach-as.ts';
import { runInGroup, startAs, type SteppedProcess } from './grouped-process.ts';
import { createHelperLab, type HelperLab, type HelperLabOptions } from '../helper-lab.ts';
import { capturedWhile } from './seen-by.ts';
import type { TestClient } from '../callers/test-client.ts';

const { echo, user, gateway } = addresses;

export const modeApp = (policy: 'include' | 'exclude', localNetwork = false): Routing => ({
  mode: 'app',
  policy,
  localNetwork,
});
export const include = modeApp('include');
export const exclude = modeApp('exclude');

/** Asks a host from which address it is seen. */
export const curl = `curl --silent --noproxy '*' --globoff ${curlLimits().join(' ')}`;
export const url = (host: string): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${ports.http}/`;
export const addressIn = (reply: string): string | undefined =>
  reply === '' ? undefined : (JSON.parse(reply) as { address: string }).address;

/** The echo of both IP versions, and from where it sees who goes which way. */
export const echoes = [echo.ipv4, echo.ipv6];
export const tunnelled = [gateway.ipv4, gateway.ipv6];
export const past = [user.ipv4, user.ipv6];
export const nowhere = [undefined, undefined];

/** A user whose programs are routed apart, and a helper for them. */
export interface ProgramLab {
  readonly net: HelperLab;
  /** The user's. */
  readonly client: TestClient;
  readonly uid: number;
  readonly initialSnapshot: string;
  /** The directory of the user's group. */
  group(): Promise<string>;
  connect(routing: Routing, changes?: Partial<ConnectRequest>): Promise<void>;
  /** Starts a helper in place of one that has ended. */
  restart(): Promise<void>;
  /**
   * From which address each host sees a program in the group, or one of the same user outside of it; undefined: it did
   * not. A shell is what is moved, and `program` its child.
   */
  seenBy(
    where: 'group' | 'outside',
    hosts: readonly string[],
    program?: string,
  ): Promise<(string | undefined)[]>;
  /** How many packets there were meanwhile, outside the tunnel, to the echo and to ask for names. */
  packetsWhile(during: () => Promise<unknown>): Promise<{ toEcho: number; lookUps: number }>;
  /** Something that stays in the group, so that it stays. */
  startInGroup(script?: string): Promise<SteppedProcess>;
}

/** What files with the same start hand on to one another, in the process that they share; it ends with the run. */
interface Shared {
  readonly engine: HelperLabOptions['engine'];
  readonly net: HelperLab;
  readonly client: TestClient;
  readonly initialSnapshot: string;
  readonly isGatewayUp: boolean;
}
let shared: Shared | undefined;

/**
 * One for all tests of a file, each of which begins disconnected; the next file has the same, where its helper runs
 * still, was started as it is here, and has put everything back.
 */
export function programLab(options: Pick<HelperLabOptions, 'engine'> = {}): ProgramLab {
  // Nobody else's: a test of the proxy's processes kills whatever runs as the proxy's account.
  const uid = 64_930;
  let net: HelperLab;
  let client: TestClient;
  let initialSnapshot: string;
  /** To start it again takes seconds. */
  let isGatewayUp = false;

  /** Whether its helper is the one that was started here last. */
  const isOwnHelper = () => client.socket.readyState === 'open';

  beforeAll(async () => {
    if (shared && shared.engine === options.engine) {
      ({ net, client, initialSnapshot, isGatewayUp } = shared);
      shared = undefined;
      return;
    }
    net = await createHelperLab({ gateway: false, ...options });
    // As many distributions have it.
    await setKernel(net.lab.user, ['net.ipv4.conf.all.rp_filter=1', 'net.ipv4.conf.uplink.rp_filter=1']);
    initialSnapshot = await net.lab.user.snapshot();
    await restart();
  });
  afterAll(async () => {
    const isAsMade = isOwnHelper() && (await net.lab.user.snapshot()) === initialSnapshot;
    if (isAsMade && !shared) shared = { engine: options.engine, net, client, initialSnapshot, isGatewayUp };
    else await net[Symbol.asyncDispose]();
  });
  afterEach(async () => {
    const root = await net.attach();
    await root.call('disconnect', {});
    root[Symbol.dispose]();
    expect(await readdir(net.stateDirectory)).toEqual([]);
  });

  async function restart(): Promise<void> {
    await net.start({ args: ['--allow-user', String(uid), '--allow-user', String(secondUser.uid)] });
    client = await attachAs(net, uid);
  }

  return {
    get net() {
      return net;
    },
    get client() {
      return client;
    },
    get initialSnapshot() {
      return initialSnapshot;
    },
    uid,
    restart,
    group: async () => path.join(await unifiedCgroups(), controlGroupOf(net.lab.user), String(uid), 'inside'),
    async connect(routing, changes = {}) {
      if (!isGatewayUp) await net.lab.gateway.restart({ pool: pools.first, ipv6: true });
      isGatewayUp = true;
      const seen = client.states.length;
      await client.call('connect', net.request({ session: await net.signIn(), routing, ...changes }));
      await client.until('connected', { seen });
    },
    async seenBy(where, hosts, program = curl) {
      const script = hosts.map((_, index) => `${program} "$${index + 1}"; echo`).join('\n');
      const args = hosts.map(url);
      const { stdout } =
        where === 'group'
          ? await runInGroup(net.lab.user, { uid, client }, script, args)
          : await (await startAs(net.lab.user, uid, script, args)).finish();
      return stdout.split('\n').slice(0, hosts.length).map(addressIn);
    },
    async packetsWhile(during) {
      const packets = await capturedWhile(net.lab, during);
      const lookUps = packets.filter(({ destinationPort }) => destinationPort === ports.dns);
      const toEcho = packets.filter(({ destination }) => echoes.some((one) => one === destination));
      return { toEcho: toEcho.length, lookUps: lookUps.length };
    },
    async startInGroup(script = 'read -r line') {
      const program = await startAs(net.lab.user, uid, script);
      await client.call('moveProcess', { pid: program.pid, into: 'group' });
      return program;
    },
  };
}
