import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect } from 'node:net';
import { certificateFault } from '#node/tls/certificate-fault.ts';
import { maxClockErrorMs } from '#shared/api/service-clock.ts';
import type { UsableServer } from '#shared/control/contract.ts';
import type { Say } from '#shared/texts/say.ts';
import { parseServerAddress } from '#shared/tunnel/address.ts';
import { headFromService } from '../../http-fetch.ts';
import { withTimeout } from '../../with-timeout.ts';
import type { Finding } from './finding.ts';

export const limitMs = 5000;

/** A host's addresses from the system's resolver; empty if it has none, or does not answer. */
export async function addressesOf(host: string): Promise<string[]> {
  const found = await withTimeout(
    lookup(host, { all: true }).catch(() => []),
    limitMs,
    [],
  );
  return found.map(({ address }) => address);
}

/** The local and the remote address of a successful connection. */
export interface MadeConnection {
  from: string;
  to: string;
}

/** Undefined if the connection fails. Nothing is sent over it. */
export async function tryConnection(host: string, port: number): Promise<MadeConnection | undefined> {
  const socket = connect({ host, port });
  socket.on('error', () => undefined);
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(limitMs) });
    return { from: socket.localAddress ?? '', to: socket.remoteAddress ?? '' };
  } catch {
    return undefined;
  } finally {
    socket.destroy();
  }
}

/** Checks the service, and the clock by the service's time. */
export async function checkService(apiUrl: string, say: Say): Promise<Finding[]> {
  const { hostname } = new URL(apiUrl);
  const found = await addressesOf(hostname);
  if (found.length === 0) {
    return [
      { check: 'resolver', outcome: 'problem', text: say('doctor.nameUnknown', { host: hostname }) },
      { check: 'clock', outcome: 'unknown' },
      { check: 'service', outcome: 'problem', text: say('doctor.serviceSilent', { host: hostname }) },
    ];
  }
  const asked = { url: `${apiUrl}/api/basic-info`, signal: AbortSignal.timeout(limitMs) };
  const reply = await headFromService(asked).catch((error: unknown) => ({ error }));
  const date = 'error' in reply ? NaN : Date.parse(reply.get('date') ?? '');
  return [
    { check: 'resolver', outcome: 'ok' },
    clockFinding(date, say),
    'status' in reply && reply.status === 200
      ? { check: 'service', outcome: 'ok' }
      : {
          check: 'service',
          outcome: 'problem',
          text: say(textFor('error' in reply ? reply.error : undefined), { host: hostname }),
        },
  ];
}

/** Why the service is not reached. */
function textFor(error: unknown) {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const fault = certificateFault(code);
  switch (fault) {
    case undefined:
      return 'doctor.serviceSilent';
    case 'dates':
      return 'doctor.serviceDates';
    case 'other':
      return 'doctor.serviceUntrusted';
    default:
      return fault satisfies never;
  }
}

function clockFinding(date: number, say: Say): Finding {
  if (Number.isNaN(date)) return { check: 'clock', outcome: 'unknown' };
  const error = Math.abs(Date.now() - date);
  if (error <= maxClockErrorMs) return { check: 'clock', outcome: 'ok' };
  const minutes = String(Math.round(error / 60_000));
  return { check: 'clock', outcome: 'problem', text: say('doctor.clockWrong', { minutes }) };
}

/** Checks the server that `connect` would use. */
export async function checkGateway(server: UsableServer | undefined, say: Say): Promise<Finding> {
  const gateway = server && parseServerAddress(server.address)?.gateway;
  if (!server || !gateway) return { check: 'gateway', outcome: 'unknown' };
  if (await tryConnection(gateway.host, gateway.port)) return { check: 'gateway', outcome: 'ok' };
  return { check: 'gateway', outcome: 'problem', text: say('doctor.gatewaySilent', { server: server.name }) };
}
