import { spawn, type ChildProcess } from 'node:child_process';
import { isIPv6 } from 'node:net';
import { z } from 'zod';
import type { Log } from '../log.ts';
import { findProgram, programEnvironment, type RunCommand } from './command.ts';
import { tunnelDevice } from './identifiers.ts';

const routeList = z.array(
  z.object({
    dst: z.string(),
    dev: z.string().optional(),
    gateway: z.string().optional(),
    prefsrc: z.string().optional(),
  }),
);

/**
 * The way of the engine's packets to an address: next hop, device and source as one text, to be compared only;
 * undefined if there is none.
 */
export async function routeOfEngine(
  run: RunCommand,
  engineUid: number,
  address: string,
): Promise<string | undefined> {
  const { status, stdout } = await run('ip', ['-j', 'route', 'get', address, 'uid', String(engineUid)]);
  if (status !== 0) return undefined;
  const [route] = routeList.parse(JSON.parse(stdout));
  if (route?.dev === undefined || route.dev === tunnelDevice) return undefined;
  return [route.gateway ?? 'direct', route.dev, route.prefsrc ?? ''].join(' ');
}

/** Prefixes of the directly attached networks, as the main table has them; link-local ones of IPv6 included. */
export async function localPrefixes(run: RunCommand): Promise<string[]> {
  const lists = await Promise.all(
    ['-4', '-6'].map(async (family) => {
      const { status, stdout } = await run('ip', ['-j', family, 'route', 'show', 'table', 'main']);
      return status === 0 ? routeList.parse(JSON.parse(stdout || '[]')) : [];
    }),
  );
  const attached = lists.flat().filter(({ dst, gateway, dev }) => {
    return gateway === undefined && dst !== 'default' && dev !== tunnelDevice && dev !== undefined;
  });
  return [...new Set(attached.map(({ dst }) => withLength(dst)))];
}

const withLength = (prefix: string) =>
  prefix.includes('/') ? prefix : `${prefix}/${isIPv6(prefix) ? 128 : 32}`;

/** Changes come in bursts: a link that goes takes its addresses and routes along. */
const settleMilliseconds = 100;

/** How long until another monitor takes the place of one that ended. */
const restartMilliseconds = 1_000;

/** Calls back after changes of links, addresses or routes. Returns what ends the watch. */
export function watchNetwork(log: Log, onChange: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const changed = (after: number) => {
    clearTimeout(timer);
    timer = setTimeout(onChange, after);
  };
  let monitor = startMonitor();

  function startMonitor(): ChildProcess {
    const [setpriv, ip] = [findProgram('setpriv'), findProgram('ip')];
    if (setpriv === undefined || ip === undefined) throw new Error('ip is not installed');
    // Ends with the helper, whatever ends that.
    const argv = ['--pdeathsig=KILL', '--', ip, '-oneline', 'monitor', 'link', 'address', 'route'];
    const child = spawn(setpriv, argv, {
      cwd: '/',
      env: programEnvironment,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    child.stdout.on('data', () => changed(settleMilliseconds));
    child.once('error', (error) => log.error('the network cannot be watched', error));
    child.once('exit', () => {
      if (stopped) return;
      log.warn('the watch over the network ended; it is begun anew');
      clearTimeout(timer);
      timer = setTimeout(() => {
        monitor = startMonitor();
        // Something may have changed meanwhile.
        changed(settleMilliseconds);
      }, restartMilliseconds);
    });
    return child;
  }

  return () => {
    stopped = true;
    clearTimeout(timer);
    monitor.kill('SIGKILL');
  };
}
