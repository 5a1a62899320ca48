import type { GatewayTermsState } from '#shared/tunnel/state.ts';
import { checkTerms } from '../engine/checked-terms.ts';
import type { GivenTerms } from '../engine/engine-port.ts';
import type { Log } from '../log.ts';
import type { SystemAdapter } from '../system/system-adapter.ts';
import { watchIdle } from './idle-watch.ts';

/** What a gateway allows of a connection, and how near its limits are. */
export interface GatewayTerms {
  /** What the user sees of it. */
  readonly current: GatewayTermsState;
  take(given: GivenTerms): void;
  /** The tunnel is up, with a device that counts from now on. */
  up(): void;
  stop(): void;
}

export function createGatewayTerms(options: {
  adapter: Pick<SystemAdapter, 'statistics'>;
  onChange: () => void;
  signal: AbortSignal;
  log: Log;
}): GatewayTerms {
  const { adapter, onChange, signal, log } = options;
  let current: GatewayTermsState = {};
  let idleMs: number | undefined;
  let isUp = false;
  let idleWatch = new AbortController();

  function startIdleWatch(): void {
    idleWatch.abort();
    if (idleMs === undefined || !isUp) return;
    idleWatch = new AbortController();
    const stop = AbortSignal.any([signal, idleWatch.signal]);
    watchIdle({
      idleMs,
      used() {
        const { received = 0, sent = 0 } = adapter.statistics() ?? {};
        return received + sent;
      },
      onIdle(idleEndsAt) {
        const { idleEndsAt: _before, ...rest } = current;
        current = idleEndsAt === undefined ? rest : { ...rest, idleEndsAt };
        onChange();
      },
      signal: stop,
    }).catch((error: unknown) => {
      if (!stop.aborted) log.error('the tunnel’s use is not watched any more', error);
    });
  }

  return {
    get current() {
      return current;
    },
    take(given) {
      const { sessionSeconds, idleSeconds, message, splitDns, attributes } = checkTerms(given);
      log.info('the gateway has named its terms', {
        session: sessionSeconds ?? 'no limit',
        idle: idleSeconds ?? 'no limit',
        text: message === undefined ? 'none' : `${message.length} characters`,
        // Nothing follows from these yet; whoever runs the gateway may look for them.
        splitDns: splitDns.join(' ') || 'none',
        attributes: attributes.map(({ name }) => name).join(' ') || 'none',
      });
      current = {
        ...(sessionSeconds !== undefined && { endsAt: Date.now() + 1_000 * sessionSeconds }),
        ...(message !== undefined && { message }),
      };
      idleMs = idleSeconds === undefined ? undefined : 1_000 * idleSeconds;
      startIdleWatch();
      onChange();
    },
    up() {
      isUp = true;
      startIdleWatch();
    },
    stop: () => idleWatch.abort(),
  };
}
