import { readFileSync } from 'node:fs';
import type { Log } from '../../log.ts';
import type { ProxyListener } from '../../posix/proxy-process.ts';
import { proxyPorts } from '../../proxy-host/proxy-ports.ts';
import { SystemChangeFailed } from '../../system/ports/system-change-failed.ts';
import { listenTcpAs } from './tcp-socket-as.ts';

/**
 * The socket belongs to the proxy's user, because the packet filter lets nobody else answer from that port. If all
 * ports are taken, no other is tried: anybody could listen there.
 */
export function openProxyListener(uid: number, log: Log): ProxyListener {
  for (const port of proxyPorts) {
    const descriptor = listenTcpAs(uid, { address: '127.0.0.1', port });
    if (descriptor === undefined) continue;
    const firstOpen = Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'));
    if (port >= firstOpen)
      log.warn('without the packet filter, any user could take the port of the proxy', { port, firstOpen });
    return { port, descriptor };
  }
  throw new SystemChangeFailed(`no port for the proxy is free, of ${proxyPorts.join(', ')}`);
}
