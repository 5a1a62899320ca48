import { chmod, readFile, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findProgram } from '../../../helper/posix/command.ts';
import { eventually } from '../../lab/runs/process.ts';
import { casesOf } from '../../lab/runs/thoroughness.ts';
import { createHelperLab, type HelperLab } from '../support/helper-lab.ts';

let net: HelperLab;
/** What stands in openconnect's place on the user's machine. */
let program: string;

beforeAll(async () => {
  net = await createHelperLab({ gateway: false });
  program = path.join(net.lab.directory, 'hostile-engine');
  await behave('exit 1');
  const installed = await realpath(findProgram('openconnect') ?? 'openconnect');
  await net.lab.user.run(['mount', '--bind', program, installed]);
  await net.start();
});

afterAll(() => net[Symbol.asyncDispose]());

/** The next engines wait for their cookie, as openconnect does, and then do this. */
async function behave(commands: string): Promise<void> {
  await writeFile(
    program,
    `#!/bin/bash
for word in "$@"; do case $word in --interface=*) device=\${word#*=} ;; esac; done
configure() { printf 'TUNDEV=%s\\0INTERNAL_IP4_ADDRESS=198.51.100.140\\0\\0' "$device" >&3; }
read -r cookie
echo 'Connected to HTTPS on gw.waymaker.test with ciphersuite (TLS1.3)'
${commands}
`,
  );
  await chmod(program, 0o755);
}

/** Resident memory of the helper, in MB. */
async function memory(): Promise<number> {
  const status = await readFile(`/proc/${net.pid()}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

/** The engines ask nobody whether it is good. */
const session = { cookie: 'webvpn=abc', certificatePin: `pin-sha256:${'A'.repeat(43)}=` };

const flood = `yes "$(head -c 1000 /dev/zero | tr '\\0' A)"`;

/** Who fills what the helper keeps, and who does not go. */
const usual = [
  ['never ends its line', `configure; read -r answer <&4; ${flood} | tr -d '\\n'`],
  ['ignores being ended', "trap '' TERM; configure; read -r answer <&4; while :; do sleep 1; done"],
] as const;
const all = [
  ...usual,
  ['floods the pipe of its configuration', `${flood} >&3`],
  ['gives one configuration after the other', 'while :; do configure; done'],
  ['answers every configuration with the next', 'while :; do configure; read -r answer <&4; done'],
  ['floods its output', `configure; read -r answer <&4; ${flood}`],
  ['floods its output with empty lines', 'configure; read -r answer <&4; yes "" >&2'],
  ['leaves others behind that flood', `configure; read -r answer <&4; (${flood} &); (${flood} >&3 &)`],
] as const;

test.each(casesOf<(typeof all)[number]>({ usual, all }))(
  'an engine that %s costs no memory, and a disconnect passes it by',
  async (_name, commands) => {
    await behave(commands);
    const before = await memory();
    const [linesBefore, client] = [net.log().length, await net.attach()];
    await client.call('connect', net.request({ session, killSwitch: true }));
    const begun = performance.now();
    await eventually('the engine has done what it does', () => net.log().length > linesBefore || undefined);
    // For as long, whatever it does is suffered.
    await delay(2_000);
    const during = await memory();

    // However long it stays, it has a second for its good-bye.
    await client.call('disconnect', {});
    expect(client.states.at(-1)).toEqual({ state: 'disconnected' });
    expect(during - before).toBeLessThan(50);
    // At most 50 lines of 500 characters in each second, and what is tried again.
    const seconds = (performance.now() - begun) / 1_000;
    expect(net.log().length - linesBefore).toBeLessThan(200_000 + 25_000 * seconds);
    expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
    client[Symbol.dispose]();
    await net.lab.user.exec(['sh', '-c', 'exec pkill -KILL --ns $$ --nslist net -U waymaker-engine']);
  },
);
