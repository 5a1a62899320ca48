import { Resolver } from 'node:dns/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { hasErrorCode } from '#node/os/error-code.ts';
import type { ProbePlan } from './traffic-probe.ts';

/** Of one question, in milliseconds, at least; it is repeated once, which may take twice as long. */
const timeoutMs = 1_500;
const tries = 2;

/** DNS settings that have just been changed take a moment. */
const againMs = 1_000;

/**
 * Whether programs of this machine find names, by the way that its settings say, where the tunnel's resolvers answer
 * who asks them directly: those settings may want what these resolvers cannot do (resolved.conf(5), DNSOverTLS=), or
 * others stand in between. What the resolvers themselves do not know says nothing. Rejects only when the signal is
 * aborted.
 */
export async function probeNames(
  { addresses, resolvers, roundTripMs }: Pick<ProbePlan, 'addresses' | 'resolvers' | 'roundTripMs'>,
  signal: AbortSignal,
): Promise<boolean> {
  const limits = { timeout: Math.max(timeoutMs, roundTripMs), tries };
  if (await answers(new Resolver(limits), signal)) return true;
  const direct = new Resolver(limits);
  direct.setServers(resolvers);
  // Packets from the tunnel's own addresses are routed into it in every routing mode.
  direct.setLocalAddress(addresses.ipv4, addresses.ipv6);
  if (!(await answers(direct, signal))) return true;
  await delay(againMs, undefined, { signal, ref: false });
  return await answers(new Resolver(limits), signal);
}

/** What a resolver answers about a name, whether or not there is one (RFC 1035 §4.1.1, RCODE). */
const answerCodes = ['ENOTFOUND', 'ENODATA'];

/** Asks for the servers of the root, as every probe does. */
async function answers(resolver: Resolver, signal: AbortSignal): Promise<boolean> {
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    await resolver.resolveNs('.');
    return true;
  } catch (error) {
    signal.throwIfAborted();
    return hasErrorCode(error, ...answerCodes);
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}
