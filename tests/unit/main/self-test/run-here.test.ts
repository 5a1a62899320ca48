import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runHere } from '../../../../src/main/self-test/here/run-here.ts';
import type { GuardTask } from '../../../../src/main/self-test/here/guard.ts';
import type { SelfTestHere } from '../../../../src/main/self-test/self-test.ts';
import type { Message } from '../../../../src/main/self-test/messages.ts';

const notHere = () => {
  throw new Error('not here');
};

/** A computer whose self-test ends where it looks for a network. */
const computer = (folder: string): SelfTestHere => ({
  lack: () => undefined,
  folder,
  helperSocket: notHere,
  helperArguments: notHere,
  engines: notHere,
  environment: [],
  uplinkTo: notHere,
  computer: () => ({
    datagrams: notHere,
    connections: notHere,
    pings: notHere,
    changeRoutes: notHere,
    changeAddresses: notHere,
    snapshot: notHere,
    engineProcesses: notHere,
  }),
  openWatch: notHere,
  openPacketSocket: notHere,
  tidy: () => Promise.resolve(),
});

/** What a self-test has left that was cut off; `folder`: what it says is its own. */
async function left(named?: string) {
  const root = await mkdtemp(path.join(os.tmpdir(), 'waymaker-here-'));
  onTestFinished(() => rm(root, { recursive: true }));
  const folder = path.join(root, 'self-test');
  await mkdir(folder);
  const helper = path.join(root, 'helper.mjs');
  const ran = path.join(root, 'ran');
  await writeFile(
    helper,
    `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(ran)}, '');`,
  );
  const uplink = {
    device: 'eth0',
    address: '192.0.2.1',
    hardware: '',
    hasIpv6: false,
    hasIpv6Outside: false,
  };
  const own = named === undefined ? folder : path.join(root, named);
  const undo: GuardTask = { folder: own, restore: [helper], uplink, routes: [], addresses: [] };
  await writeFile(path.join(folder, 'undo.json'), JSON.stringify(undo));
  return {
    root,
    folder,
    ran,
    task: { helper, commandLine: '', version: '0', usualSocket: path.join(root, 'none') },
  };
}

async function obstacles(task: Parameters<typeof runHere>[0], here: SelfTestHere): Promise<unknown[]> {
  const told: Message[] = [];
  await runHere(task, here, { signal: new AbortController().signal, onMessage: (one) => told.push(one) });
  return told.flatMap((one) => (one.kind === 'obstacle' ? [one.obstacle] : []));
}

test('what an earlier self-test has left is undone first, and its own folder removed', async () => {
  const { root, folder, ran, task } = await left('other');
  const other = path.join(root, 'other');
  await mkdir(other);
  expect(await obstacles(task, computer(folder))).toEqual(['no-uplink']);
  expect([ran, folder, other].map((one) => existsSync(one))).toEqual([true, false, true]);
});

// On Windows, everybody can make folders where programs have their data.
test('what somebody else may have left there is not undone', async () => {
  const { folder, ran, task } = await left();
  const here = {
    ...computer(folder),
    keepOthersOut() {
      throw new Error('it belongs to somebody else');
    },
  };
  expect(await obstacles(task, here)).toEqual(['not-restored']);
  expect([ran, folder].map((one) => existsSync(one))).toEqual([false, true]);
});
