import { randomInt } from 'node:crypto';
import type { RunCommand } from '../../posix/command.ts';
import { proxyPorts } from '../../proxy-host/proxy-ports.ts';
import type { ProxySystem } from '../../posix/proxy-process.ts';
import { SystemChangeFailed } from '../../system/ports/system-change-failed.ts';
import type { Libc } from '../calls/libc.ts';
import { listenTcp, openTcp } from '../calls/tcp-socket.ts';
import { asUser } from './as-user.ts';
import { endProcessesOf } from './end-processes.ts';

/** Those that the system itself gives to sockets (IANA, RFC 6335 §6). */
const [firstFree, behindFree] = [49_152, 65_536] as const;
const tries = 20;

/** A listening socket of a user on any free port of this machine; undefined if none was found. */
export function openListenerAs(libc: Libc, uid: number): { port: number; descriptor: number } | undefined {
  for (let tried = 0; tried < tries; tried += 1) {
    const endpoint = { address: '127.0.0.1', port: randomInt(firstFree, behindFree) };
    const descriptor = asUser(uid, () => openTcp(libc, endpoint));
    if (listenTcp(libc, descriptor, endpoint)) return { port: endpoint.port, descriptor };
  }
  return undefined;
}

/** Routes lead the proxy's packets into the tunnel by their source; the packet filter tells them apart by its user. */
export const macosProxy = (libc: Libc, run: RunCommand): ProxySystem => ({
  command: (nodeArguments) => ({ file: process.execPath, args: [...nodeArguments] }),
  openListener({ uid }) {
    for (const port of proxyPorts) {
      const endpoint = { address: '127.0.0.1', port };
      // At a single address, only root may have such a port; whose the socket is was decided when it was made.
      const descriptor = asUser(uid, () => openTcp(libc, endpoint));
      if (listenTcp(libc, descriptor, endpoint)) return { port, descriptor };
    }
    throw new SystemChangeFailed(`no port for the proxy is free, of ${proxyPorts.join(', ')}`);
  },
  endProcessesOf: ({ uid }) => endProcessesOf(run, uid),
  bindsSources: true,
});
