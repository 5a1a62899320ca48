import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { asUser } from '../../support/callers/attach-as.ts';
import { createHelperLab } from '../../support/helper-lab.ts';

/**
 * A user of this machine whom the helper has never heard of, of a number that no account has (Debian policy §9.2.2).
 */
const stranger = 64_952;

/** What whoever runs this gets of the process PID: for each attempt "done", or the system's error. */
const attempts = `
  const { openSync, readSync, readFileSync, readdirSync, readlinkSync, closeSync } = require('node:fs');
  const koffi = require(${JSON.stringify(createRequire(import.meta.url).resolve('koffi'))});
  const pid = Number(process.argv[1]);
  const libc = koffi.load('libc.so.6');
  const ptrace = libc.func('long ptrace(long request, int pid, void *address, void *data)');
  const ioctl = libc.func('int ioctl(int fd, unsigned long request, uint8_t *argument)');
  const errors = { 1: 'EPERM', 3: 'ESRCH', 13: 'EACCES', 16: 'EBUSY' };
  const told = (result) => { if (result < 0) throw { code: errors[koffi.errno()] ?? String(koffi.errno()) }; };
  const all = {
    environment: () => readFileSync('/proc/' + pid + '/environ'),
    memory() {
      const file = openSync('/proc/' + pid + '/mem', 'r');
      const [start] = readFileSync('/proc/' + pid + '/maps', 'latin1').split('-');
      readSync(file, Buffer.alloc(16), 0, 16, Number('0x' + start));
      closeSync(file);
    },
    descriptors: () => readdirSync('/proc/' + pid + '/fd').map((fd) => readlinkSync('/proc/' + pid + '/fd/' + fd)),
    // PTRACE_SEIZE, which stops nothing.
    trace: () => told(ptrace(0x4206, pid, null, null)),
    device() {
      const file = openSync('/dev/net/tun', 'r+');
      const request = Buffer.alloc(40);
      request.write('wm0');
      request.writeUInt16LE(0x0001 | 0x1000, 16);
      try { told(ioctl(file, 0x400454ca, request)); } finally { closeSync(file); }
    },
    signal: () => process.kill(pid, 'SIGWINCH'),
  };
  const results = {};
  for (const [name, attempt] of Object.entries(all)) {
    try { attempt(); results[name] = 'done'; } catch (error) { results[name] = error.code ?? String(error); }
  }
  console.log(JSON.stringify(results));`;

test('neither a stranger nor another program of its account gets at the engine’s memory or the tunnel’s device', async () => {
  await using net = await createHelperLab({ engine: 'own' });
  await net.start();
  await net.connect();
  const [engine = 0] = await net.engines();
  const account = Number(await net.lab.user.run(['ps', '-o', 'uid=', '-p', String(engine)]));
  expect(account).toBeGreaterThan(0);
  const whoGets = async (uid: number, pid: number) =>
    JSON.parse(
      await net.lab.user.run(['setpriv', ...asUser(uid), process.execPath, '-e', attempts, String(pid)]),
    ) as Record<string, string>;

  const refused = expect.stringMatching(/^(?:EPERM|EACCES|EBUSY)$/);
  const nothing = {
    environment: refused,
    memory: refused,
    descriptors: refused,
    trace: refused,
    device: refused,
  };
  expect(await whoGets(stranger, engine)).toEqual({ ...nothing, signal: 'EPERM' });
  // The proxy for captive portals runs as that account, too.
  expect(await whoGets(account, engine)).toEqual({ ...nothing, signal: 'done' });

  const own = net.lab.user.spawn(['setpriv', ...asUser(stranger), 'sleep', '900']);
  await expect
    .poll(async () => (await whoGets(stranger, own.pid ?? 0)).memory, { message: 'positive control' })
    .toBe('done');
  expect(await whoGets(stranger, own.pid ?? 0)).toMatchObject({
    environment: 'done',
    descriptors: 'done',
    signal: 'done',
    device: refused,
  });
  own.kill('SIGKILL');
});
