import type { CallForUser } from '../session/call-for-user.ts';
import type { ProxyQuestions } from './proxy-questions.ts';
import type { WaysOut } from './ways-out.ts';

/**
 * Asks the user for the password of the proxy before the service, if it wants one, and makes the call again with it.
 * Without one, the call fails as it would without a network.
 */
export function callsThroughProxy(options: {
  ways: Pick<WaysOut, 'to' | 'isRefused'>;
  questions: Pick<ProxyQuestions, 'ask'>;
  /** The service's. */
  host: string;
  /** Whether the service is reached through the tunnel instead. */
  isInsideTunnel: () => boolean;
}): CallForUser {
  const { ways, questions, host, isInsideTunnel } = options;
  const refusing = () => {
    const way = isInsideTunnel() ? undefined : ways.to(host);
    return way && ways.isRefused(way) ? way : undefined;
  };
  return async (call) => {
    for (;;) {
      // Calls in the background may have found out, and the user may not have wanted to answer then.
      const way = refusing();
      if (way) await questions.ask(way);
      if (refusing()) return { ok: false, failure: { kind: 'network' } };
      const result = await call();
      if (result.ok || result.failure.kind !== 'network' || !refusing()) return result;
    }
  };
}
