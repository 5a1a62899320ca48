import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { addresses } from '../../lab/addresses.ts';
import { endProcess } from '../../lab/process.ts';
import { asUser } from './attach-as.ts';
import type { HelperLab } from './helper-lab.ts';
import type { AskLine, SeenLine } from './place-lines.ts';
import type { TestClient } from './test-client.ts';

/** Where a program is: in its user's group of programs, or in no group. */
export const places = ['group', 'outside'] as const;
export type Place = (typeof places)[number];

/** Somebody who asks a host by HTTP whom it sees. */
export interface Ask {
  place: Place;
  /** An IP address of the host. */
  host: string;
  /** The address of an HTTP proxy to ask by. */
  proxy?: string | undefined;
}

/** Packets that passed outside the tunnel to the echo, of both IP versions: of the sender in each place, and of anybody. */
export interface PacketsOutside {
  group: number;
  outside: number;
  any: number;
  /** The first of them. */
  described: string[];
}

/** Programs of a user's in both places, of which one each sends without a pause for as long as this lasts. */
export interface Places extends AsyncDisposable {
  readonly uid: number;
  /** From which address the host sees each come, at once; undefined where no answer came. */
  seen(asks: readonly Ask[]): Promise<(string | undefined)[]>;
  packetsWhile<Result>(during: () => Promise<Result>): Promise<PacketsOutside & { result: Result }>;
}

const markers = { group: 'from-the-group', outside: 'from-outside' } as const satisfies Record<Place, string>;

/** A program in one of the places. */
interface PlacedProcess {
  readonly child: ChildProcess;
  /** What a host answers when it asks; empty if nothing comes back. */
  seen(ask: Omit<AskLine, 'id'>): Promise<string>;
}

/** Starts one, which has made no socket when `beforeFirstSocket` is called. */
async function startPlaced(
  net: HelperLab,
  { uid, marker, intervalMs }: { uid: number; marker: string; intervalMs: number },
  beforeFirstSocket: (pid: number) => Promise<unknown>,
): Promise<PlacedProcess> {
  const script = path.join(import.meta.dirname, 'place-process.ts');
  const argv = ['setpriv', ...asUser(uid), process.execPath, script, marker, String(intervalMs)];
  const child = net.lab.user.spawn(argv, { stdio: ['pipe', 'pipe', 'inherit'] });
  const { stdin, stdout, pid } = child;
  if (!stdin || !stdout || pid === undefined) throw new Error('the program was not started');
  const asked = new Map<number, (reply: string) => void>();
  const lines = createInterface({ input: stdout });
  await once(lines, 'line');
  await beforeFirstSocket(pid);
  stdin.write('\n');
  await once(lines, 'line');
  lines.on('line', (line) => {
    const { id, reply } = JSON.parse(line) as SeenLine;
    asked.get(id)?.(reply);
    asked.delete(id);
  });
  let serial = 0;
  return {
    child,
    seen: (ask) =>
      new Promise((resolve) => {
        const line: AskLine = { id: (serial += 1), ...ask };
        asked.set(line.id, resolve);
        stdin.write(`${JSON.stringify(line)}\n`);
      }),
  };
}

/** `client` is one of the user's, by which the sender is put into the group; the helper has to take groups. */
export async function startInPlaces(
  net: HelperLab,
  { uid, client, intervalMs }: { uid: number; client: TestClient; intervalMs: number },
): Promise<Places> {
  const start = (place: Place, move: (pid: number) => Promise<unknown>) =>
    startPlaced(net, { uid, marker: markers[place], intervalMs }, move);
  const programs = {
    group: await start('group', (pid) => client.call('moveProcess', { pid, into: 'group' })),
    outside: await start('outside', async () => undefined),
  };
  return {
    uid,
    seen: (asks) =>
      Promise.all(asks.map(async ({ place, ...ask }) => addressIn(await programs[place].seen(ask)))),
    async packetsWhile(during) {
      const { echo } = addresses;
      const capture = await net.lab.capture(`dst host ${echo.ipv4} or dst host ${echo.ipv6}`);
      const result = await during();
      const all = await capture.stop();
      // What comes before the kernel has the capture's filter may be any.
      const packets = all.filter(({ destination }) =>
        [echo.ipv4, echo.ipv6].some((own) => own === destination),
      );
      const of = (place: Place) => packets.filter(({ payload }) => payload.includes(markers[place])).length;
      const described = packets.slice(0, 5).map(({ payload, ...header }) => {
        return `${JSON.stringify(header)} ${payload.toString('hex').slice(0, 80)}`;
      });
      return { group: of('group'), outside: of('outside'), any: packets.length, described, result };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(places.map((place) => endProcess(programs[place].child, 'SIGKILL')));
    },
  };
}

/** A proxy that cannot reach the host has an answer of its own. */
function addressIn(reply: string): string | undefined {
  const found = /"address":"([^"]+)"/.exec(reply);
  return found?.[1];
}
