import type { AppliedNetwork } from './applied-network.ts';
import type { ProxyHost, ProxyProcess } from './ports/proxy-host-port.ts';

/** Keeps the proxy of mode pac from one connection to the next. */
export interface ProxyLifecycle {
  /** Gives a connection its proxy, possibly the one that was left, and configures it. */
  prepare(current: AppliedNetwork): Promise<void>;
  /** Configures a connection's proxy, if it has one, as the connection wants. */
  configure(current: AppliedNetwork): Promise<void>;
  /** The connection has ended, or will have none: its proxy stays where programs find it, until `end`. */
  leave(proxy: ProxyProcess | undefined): void;
  /** Whether one may be left, even by an earlier helper. */
  isLeft(): boolean;
  /** Ends the proxy that is left, even that of an earlier helper. */
  end(): Promise<void>;
}

export function createProxyLifecycle(host: ProxyHost): ProxyLifecycle {
  /** The proxy of a connection that has ended; programs fail there until an explicit disconnect. */
  let left: ProxyProcess | undefined;
  let mayBeLeft = true;

  async function end(): Promise<void> {
    left?.stop();
    left = undefined;
    await host.endLeftOver();
    mayBeLeft = false;
  }

  /** Names that the proxy is asked for are looked up inside the tunnel; the machine's own look-ups stay as they are. */
  async function configure(current: AppliedNetwork): Promise<void> {
    const { connection, plan, proxy, configuration, roundTripMs } = current;
    if (!proxy || !configuration || !plan.proxy) return;
    const { ipv4, ipv6 } = configuration.addresses;
    await proxy.configure({
      resolvers: configuration.dns.servers,
      families: { ipv4: ipv4 !== undefined, ipv6: ipv6 !== undefined },
      sources: { ...(ipv4 !== undefined && { ipv4 }), ...(ipv6 !== undefined && { ipv6 }) },
      ...plan.proxy,
      outlive: connection.killSwitch,
      ...(roundTripMs !== undefined && { roundTripMs }),
    });
  }

  return {
    isLeft: () => mayBeLeft,
    end,
    configure,
    async prepare(current) {
      if (left && left.outlives !== current.connection.killSwitch) await end();
      current.proxy ??= left ?? (await host.create());
      left = undefined;
      mayBeLeft = false;
      await configure(current);
    },
    leave(proxy) {
      left = proxy ?? left;
      mayBeLeft ||= left !== undefined;
    },
  };
}
