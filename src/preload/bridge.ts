import type { HostTransport } from '#shared/host/transport.ts';

/** The part of Electron's `ipcRenderer` that the preload uses. */
export interface PageIpc {
  invoke(channel: string, ...args: unknown[]): Promise<unknown>;
  on(channel: string, listener: (event: unknown, ...args: unknown[]) => void): void;
}

export interface HostChannels {
  readonly requests: readonly string[];
  readonly events: readonly string[];
}

/** The page's transport over Electron IPC; only channels of the host contract get through. */
export function createBridge(ipc: PageIpc, channels: HostChannels): HostTransport {
  const listeners = new Map<string, Set<(payload: unknown) => void>>();
  ipc.on('host-event', (_event, channel, payload) => {
    if (typeof channel !== 'string') return;
    for (const listener of listeners.get(channel) ?? []) listener(payload);
  });

  return {
    async request(channel, input) {
      if (!channels.requests.includes(channel)) throw new Error(`no such request: ${channel}`);
      const answer = (await ipc.invoke('host', channel, input)) as
        | { ok: true; value: unknown }
        | { ok: false; message: string };
      if (!answer.ok) throw new Error(answer.message);
      return answer.value;
    },
    subscribe(channel, listener) {
      if (!channels.events.includes(channel)) throw new Error(`no such event: ${channel}`);
      // A wrapper, so that one function may be subscribed twice and each subscription ends by itself.
      const deliver = (payload: unknown) => listener(payload);
      const group = listeners.get(channel) ?? new Set();
      listeners.set(channel, group.add(deliver));
      return () => {
        group.delete(deliver);
      };
    },
  };
}
