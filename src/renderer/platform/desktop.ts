import { desktopTransportName, type HostTransport } from '#shared/host/transport.ts';

declare global {
  interface Window {
    readonly [desktopTransportName]?: HostTransport;
  }
}

/** The transport that the desktop app's preload put on `window`, if this page runs in it. */
export function desktopTransport(): HostTransport | undefined {
  return window[desktopTransportName];
}
