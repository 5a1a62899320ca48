import type { ControlClient } from '#shared/control/contract.ts';
import { createServiceFetch, type ServiceFetch } from '../http-fetch.ts';
import { openByWay } from '../way-out/connect-by-ways.ts';

/** How a command asks others than the core: by the proxies that the core knows, as it knows their passwords, too. */
export interface WaysOfCore {
  readonly fetch: ServiceFetch;
  /** Does something, and again once the user has said the password that a proxy on the way to this host wants. */
  withPassword<Result>(host: string, work: () => Promise<Result>): Promise<Result>;
}

/**
 * `client`: of the core. One that was started before an update does not know its ways: then, hosts are asked directly.
 */
export function waysOfCore({ wayOut }: Pick<ControlClient, 'wayOut'>): WaysOfCore {
  let isRefused = false;
  const find = async (host: string) => (await wayOut.to(host).catch(() => null)) ?? undefined;
  const open = openByWay(find, { refused: () => (isRefused = true), verified: () => undefined });
  return {
    fetch: createServiceFetch(open),
    async withPassword(host, work) {
      for (;;) {
        isRefused = false;
        const result = await work();
        if (!isRefused || !(await wayOut.askPassword(host))) return result;
      }
    },
  };
}
