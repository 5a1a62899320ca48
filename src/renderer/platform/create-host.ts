import { createHostClient } from '#shared/host/client.ts';
import type { Host } from '#shared/host/contract.ts';
import { desktopTransport } from './desktop.ts';
import { createWebConsoleHost } from './web/web.ts';
import type { TextPort } from './webview/webview-port.ts';

/**
 * The host around this page: the app behind a webview's port, the one that put a transport on `window`, or the page
 * itself.
 */
export async function createHost(port: TextPort | undefined): Promise<Host> {
  const around = port
    ? (await import('./webview/webview.ts')).createWebviewTransport(port)
    : desktopTransport();
  if (!around) return createWebConsoleHost();
  const [transport, { hostContract }] = await Promise.all([around, import('#shared/host/contract.ts')]);
  return createHostClient(hostContract, transport);
}
