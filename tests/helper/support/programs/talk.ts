import { once } from 'node:events';
import { ports } from '../../../lab/network/addresses.ts';
import type { Machine } from '../../../lab/machine/machine.ts';

/** Somebody who says a marker again and again, to a host that repeats it. */
export interface Talk {
  readonly marker: string;
  /** Resolves when the host has repeated it once more. */
  answered(): Promise<void>;
  isOver(): boolean;
  end(): void;
}

/** A host of the laboratory that repeats what it is told. */
export interface Host {
  readonly ipv4: string;
  readonly ipv6: string;
}

async function talk(
  machine: Machine,
  address: string,
  marker: string,
  protocol: 'tcp' | 'udp',
): Promise<Talk> {
  const script = `
    const [, protocol, address, port, marker] = process.argv;
    const answered = () => console.log('answered');
    if (protocol === 'tcp') {
      const socket = require('node:net').connect(Number(port), address).on('data', answered);
      socket.on('error', () => undefined).on('close', () => process.exit());
      setInterval(() => socket.write(marker), 20);
    } else {
      const socket = require('node:dgram').createSocket(address.includes(':') ? 'udp6' : 'udp4');
      // A refusal to send is no end.
      socket.on('message', answered).on('error', () => undefined);
      socket.connect(Number(port), address, () => setInterval(() => socket.send(marker, () => undefined), 20));
    }`;
  const program = await machine.spawnUntil(
    [process.execPath, '-e', script, protocol, address, String(ports.echo), marker],
    /answered/,
  );
  const { stdout } = program;
  if (!stdout) throw new Error('the program has no output');
  return {
    marker,
    answered: async () => void (await once(stdout, 'data')),
    isOver: () => program.exitCode !== null,
    end: () => program.kill('SIGKILL'),
  };
}

/** Talks to a host over both IP versions, the markers of which begin with a word. */
export const talkOnBoth = (machine: Machine, host: Host, word: string, protocol: 'tcp' | 'udp' = 'tcp') =>
  Promise.all(
    (['ipv4', 'ipv6'] as const).map((family) =>
      talk(machine, host[family], `${word}-${protocol}-${family}`, protocol),
    ),
  );

/** Resolves when each of them has been answered a few times. */
export const goOn = (talks: readonly Talk[]) =>
  Promise.all(
    talks.map(async (one) => {
      for (let count = 0; count < 5; count += 1) await one.answered();
    }),
  );
