import { createHostClient } from '#shared/host/client.ts';
import { hostContract, type Host } from '#shared/host/contract.ts';
import { desktopTransport } from './desktop.ts';
import { findWebviewPort } from './webview-port.ts';

/** The host around this page: the app that put a transport or a port on `window`, or else the page itself. */
export async function createHost(): Promise<Host> {
  const port = findWebviewPort();
  const transport = port
    ? (await import('./webview.ts')).createWebviewTransport(port)
    : (desktopTransport() ?? (await import('./web.ts')).createWebTransport());
  return createHostClient(hostContract, await transport);
}
