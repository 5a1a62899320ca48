import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import { createLog } from '../../../../helper/log.ts';
import { createKeptProxy } from '../../../../helper/proxy-host/kept-proxy.ts';
import type { ProgramProcess } from '../../../../helper/system/ports/engine-host-port.ts';
import type { ProxyProcess } from '../../../../helper/system/ports/proxy-host-port.ts';

const configuration = {
  resolvers: ['192.0.2.53'],
  families: { ipv4: true, ipv6: false },
  routeDomains: ['example.test'],
  blockedDomains: [],
  directDomains: [],
  outlive: false,
};

/** A program that takes each configuration, and ends when it is told to. */
function createProgram(): ProgramProcess {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.on('data', () => stdout.write('{"pacPath":"/0123456789abcdef.pac"}\n'));
  const events = new EventEmitter();
  return Object.assign(events, {
    stdio: [stdin, stdout, stderr],
    kill: () => events.emit('close', null, 'SIGKILL'),
  });
}

/** What Node returns while no file descriptor is left. */
function createNoProgram(): ProgramProcess {
  const events = new EventEmitter();
  process.nextTick(() => events.emit('error', new Error('spawn EMFILE')));
  return Object.assign(events, { stdio: undefined as never, kill: () => false });
}

let proxy: ProxyProcess;
afterEach(() => {
  proxy.stop();
  vi.useRealTimers();
});

test('a proxy that ended is replaced, also where that fails at first', async () => {
  const started: ProgramProcess[] = [];
  let failures = 0;
  const lines: string[] = [];
  proxy = createKeptProxy(
    {
      port: () => 28,
      start() {
        if (started.length === 1 && failures < 2) {
          failures += 1;
          if (failures === 1) throw new Error('the program may not be started');
          return createNoProgram();
        }
        const program = createProgram();
        started.push(program);
        return program;
      },
      close: () => undefined,
      endLeftOver: () => Promise.resolve(),
      bindsSources: false,
    },
    createLog((line) => lines.push(line)),
  );
  await proxy.configure(configuration);
  started[0]?.kill('SIGKILL');
  await vi.waitFor(() => expect(started).toHaveLength(2));
  expect(failures).toBe(2);
  expect(lines.filter((line) => line.includes('could not be restarted'))).toHaveLength(2);
  await proxy.configure({ ...configuration, routeDomains: [] });
  expect(started).toHaveLength(2);
});

test('a proxy that ends soon each time is started ever less often, until one has lasted', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const started: ProgramProcess[] = [];
  let livesMs = 10;
  proxy = createKeptProxy(
    {
      port: () => 28,
      start() {
        const program = createProgram();
        started.push(program);
        setTimeout(() => program.kill('SIGKILL'), livesMs);
        return program;
      },
      close: () => undefined,
      endLeftOver: () => Promise.resolve(),
      bindsSources: false,
    },
    createLog(() => undefined),
  );
  await proxy.configure(configuration);
  await vi.advanceTimersByTimeAsync(120_000);
  const inVain = started.length;
  expect(inVain).toBeGreaterThan(5);
  expect(inVain).toBeLessThan(10);

  livesMs = 300_000;
  await vi.advanceTimersByTimeAsync(60_000 + livesMs + 1_000);
  expect(started, 'one that lasted, and its successor').toHaveLength(inVain + 2);
});
