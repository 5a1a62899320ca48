import { readFileSync } from 'node:fs';
import type { Log } from '../log.ts';
import { SystemChangeFailed } from '../system/system-adapter.ts';
import { listenTcpAs } from './tcp-socket-as.ts';

/**
 * Where the proxy listens: the first that is free, so that programs find the next proxy where the one before was. Only
 * root may listen below 1024 (ip(7), ip_unprivileged_port_start), so that nobody else answers programs that are still
 * sent there, whatever has become of helper, proxy and packet filter. Below 80, since machines with rootless containers
 * often open the ports from there on. Nobody's (IANA, Service Name and Port Number Registry), and none that browsers
 * refuse (Fetch Standard, "bad port").
 */
export const proxyPorts = [28, 30, 32] as const;

/** A socket that listens for the proxy, which inherits it. */
export interface ProxyListener {
  port: number;
  descriptor: number;
}

/**
 * The socket is the proxy's user's, since the packet filter lets nobody else answer from that port. There is no other
 * port if all are taken: it would be one that anybody can have.
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
