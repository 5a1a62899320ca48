import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { Preferences } from '#shared/host/preferences.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { ports } from '../addresses.ts';
import { newToken, type Bench, type Check } from './bench.ts';
import { NotChecked } from './not-checked.ts';
import { ipVersionOf, makeProbes, pump } from './probes.ts';
import { alsoSeen, sightOf, unseenIn } from './sight.ts';
import { foundBy, waysOf, type Expected, type Ways } from './ways.ts';

/** How long a change of the mode may take, in milliseconds. */
const changeMs = 10_000;

type Mode = 'local-network' | 'automatic' | 'by-address' | 'by-app';

/** What the user is asked for before routing by program: nobody has such a program. */
const someProgram = 'self-test.desktop';

async function change(bench: Bench, wanted: Partial<Preferences>, mode?: string): Promise<void> {
  const reply = await bench.client.preferences.set(wanted);
  if (!reply.ok) throw new Error(`the mode cannot be set: ${reply.error}`);
  const isSet = (state: TunnelState) =>
    state.state === 'connected' && (mode === undefined || state.routing.mode === mode);
  if (!(await bench.until(isSet, changeMs)))
    throw new Error(`the mode is not in force: ${JSON.stringify(bench.state())}`);
}

/** Checks in one mode; then all traffic goes through the tunnel again. */
async function during(
  bench: Bench,
  wanted: Partial<Preferences>,
  mode: string,
  run: () => Promise<Ways[]>,
): Promise<Ways[]> {
  try {
    await change(bench, wanted, mode);
    return await run();
  } finally {
    await change(bench, { routing: 'global', localNetwork: false }, 'global');
  }
}

const both = ({ ipv4, ipv6 }: { ipv4: string; ipv6: string }, hasIpv6: boolean) =>
  hasIpv6 ? [ipv4, ipv6] : [ipv4];

const go = (hosts: readonly string[], place: Expected['place']): Expected[] =>
  hosts.map((host) => ({ host, place }));

/** Each mode that the helper offers sends what belongs in the tunnel there, and nothing else. */
export function modeChecks(bench: Bench): Record<Mode, Check> {
  const { hasIpv6, hasIpv6Outside, places } = bench.around;
  const { neighbours, router } = places;
  // What goes outside has to find a way there.
  const isBoth = hasIpv6 && hasIpv6Outside;
  const [host, other] = [places.host, places.other].map((pair) => both(pair, isBoth)) as [string[], string[]];
  return {
    'local-network': {
      observers: ['uplink', 'far-side'],
      async run() {
        if (neighbours.length === 0) throw new NotChecked(bench.around.whyNoHost);
        const to = (place: Expected['place']) => neighbours.map((neighbour) => ({ ...neighbour, place }));
        const without = await waysOf(bench, to(undefined));
        const inside = await during(bench, { localNetwork: true }, 'global', async () => [
          await waysOf(bench, [...to('outside'), ...go(host, 'inside')]),
          await lookUpsTo(bench, router),
        ]);
        return foundBy(bench, [without, ...inside]);
      },
    },
    automatic: {
      observers: ['uplink', 'far-side'],
      async run() {
        const ways = await during(bench, { routing: 'automatic' }, 'pac', async () => {
          const state = bench.state();
          const proxy =
            state.state === 'connected' && state.routing.mode === 'pac' ? state.routing.proxy : undefined;
          if (!proxy) throw new Error('there is no proxy');
          const byProxy = (to: string, token: string) => askByProxy(proxy.address, to, token);
          return [
            await waysOf(bench, go([places.host.ipv4], 'inside'), byProxy),
            await waysOf(bench, go([places.host.ipv4], 'outside')),
          ];
        });
        return foundBy(bench, ways);
      },
    },
    'by-address': {
      observers: ['uplink', 'far-side'],
      async run() {
        if (!(await bench.client.preferences.get()).addresses) throw new NotChecked('not-offered');
        const prefixes = host.map((address) => `${address}/${address.includes(':') ? 128 : 32}`);
        const listed = (policy: 'include' | 'exclude') => ({
          routing: 'address' as const,
          addresses: { policy, countries: [], prefixes },
        });
        const only = await during(bench, listed('include'), 'ip', async () => [
          await waysOf(bench, [...go(host, 'inside'), ...go(other, 'outside')]),
        ]);
        const except = await during(bench, listed('exclude'), 'ip', async () => [
          await waysOf(bench, [...go(host, 'outside'), ...go(other, 'inside')]),
        ]);
        return foundBy(bench, [...only, ...except]);
      },
    },
    'by-app': {
      observers: ['uplink', 'far-side'],
      async run() {
        if (!(await bench.client.preferences.get()).apps) throw new NotChecked('not-offered');
        const wanted = (policy: 'include' | 'exclude') => ({
          routing: 'app' as const,
          apps: { policy, ids: [someProgram] },
        });
        const byProgram = (to: string, token: string) => askByProgram(bench, to, token);
        const only = await during(bench, wanted('include'), 'app', async () => [
          await waysOf(bench, go(host, 'inside'), byProgram),
          await waysOf(bench, go(host, 'outside')),
        ]);
        const except = await during(bench, wanted('exclude'), 'app', async () => [
          await waysOf(bench, go(host, 'outside'), byProgram),
          await waysOf(bench, go(host, 'inside')),
        ]);
        return foundBy(bench, [...only, ...except]);
      },
    },
  };
}

