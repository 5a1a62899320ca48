import path from 'node:path';
import { addresses } from './addresses.ts';
import type { Machine } from '../machine/machine.ts';
import { endProcess, words } from '../runs/process.ts';

const device = 'delay0';
const table = '100';
const priority = '100';

/**
 * Delays every packet between the user's machine and the gateway by `milliseconds` each way, until disposed.
 * `internet` routes them through a TUN device of a relay process; this kernel has no netem.
 */
export async function startDelay(internet: Machine, milliseconds: number): Promise<AsyncDisposable> {
  const relay = await internet.spawnUntil(
    [
      ...words('setpriv --pdeathsig KILL --'),
      process.execPath,
      path.join(import.meta.dirname, 'delay-relay.ts'),
      device,
      String(milliseconds),
    ],
    /relaying/,
  );
  await internet.run(words(`ip link set ${device} up`));
  for (const family of ['-4', '-6']) {
    await internet.run(words(`ip ${family} route replace default dev ${device} table ${table}`));
  }
  for (const [family, gateway] of gateways) {
    await internet.run(words(`ip ${family} rule add iif user0 to ${gateway} ${target}`));
    await internet.run(
      words(`ip ${family} rule add iif gateway0 from ${gateway} to ${users[family]} ${target}`),
    );
  }
  return {
    async [Symbol.asyncDispose]() {
      for (const [family, gateway] of gateways) {
        await internet.run(words(`ip ${family} rule del iif user0 to ${gateway} ${target}`));
        await internet.run(
          words(`ip ${family} rule del iif gateway0 from ${gateway} to ${users[family]} ${target}`),
        );
      }
      await endProcess(relay);
    },
  };
}

const target = `lookup ${table} priority ${priority}`;
const users = { '-4': addresses.user.ipv4, '-6': addresses.user.ipv6 } as const;
const gateways = [
  ['-4', addresses.gateway.ipv4],
  ['-6', addresses.gateway.ipv6],
] as const;
