import path from 'node:path';
import { addresses, ports } from '../../lab/addresses.ts';
import { controlGroupOf, unifiedCgroups } from '../../lab/control-groups.ts';
import { endProcess } from '../../lab/process.ts';
import { curlLimits } from '../../lab/probe.ts';
import { asUser } from './attach-as.ts';
import { startAs } from './grouped-process.ts';
import type { HelperLab } from './helper-lab.ts';
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
}

/** Programs of a user's in both places, of which one each sends without a pause for as long as this lasts. */
export interface Places extends AsyncDisposable {
  readonly uid: number;
  /** From which address the host sees each come, at once; undefined where no answer came. */
  seen(asks: readonly Ask[]): Promise<(string | undefined)[]>;
  packetsWhile<Result>(during: () => Promise<Result>): Promise<PacketsOutside & { result: Result }>;
}

const markers = { group: 'from-the-group', outside: 'from-outside' } as const satisfies Record<Place, string>;
const intervalMs = 20;

/** `client` is one of the user's, by which the sender is put into the group; the helper has to take groups. */
export async function startInPlaces(
  net: HelperLab,
  { uid, client }: { uid: number; client: TestClient },
): Promise<Places> {
  const machine = net.lab.user;
  const script = path.resolve(import.meta.dirname, '../../lab/probe-stream.ts');
  const stream = (marker: string) => [process.execPath, script, marker, String(intervalMs)];
  const grouped = await startAs(machine, uid, 'exec "$@"', stream(markers.group));
  await client.call('moveProcess', { pid: grouped.pid, into: 'group' });
  grouped.say();
  await grouped.next();
  const outside = await machine.spawnUntil(stream(markers.outside), /sending/);
  const group = path.join(await unifiedCgroups(), controlGroupOf(machine), String(uid), 'inside');

  const curl = ['curl', '--silent', '--globoff'];
  const commandOf = ({ place, host, proxy }: Ask) => {
    const by = proxy === undefined ? ['--noproxy', '*'] : ['--proxy', `http://${proxy}`];
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${ports.http}/`;
    const words = ['setpriv', ...asUser(uid), ...curl, ...curlLimits(), ...by, url];
    const command = words.map((word) => `'${word}'`).join(' ');
    return place === 'outside'
      ? command
      : `sh -c 'echo $$ >"$0"; exec "$@"' ${group}/cgroup.procs ${command}`;
  };

  return {
    uid,
    async seen(asks) {
      const lines = asks.map((ask, index) => `printf '${index} %s\\n' "$(${commandOf(ask)})" &`);
      const output = await machine.run(['sh', '-c', [...lines, 'wait'].join('\n')]);
      const replies = new Map(
        output.split('\n').map((line): [string, string] => {
          const [index = '', ...reply] = line.split(' ');
          return [index, reply.join(' ')];
        }),
      );
      return asks.map((_, index) => addressIn(replies.get(String(index)) ?? ''));
    },
    async packetsWhile(during) {
      const { echo } = addresses;
      const capture = await net.lab.capture(`dst host ${echo.ipv4} or dst host ${echo.ipv6}`);
      const result = await during();
      const packets = await capture.stop();
      const of = (place: Place) => packets.filter(({ payload }) => payload.includes(markers[place])).length;
      return { group: of('group'), outside: of('outside'), any: packets.length, result };
    },
    async [Symbol.asyncDispose]() {
      process.kill(grouped.pid, 'SIGKILL');
      await Promise.all([grouped.finish(), endProcess(outside, 'SIGKILL')]);
    },
  };
}

/** A proxy that cannot reach the host has an answer of its own. */
function addressIn(reply: string): string | undefined {
  const found = /"address":"([^"]+)"/.exec(reply);
  return found?.[1];
}
