import type { Log } from '../log.ts';
import { SystemChangeFailed } from './system-adapter.ts';
import type { Held } from './applied-network.ts';
import { createProxyProcess, type ProxyProcess } from '../linux/proxy-process.ts';
import { killProcessesOf } from '../linux/user-processes.ts';

/** Keeps the proxy of mode pac from one connection to the next. */
export interface ProxyLifecycle {
  /** Gives a connection its proxy, or the one that was left, and makes that do as the connection wants. */
  prepare(current: Held): Promise<void>;
  /** Makes a connection's proxy, if it has one, do as the connection wants. */
  configure(current: Held): Promise<void>;
  /** The connection has ended, or will have none: its proxy is left where programs find it until `end`. */
  leave(proxy: ProxyProcess | undefined): void;
  /** Ends the proxy that is left, also that of an earlier helper. */
  end(): Promise<void>;
}

export function createProxyLifecycle(options: {
  /** The unprivileged user that it runs as. */
  user: string;
  /** Its uid, once it has been looked up, if there is such a user. */
  uid: () => number | undefined;
  /** Its program. */
  script: string;
  /** It listens elsewhere from now on. */
  onMoved: () => void;
  log: Log;
}): ProxyLifecycle {
  const { script, onMoved, log } = options;
  /** The proxy of a connection that has ended, where programs are to fail until an explicit disconnect. */
  let left: ProxyProcess | undefined;

  async function end(): Promise<void> {
    left?.stop();
    left = undefined;
    const uid = options.uid();
    if (uid !== undefined) await killProcessesOf(uid);
  }

  /** Names that a proxy is asked for are looked up inside the tunnel; the machine's own ones are left alone. */
  async function configure({ connection, proxy, configuration }: Held): Promise<void> {
    if (!proxy || !configuration || connection.routing.mode !== 'pac') return;
    const { routeDomains, blockedDomains } = connection.routing;
    const { ipv4, ipv6 } = configuration.addresses;
    await proxy.configure({
      resolvers: configuration.dns.servers,
      families: { ipv4: ipv4 !== undefined, ipv6: ipv6 !== undefined },
      routeDomains,
      blockedDomains,
      outlive: connection.killSwitch,
    });
  }

  return {
    end,
    configure,
    async prepare(current) {
      const { connection, accounts } = current;
      if (!accounts.proxy) throw new SystemChangeFailed(`there is no user ${options.user}`);
      if (left && left.outlives !== connection.killSwitch) await end();
      current.proxy ??= left ?? createProxyProcess({ account: accounts.proxy, script, onMoved, log });
      left = undefined;
      await configure(current);
    },
    leave(proxy) {
      left = proxy ?? left;
    },
  };
}
