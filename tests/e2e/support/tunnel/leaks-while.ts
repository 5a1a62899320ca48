import { randomUUID } from 'node:crypto';
import type { Lab } from '../../../lab/lab.ts';
import { findLeaks, type Leak } from '../../../lab/packets/leaks.ts';

export const everyKind = ['cleartext', 'dns', 'ipv6', 'other'];
export const kinds = (leaks: readonly Leak[]): string[] => [...new Set(leaks.map(({ kind }) => kind))].sort();
export const describeLeak = ({ kind, packet }: Leak): string =>
  `${kind} ${packet.source}:${packet.sourcePort} > ${packet.destination}:${packet.destinationPort}`;

/** Captures the uplink while every kind of probe is being sent, through `during`, which can send each once more. */
export async function leaksWhile(
  lab: Lab,
  during: (probe: () => Promise<void>) => Promise<void>,
): Promise<Leak[]> {
  const marker = `marker${randomUUID().slice(0, 8)}`;
  const probe = async () => {
    const { http4, http6, dns, dnsToPublicResolver, udp4, udp6 } = lab.user.probe;
    // At once: where nothing answers, each takes its time, and connecting ends by itself meanwhile.
    await Promise.all([http4, http6, dns, dnsToPublicResolver, udp4, udp6].map((send) => send(marker)));
  };
  const capture = await lab.capture();
  const stream = await lab.user.probe.stream(marker, 50);
  try {
    await during(probe);
    // Each probe once more, now that all is settled, and to its end.
    await probe();
  } finally {
    await stream[Symbol.asyncDispose]();
  }
  return findLeaks(await capture.stop(), marker);
}
