/**
 * Calls both ways between the app's process and the process that holds the pages, over Node's own IPC
 * channel in its `advanced` (structured clone) mode.
 */

interface CallMessage {
  type: 'call';
  id: number;
  name: string;
  args: unknown[];
}
interface ReplyMessage {
  type: 'reply';
  id: number;
  outcome: { ok: true; value: unknown } | { ok: false; name: string; message: string };
}
type Message = CallMessage | ReplyMessage;

/** What `process` and `ChildProcess` have in common. */
export interface MessagePort {
  send?(message: unknown, callback: (error: Error | null) => void): unknown;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'disconnect', listener: () => void): unknown;
}

type Method = (...args: never[]) => unknown;
type Methods<Side> = { [Name in keyof Side]: Method };

export type Peer<Remote extends Methods<Remote>> = {
  [Name in keyof Remote]: (...args: Parameters<Remote[Name]>) => Promise<Awaited<ReturnType<Remote[Name]>>>;
};

/** The other process went away before it replied. */
export class PeerGone extends Error {
  override name = 'PeerGone';
}

export function createPeer<Remote extends Methods<Remote>>(port: MessagePort, local: object): Peer<Remote> {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let lastId = 0;
  let gone = false;

  const send = (message: Message) =>
    port.send?.(message, () => {
      // A failed send means a closed channel, which 'disconnect' reports.
    });

  async function answer({ id, name, args }: CallMessage): Promise<void> {
    try {
      const method: unknown = Reflect.get(local, name);
      if (typeof method !== 'function') throw new Error(`no method ${name}`);
      const value: unknown = await Reflect.apply(method, local, args);
      send({ type: 'reply', id, outcome: { ok: true, value } });
    } catch (error) {
      const { name: kind, message } = error instanceof Error ? error : new Error(String(error));
      send({ type: 'reply', id, outcome: { ok: false, name: kind, message } });
    }
  }

  port.on('message', (raw) => {
    const message = raw as Message;
    if (message.type === 'call') {
      void answer(message);
      return;
    }
    const caller = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.outcome.ok) caller?.resolve(message.outcome.value);
    else caller?.reject(Object.assign(new Error(message.outcome.message), { name: message.outcome.name }));
  });
  port.on('disconnect', () => {
    gone = true;
    for (const caller of waiting.values()) caller.reject(new PeerGone('the other process is gone'));
    waiting.clear();
  });

  const call = (name: string, args: unknown[]) =>
    new Promise<unknown>((resolve, reject) => {
      if (gone) {
        reject(new PeerGone('the other process is gone'));
        return;
      }
      const id = ++lastId;
      waiting.set(id, { resolve, reject });
      send({ type: 'call', id, name, args });
    });

  return new Proxy({} as Peer<Remote>, {
    // A promise is told from other values by its `then`.
    get: (_, name) => (name === 'then' ? undefined : (...args: unknown[]) => call(String(name), args)),
  });
}
