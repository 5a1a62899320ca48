import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { addresses, ports, type AddressPair } from '../../../lab/network/addresses.ts';
import type { CapturedPacket } from '../../../lab/packets/frame.ts';
import { endProcess } from '../../../lab/runs/process.ts';
import { asUser } from '../callers/attach-as.ts';
import type { HelperLab } from '../helper-lab.ts';
import type { AskLine, SeenLine } from './place-lines.ts';
import type { TestClient } from '../callers/test-client.ts';

/** Where a program is: in its user's group of programs, or in no group. */
export const places = ['group', 'outside'] as const;
export type Place = (typeof places)[number];

/** Somebody who asks a host by HTTP whom it sees. */
export interface Ask {
  place: Place;
  /** An IP address of the host, or by a proxy its name. */
  host: string;
  /** The address of an HTTP proxy to ask by. */
  proxy?: string | undefined;
  /**
   * Whether an answer has to come, however long it takes; otherwise it is waited for as long as silence has to last.
   */
  isAnswered?: boolean;
}

/**
 * Packets that passed outside the tunnel to the echo, of both IP versions: of the sender in each place, and of anybody.
 */
export interface PacketsOutside {
  group: number;
  outside: number;
  any: number;
  /** Those to the machine's first resolver that ask for a name. */
  lookUps: Record<Place, number>;
  /** The first of each place, and of others. */
  described: string[];
}

/** Programs of a user's in both places, of which one each sends without a pause for as long as this lasts. */
export interface Places extends AsyncDisposable {
  readonly uid: number;
  /** From which address the host sees each come, at once; undefined where no answer came. */
  seen(asks: readonly Ask[]): Promise<(string | undefined)[]>;
  /** Resolves when each has sent to everybody once more. */
  send(): Promise<void>;
  /** What has passed since it was asked last. The link has to be up. */
  packets(): Promise<PacketsOutside>;
  packetsWhile<Result>(during: () => Promise<Result>): Promise<PacketsOutside & { result: Result }>;
}

const markers = { group: 'from-the-group', outside: 'from-outside' } as const satisfies Record<Place, string>;

/** A program in one of the places. */
interface PlacedProcess {
  readonly child: ChildProcess;
  /** What a host answers when it asks, empty if nothing comes back; without a host, when it has sent once more. */
  reply(ask: Omit<AskLine, 'id'>): Promise<string>;
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
    reply: (ask) =>
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
  const isTo = ({ ipv4, ipv6 }: AddressPair, { destination }: CapturedPacket) =>
    destination === ipv4 || destination === ipv6;
  const { echo, resolver } = addresses;
  const [toEcho, toResolver] = [echo, resolver].map(
    ({ ipv4, ipv6 }) => `dst host ${ipv4} or dst host ${ipv6}`,
  );
  const capture = await net.lab.capture(`${toEcho} or (udp dst port ${ports.dns} and (${toResolver}))`);
  const count = (all: readonly CapturedPacket[]): PacketsOutside => {
    // What comes before the kernel has the capture's filter may be any.
    const toEither = all.filter((packet) => isTo(echo, packet) || isTo(resolver, packet));
    const packets = toEither.filter((packet) => isTo(echo, packet));
    const lookUps = toEither.filter((packet) => isTo(resolver, packet));
    const isOf =
      (place: Place) =>
      ({ payload }: CapturedPacket) =>
        payload.includes(markers[place]);
    const of = (place: Place, from: readonly CapturedPacket[]) => from.filter(isOf(place)).length;
    const others = toEither.filter((packet) => !places.some((place) => isOf(place)(packet)));
    const described = [others, ...places.map((place) => toEither.filter(isOf(place)))].flatMap((some) =>
      some
        .slice(0, 3)
        .map(({ payload, ...header }) => `${JSON.stringify(header)} ${payload.toString('hex').slice(0, 80)}`),
    );
    return {
      group: of('group', packets),
      outside: of('outside', packets),
      any: packets.length,
      lookUps: { group: of('group', lookUps), outside: of('outside', lookUps) },
      described,
    };
  };
  const packets = async () => count(await capture.packets());
  return {
    uid,
    seen: (asks) =>
      Promise.all(asks.map(async ({ place, ...ask }) => addressIn(await programs[place].reply(ask)))),
    async send() {
      await Promise.all(places.map((place) => programs[place].reply({})));
    },
    packets,
    async packetsWhile(during) {
      await capture.packets();
      const result = await during();
      return { ...(await packets()), result };
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
