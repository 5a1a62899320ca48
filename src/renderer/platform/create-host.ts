import { createHostClient } from '#shared/host/client.ts';
import { hostContract, type Host } from '#shared/host/contract.ts';
import { desktopTransport } from './desktop.ts';

/** The host around this page: the app that put a transport on `window`, or else the page itself. */
export async function createHost(): Promise<Host> {
  const transport = desktopTransport() ?? (await import('./web.ts')).createWebTransport();
  return createHostClient(hostContract, await transport);
}
