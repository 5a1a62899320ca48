import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { addresses } from '../../lab/network/addresses.ts';
import type { Lab } from '../../lab/lab.ts';
import { endProcess, eventually, words } from '../../lab/runs/process.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';

/** Milliseconds since the epoch, finer than `Date.now`. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}

/**
 * Pings, every two milliseconds, an address that only a tunnel leads to; resolves to the time of the first reply.
 * ping(8) prints it with -D, taken when the reply is read.
 */
export async function firstReply(lab: Lab): Promise<{ at: Promise<number> }> {
  const [file, args] = lab.user.command(words(`ping -n -D -O -i 0.002 ${addresses.inside.ipv4}`));
  const ping = spawn(file, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const lines = createInterface(ping.stdout);
  const reply = new Promise<number>((resolve) => {
    lines.on('line', (line) => {
      const [, seconds] = /^\[(\d+\.\d+)\] \d+ bytes from/.exec(line) ?? [];
      if (seconds !== undefined) resolve(Number(seconds) * 1000);
    });
  });
  const at = Promise.race([
    reply,
    delay(waitLimit(20_000), undefined, { ref: false }).then(() => {
      throw new Error('no reply through the tunnel');
    }),
  ]).finally(() => ping.kill('SIGKILL'));
  // Its first line comes before the first packet.
  await once(lines, 'line');
  return { at };
}

export interface ChangeWatch {
  /** When the machine became what `snapshot` says and stayed so. Rejects if it does not. */
  settledAs(snapshot: string): Promise<number>;
  end(): Promise<void>;
}

/**
 * Notes when the user's network last changed, as the kernel tells it: links, addresses, routes and rules over
 * rtnetlink, nftables over its own, resolv.conf by inotify. Asking for a snapshot again and again would be slower
 * than what is measured.
 */
export async function watchChanges(lab: Lab): Promise<ChangeWatch> {
  let last = 0;
  const note = () => {
    last = now();
  };
  const monitors = ['ip monitor link address route rule netconf', 'nft monitor'].map((command) => {
    const [file, args] = lab.user.command(words(command));
    const child: ChildProcess = spawn(file, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout?.on('data', note);
    return child;
  });
  const resolvConf = watch(lab.user.resolvConf, note);
  // Both monitors are there when a change of each kind is seen.
  await eventually('the monitors see changes', async () => {
    last = 0;
    await lab.user.run(words('ip rule add priority 9 lookup 9'));
    await lab.user.run(words('ip rule del priority 9 lookup 9'));
    return last > 0 || undefined;
  });
  await eventually('the monitors see nftables', async () => {
    last = 0;
    await lab.user.run(words('nft add table inet watched'));
    await lab.user.run(words('nft delete table inet watched'));
    return last > 0 || undefined;
  });
  return {
    async settledAs(snapshot) {
      return eventually(
        'the machine is as before',
        async () => {
          const before = last;
          const same = (await lab.user.snapshot()) === snapshot;
          return same && before === last && last > 0 ? last : undefined;
        },
        { timeout: 10_000 },
      );
    },
    async end() {
      resolvConf.close();
      await Promise.all(monitors.map((monitor) => endProcess(monitor, 'SIGKILL')));
    },
  };
}
