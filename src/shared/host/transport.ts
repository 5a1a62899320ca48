/**
 * Carries the host contract between a page and its app: Electron's IPC, a webview's message port, or plain calls in the
 * page. `channel` is `group.name`.
 */
export interface HostTransport {
  request(channel: string, input: unknown): Promise<unknown>;
  /** Returns a function that ends the subscription. */
  subscribe(channel: string, listener: (payload: unknown) => void): () => void;
}

/** Name under which the preload puts a desktop page's transport on `window`. */
export const desktopTransportName = 'waymakerHost';
