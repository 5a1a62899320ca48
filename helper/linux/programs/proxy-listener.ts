import { readFileSync } from 'node:fs';
import type { Log } from '../../log.ts';
import { SystemChangeFailed } from '../../system/ports/system-change-failed.ts';
import { listenTcpAs } from './tcp-socket-as.ts';

/**
 * The proxy's ports: the first free one is used, so that programs find the next proxy where the previous one was. Only
 * root may listen below 1024 (ip(7), ip_unprivileged_port_start), so nobody else can answer programs that still use it,
 * whatever has happened to helper, proxy and packet filter. Below 80, because machines with rootless containers often
 * open the ports from there on. They are unassigned (IANA, Service Name and Port Number Registry), and browsers do not
 * refuse them (Fetch Standard, "bad port").
 */
export const proxyPorts = [28, 30, 32] as const;

/** A listening socket that the proxy inherits. */
export interface ProxyListener {
  port: number;
  descriptor: number;
}

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
