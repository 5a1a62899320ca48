import type { CheckedWayOut, WayOutReply } from '#shared/control/contract.ts';
import type { Say } from '#shared/texts/say.ts';
import type { Finding } from './finding.ts';

/** How this computer gets out: a proxy that nobody thought of explains much. */
export function checkWayOut(way: WayOutReply, say: Say): Finding {
  const { proxy } = way;
  const place = proxy
    ? `${proxy.protocol}://${proxy.host.includes(':') ? `[${proxy.host}]` : proxy.host}:${proxy.port}`
    : '';
  if (proxy?.isRefused)
    return { check: 'way-out', outcome: 'problem', text: say('doctor.wayOutRefused', { proxy: place }) };
  const text = say(proxy ? 'doctor.wayOutProxy' : 'doctor.wayOutDirect', { proxy: place });
  const why = reasonFor(way, say);
  return { check: 'way-out', outcome: 'ok', text: why === undefined ? text : `${text} (${why})` };
}

function reasonFor({ kind, hasScript }: WayOutReply, say: Say): string | undefined {
  switch (kind) {
    case 'direct':
    case 'proxy':
      return undefined;
    case 'script':
      return say('doctor.wayOutScript');
    case 'discovery':
      return say(hasScript ? 'doctor.wayOutDiscovered' : 'doctor.wayOutUndiscovered');
    default:
      return kind satisfies never;
  }
}

/** The service behind a proxy, as the core reaches it. */
export const serviceThroughProxy = (
  { isServiceReached }: CheckedWayOut,
  { host, say }: { host: string; say: Say },
): Finding[] => [
  isServiceReached
    ? { check: 'service', outcome: 'ok' }
    : { check: 'service', outcome: 'problem', text: say('doctor.serviceSilent', { host }) },
  // The proxy looks the name up, and may be the only one who can.
  { check: 'resolver', outcome: 'unknown' },
  { check: 'clock', outcome: 'unknown' },
];
