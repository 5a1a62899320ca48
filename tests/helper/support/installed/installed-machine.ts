import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { eventually, words } from '../../../lab/runs/process.ts';
import type { Machine } from '../../../lab/machine/machine.ts';
import { bootSystemd, type SystemdMachine } from '../../../lab/machine/systemd-machine.ts';
import { installed } from '../../../../packaging/linux/core-tree.ts';
import { relay } from '../callers/attach-as.ts';
import { createHelperLab, type HelperLab } from '../helper-lab.ts';
import { installHelper, type NameService } from './installed-helper.ts';
import { attach, type TestClient } from '../callers/test-client.ts';
import { silenceLimit } from '../../../lab/runs/wait-limit.ts';

export const unit = 'waymaker-helper.service';

/** A laboratory whose user's machine has systemd, and the helper installed under it. */
export interface InstalledMachine extends AsyncDisposable {
  readonly net: HelperLab;
  readonly machine: SystemdMachine;
  /** The helper's socket, as seen from outside. */
  readonly socket: string;
  attach(): Promise<TestClient>;
  /** As a program inside the machine, whose process ids mean the same to the helper. */
  attachInside(): Promise<TestClient>;
  /** Attaches a client, if there is none yet, that signs in and connects, and waits for the tunnel. */
  connect(changes?: Parameters<HelperLab['request']>[0], by?: TestClient): Promise<TestClient>;
  /** Pid of the helper inside, once it listens; waits for it. */
  helper(): Promise<number>;
  /** Kills the helper, and waits for the one that systemd starts in its place. */
  killHelper(): Promise<void>;
  /**
   * Shuts the machine down, which must have been created with a disk, and boots it again from that, in a kernel that
   * has forgotten all of ours.
   */
  reboot(): Promise<void>;
  /** The network, and who resolves names. */
  snapshot(): Promise<string>;
  /** The IPv4 addresses that programs of the machine get for a name. */
  resolve(name: string): Promise<string[]>;
}

/**
 * `more` lays further files into the machine's tree; with `layMachine` as `install`, nothing of ours is there yet.
 * `base` is the root of another system, if it is not to be this one. `hasDisk`: what is written outlasts `reboot`.
 */
export async function createInstalledMachine(
  names: NameService,
  more?: (tree: string) => Promise<void>,
  install = installHelper,
  { base, hasDisk = false }: { base?: string | undefined; hasDisk?: boolean | undefined } = {},
): Promise<InstalledMachine> {
  const net = await createHelperLab();
  const tree = path.join(net.lab.directory, 'tree');
  await mkdir(tree);
  await install(tree, names);
  await more?.(tree);
  const disk = hasDisk ? path.join(net.lab.directory, 'disk') : undefined;
  const boot = () => bootSystemd(net.lab.user, net.lab.directory, tree, base, disk);
  let booted = await boot();
  const machine: SystemdMachine = {
    exec: (...given) => booted.exec(...given),
    run: (...given) => booted.run(...given),
    file: (inside) => booted.file(inside),
    powerOff: () => booted.powerOff(),
    [Symbol.asyncDispose]: () => booted[Symbol.asyncDispose](),
  };
  const socket = () => machine.file('/run/waymaker/helper.sock');
  const clients: TestClient[] = [];
  async function attachClient(): Promise<TestClient> {
    const client = await attach(socket());
    clients.push(client);
    return client;
  }
  async function attachInside(): Promise<TestClient> {
    const [from, to] = ['/run/waymaker/helper.sock', '/run/inside.sock'];
    const start = ['sh', '-c', '"$@" > /dev/null 2>&1 &', 'sh', installed.node, '-e', relay, from, to];
    await machine.run(start);
    // The file may be there before anybody listens.
    const client = await eventually('it relays', () => attach(machine.file(to)).catch(() => undefined));
    clients.push(client);
    return client;
  }
  // Seldom, since each look starts programs, and a boot takes seconds.
  const every = 200;
  async function runningHelper(): Promise<number | undefined> {
    const shown = words(`systemctl show --property=ActiveState --property=MainPID --value ${unit}`);
    const [pid, state] = (await machine.run(shown)).trim().split('\n').sort();
    return state === 'active' ? Number(pid) : undefined;
  }
  const helper = () => eventually('the helper runs', runningHelper, { every, timeout: 30_000 });
  const namesOf = {
    resolved: ['dns', 'domain', 'default-route uplink'].map((what) => `resolvectl ${what}`).join(' && '),
    resolvconf: 'cat /etc/resolv.conf',
    openresolv: 'cat /etc/resolv.conf',
    nobody: 'cat /etc/resolv.conf',
  };
  return {
    net,
    machine,
    get socket() {
      return socket();
    },
    attach: attachClient,
    attachInside,
    async connect(changes, by) {
      const client = by ?? (await attachClient());
      await client.call('connect', net.request({ session: await net.signIn(), ...changes }));
      await client.until('connected');
      return client;
    },
    helper,
    async killHelper() {
      const before = await helper();
      await machine.run(words(`systemctl kill --signal=KILL ${unit}`));
      const isAnother = async () => (await helper()) !== before || undefined;
      await eventually('another helper runs', isAnother, { every });
    },
    async reboot() {
      if (disk === undefined) throw new Error('the machine has no disk');
      await booted.powerOff();
      await forgetKernel(net.lab.user);
      booted = await boot();
    },
    snapshot: async () =>
      `${await net.lab.user.snapshot()}\n${await machine.run(['sh', '-c', namesOf[names]])}`,
    async resolve(name) {
      // systemd-resolved gives no answer at all where it reaches no resolver, and getent waits 20 seconds for it.
      const { stdout } = await machine.exec(
        words(`timeout ${silenceLimit(5000, 20_000) / 1000} getent ahostsv4 ${name}`),
      );
      return [...new Set(stdout.split('\n').flatMap((line) => line.split(' ')[0] || []))];
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) client[Symbol.dispose]();
      await machine[Symbol.asyncDispose]();
      await net[Symbol.asyncDispose]();
    },
  };
}

/** Takes away what is in memory only, as a boot finds it; what is not there is no error. */
export async function forgetKernel(machine: Machine): Promise<void> {
  for (const command of [
    'nft flush ruleset',
    'ip -4 rule flush protocol 87',
    'ip -6 rule flush protocol 87',
    'ip link delete wm0',
  ])
    await machine.exec(words(command));
}
