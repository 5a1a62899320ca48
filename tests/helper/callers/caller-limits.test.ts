import type { ChildProcess } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { endProcess } from '../../lab/runs/process.ts';
import { createHelperLab, type HelperLab } from '../support/helper-lab.ts';
import { frame, helloParams } from '../support/callers/raw-client.ts';
import { casesOf } from '../../lab/runs/thoroughness.ts';

/** Of a range that no accounts are in (Debian policy §9.2.2). */
const allowed = 64_950;
const foreigners = [64_951, 64_952, 64_953, 64_954, 64_955];

let net: HelperLab;
const floods: ChildProcess[] = [];

beforeAll(async () => {
  net = await createHelperLab({ gateway: false });
});

afterEach(async () => {
  await Promise.all(floods.splice(0).map((child) => endProcess(child, 'SIGKILL')));
});

afterAll(async () => {
  await net[Symbol.asyncDispose]();
});

async function restart({ allow, isOpen }: { allow: number[]; isOpen: boolean }): Promise<void> {
  await net.end('SIGTERM');
  await net.start({ args: allow.flatMap((uid) => ['--allow-user', String(uid)]) });
  // As if an administrator had opened the socket's file: then it is the helper that has to refuse.
  if (isOpen) await chmod(net.socket, 0o666);
}

const identity = (uid: number) => [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];

/** Keeps `count` connections open at a time as that user, or closes each at once. */
async function flood(uid: number, count: number, how: 'hold' | 'close' | 'garbage'): Promise<void> {
  const script = `
    const { connect } = require('node:net');
    let closed = 0;
    const open = () => {
      const socket = connect(process.argv[1]);
      socket.on('error', () => {});
      if (${how === 'close'}) socket.on('connect', () => socket.destroy());
      if (${how === 'garbage'}) socket.on('connect', () => socket.write('garbage\\r\\n\\r\\n'));
      socket.on('close', () => {
        closed += 1;
        if (closed === ${count}) console.log('flooding');
        setImmediate(open);
      });
    };
    for (let index = 0; index < ${count}; index += 1) open();`;
  floods.push(
    await net.lab.user.spawnUntil(
      ['setpriv', ...identity(uid), '--', process.execPath, '-e', script, net.socket],
      /flooding/,
    ),
  );
}

/** How many of that many tries, one after the other, got the helper's welcome. */
async function welcomes(tries: number): Promise<number> {
  const script = `
    const { connect } = require('node:net');
    const attempt = () => new Promise((resolve) => {
      const socket = connect(process.argv[1], () => socket.write(process.argv[2]));
      socket.on('error', () => {});
      socket.on('close', () => resolve(0));
      let answer = '';
      socket.on('data', (data) => {
        answer += data;
        if (!answer.includes('"result"')) return;
        resolve(1);
        socket.destroy();
      });
    });
    (async () => {
      let welcome = 0;
      for (let index = 0; index < ${tries}; index += 1) welcome += await attempt();
      console.log(welcome);
    })();`;
  const hello = frame(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'hello', params: helloParams }));
  const argv = [process.execPath, '-e', script, net.socket, hello];
  return Number(await net.lab.user.run(['setpriv', ...identity(allowed), '--', ...argv]));
}

const floodings = [
  { how: 'hold', isOpen: true },
  { how: 'hold', isOpen: false },
  { how: 'close', isOpen: false },
  { how: 'garbage', isOpen: true },
] as const;

test.each(casesOf<(typeof floodings)[number]>({ usual: floodings.slice(0, 1), all: floodings }))(
  'an allowed user gets in while five others take all the connections they can: %o',
  async ({ how, isOpen }) => {
    const begun = performance.now();
    await restart({ allow: [allowed], isOpen });
    await Promise.all(foreigners.map((uid) => flood(uid, 40, how)));
    expect(await welcomes(33)).toBe(33);
    // A line a try would be hundreds; what is repeated is counted, and told each minute.
    const warnings = net.log().match(/"warn"/g) ?? [];
    const minutes = Math.ceil((performance.now() - begun) / 60_000);
    expect(warnings.length > 0).toBe(isOpen);
    expect(warnings.length).toBeLessThanOrEqual(10 * minutes);
  },
);

test('an allowed user gets in while another one takes all the connections they can', async () => {
  const [other = 0] = foreigners;
  await restart({ allow: [allowed, other], isOpen: false });
  await flood(other, 40, 'hold');
  expect(await welcomes(5)).toBe(5);
});