/** The local network is reached, and still never asked for a name. */
async function lookUpsTo(bench: Bench, resolver: string): Promise<Ways> {
  const token = newToken();
  const probes = makeProbes('dns', token, bench.around);
  const frames = await bench.observe(async () => {
    const running = pump(probes);
    await delay(200);
    running.end();
  });
  const isSeen = frames.some(
    ({ packet }) => packet?.destination === resolver && packet.payload.includes(token),
  );
  const version = ipVersionOf(resolver);
  const sight = alsoSeen(sightOf(bench, ['dns'], ['DNS']), isSeen ? [version] : []);
  const unseen = unseenIn(sight, version);
  return {
    problems: isSeen ? [`a look-up at ${resolver} was seen on the uplink`] : [],
    looked: [],
    sighted: [],
    needed: [],
    unseen: unseen ? [unseen] : [],
  };
}

/** By the tunnel's proxy (RFC 9110 §9.3.6). */
function askByProxy(proxy: string, host: string, token: string): Promise<string | undefined> {
  const [address = '', port] = proxy.split(':');
  const socket = connect({ host: address, port: Number(port), timeout: changeMs });
  return new Promise((resolve) => {
    let answer = '';
    let isOpen = false;
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      answer += chunk;
      const end = answer.indexOf('\r\n\r\n');
      if (isOpen || end < 0) return;
      isOpen = true;
      const isGranted = /^HTTP\/1\.[01] 200 /.test(answer);
      answer = answer.slice(end + 4);
      if (isGranted) socket.write(`${token}\n`);
      else socket.destroy();
    });
    socket.on('timeout', () => socket.destroy()).on('error', () => undefined);
    socket.on('close', () => resolve(isOpen ? answer.split(' ')[0] || undefined : undefined));
    socket.write(`CONNECT ${host}:${ports.http} HTTP/1.1\r\nHost: ${host}:${ports.http}\r\n\r\n`);
  });
}

/** What the program does: it waits for a line, asks the host, and prints the answer. */
const program = `
  const [host, port, token] = process.argv.slice(1);
  process.stdin.once('data', () => {
    const socket = require('node:net').connect({ host, port: Number(port), timeout: 3000 });
    socket.on('timeout', () => socket.destroy()).on('error', () => undefined);
    socket.on('close', () => process.exit());
    socket.pipe(process.stdout);
    socket.write(token + '\\n');
  });
`;

/** By a program of its own, which is moved into the group of those that are routed by program. */
async function askByProgram(bench: Bench, host: string, token: string): Promise<string | undefined> {
  const args = ['--eval', program, '--', host, String(ports.http), token];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = once(child, 'exit');
  const said = text(child.stdout);
  try {
    const admitted = await bench.client.routedApps.admit({ pid: child.pid ?? 0 });
    if (admitted !== 'admitted') throw new Error(`the program was not put into the group: ${admitted}`);
    child.stdin.end('go\n');
    return (await said).split(' ')[0] || undefined;
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}
