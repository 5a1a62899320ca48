import type { ConnectionProblem } from '#shared/tunnel/state.ts';
import type { Log } from '../../log.ts';
import type { SystemAdapter } from '../../system/system-adapter.ts';
import type { SilencePolicy } from './silence.ts';
import type { ProbePlan } from './traffic-probe.ts';
import { lacksResolver, problemsOf, watchTraffic } from './traffic-watch.ts';

/** Whether packets pass through a tunnel that its engine considers to be up, and what of it the user should know. */
export interface TunnelHealth {
  /** Undefined until it is known whether packets pass. */
  readonly problems: readonly ConnectionProblem[] | undefined;
  /** Replaces an earlier watch. */
  watch(plan: ProbePlan): void;
  stop(): void;
}

export function createTunnelHealth(options: {
  adapter: Pick<SystemAdapter, 'receivedPackets' | 'statistics' | 'openEcho' | 'asksTunnelResolvers'>;
  silence: SilencePolicy;
  onChange: () => void;
  /** Nothing came back in time; the next round waits for it if the gateway was only late. */
  onLate: () => void;
  /** The tunnel's resolvers answer, but not by the way that this machine's programs ask them. */
  onNamesFail: () => void;
  /** The tunnel has to be made again. */
  onSilent: () => void;
  /** Only packets up to this many bytes pass. */
  onShrunk: (mtu: number) => void;
  signal: AbortSignal;
  log: Log;
}): TunnelHealth {
  const { adapter, silence, onChange, signal, log } = options;
  let problems: readonly ConnectionProblem[] | undefined;
  let lastFound: string | undefined;
  let watching = new AbortController();

  return {
    get problems() {
      return problems;
    },
    watch(plan) {
      watching.abort();
      watching = new AbortController();
      const stop = AbortSignal.any([signal, watching.signal]);
      watchTraffic({
        plan,
        received: () => adapter.receivedPackets(),
        sent: () => adapter.statistics()?.sent ?? 0,
        openEcho: (own) => adapter.openEcho(own),
        isAskedByPrograms: () => adapter.asksTunnelResolvers(),
        signal: stop,
        onAllPass() {
          // Results of pending probes are added by the findings.
          problems = lacksResolver(plan) ? ['no-dns'] : [];
          onChange();
        },
        onFindings(findings) {
          const found = problemsOf(findings, plan);
          if (found.join() !== lastFound) {
            lastFound = found.join();
            log.info('the tunnel was probed', { problems: lastFound || 'none' });
          }
          if (findings.silent.length > 0) options.onLate();
          if (!findings.findsNames) options.onNamesFail();
          const verdict = silence.review(findings);
          if (verdict === 'look-again') return;
          if (verdict === 'recreate') return options.onSilent();
          problems = found;
          onChange();
        },
        onShrunk(mtu) {
          log.warn('large packets are lost between here and the gateway, the tunnel gets smaller', {
            from: plan.mtu,
            to: mtu,
          });
          options.onShrunk(mtu);
        },
        onError: (error) => log.error('the tunnel could not be probed', error),
      }).catch((error: unknown) => {
        if (!stop.aborted) log.error('the tunnel is not watched any more', error);
      });
    },
    stop: () => watching.abort(),
  };
}
