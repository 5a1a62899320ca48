import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { addresses } from '../../lab/network/addresses.ts';
import type { Lab } from '../../lab/lab.ts';
import { endProcess, eventually, words } from '../../lab/runs/process.ts';

/** A stream of datagrams from the user's machine to the echo and to its neighbour. */
export interface Arrivals extends AsyncDisposable {
  /** When the first came to the neighbour from this address that came after a time; milliseconds since the epoch. */
  firstFrom(source: string, after: number): Promise<number>;
  /** Ends the stream, and resolves to how many of those to the echo never came. */
  lost(): Promise<number>;
}

export async function startArrivals(lab: Lab): Promise<Arrivals> {
  const { echo, direct } = addresses;
  const script = path.join(import.meta.dirname, 'datagrams.ts');
  const start = (machine: Lab['user'] | Lab['internet'], role: string) =>
    machine.spawnUntil(
      [...words('setpriv --pdeathsig KILL --'), process.execPath, script, role, echo.ipv4, direct.ipv4],
      /ready/,
    );
  const receiver = await start(lab.internet, 'receive');
  const seen: { source: string; destination: string; at: number }[] = [];
  let rest = '';
  receiver.stdout?.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const [source = '', destination = '', , at = ''] = line.split(' ');
      seen.push({ source, destination, at: Number(at) });
    }
  });
  const sender = await start(lab.user, 'send');
  let sent = '';
  sender.stdout?.on('data', (chunk: Buffer) => {
    sent += chunk.toString();
  });
  return {
    firstFrom: (source, after) =>
      eventually(`a datagram comes from ${source}`, async () => {
        return seen.find((one) => one.at > after && one.source === source && one.destination === direct.ipv4)
          ?.at;
      }),
    async lost() {
      const ended = once(sender, 'close');
      sender.kill('SIGTERM');
      await ended;
      // What is on its way arrives.
      await delay(500);
      return (
        Number(sent.trim().split('\n').at(-1)) -
        seen.filter(({ destination }) => destination === echo.ipv4).length
      );
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([endProcess(sender, 'SIGKILL'), endProcess(receiver, 'SIGKILL')]);
    },
  };
}
