import { waitToTheEnd } from '#node/wait-to-the-end.ts';
import type { Tls } from './tls-side.ts';
import type { SecureConnection, TunnelEnd } from './tunnel-port.ts';

type Asked = { tls: Tls } | TunnelEnd;

/**
 * Asks for a tunnel on a connection that was held ready. A gateway may have closed it just now, and a network may have
 * dropped it without a word: then another one takes its place, which begins as soon as the held one has ended, or has
 * not answered for `patienceMs`. Whichever comes first counts: the held one's answer, or the other one, on which the
 * request is then made again. The other is closed.
 */
export async function askOnHeld(options: {
  held: SecureConnection;
  patienceMs: number;
  ask(connection: SecureConnection): Promise<Asked>;
  /** Opens another one. */
  open(): Promise<SecureConnection | undefined>;
  onUnanswered(): void;
}): Promise<Asked> {
  const { held } = options;
  const first = options.ask(held);
  const late = Promise.withResolvers<undefined>();
  const stop = waitToTheEnd(options.patienceMs, () => late.resolve(undefined));
  const soon = await Promise.race([first, late.promise]);
  stop();
  if (soon && !isClosed(soon)) return soon;
  options.onUnanswered();
  const opening = options.open();
  const sooner = await Promise.race([first.then((asked) => usableOr(asked, opening)), opening.then(nothing)]);
  if (sooner) {
    // Nobody has asked it anything.
    void opening.then((other) => other?.socket.end());
    return sooner;
  }
  const other = await opening;
  held.socket.destroy();
  return other ? await options.ask(other) : { kind: 'not-opened' };
}

/** An answer that says more than that the connection has ended; otherwise nothing, once the other one has settled. */
async function usableOr(asked: Asked, opening: Promise<unknown>): Promise<Asked | undefined> {
  if (!isClosed(asked)) return asked;
  await opening;
  return undefined;
}

const nothing = () => undefined;

const isClosed = (asked: Asked) =>
  'kind' in asked && asked.kind === 'not-granted' && asked.outcome.kind === 'closed';
