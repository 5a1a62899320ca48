import dnsPacket from 'dns-packet';
import { addresses, names, ports } from '../network/addresses.ts';
import type { EchoReply } from '../network/echo.ts';
import type { Machine } from '../machine/machine.ts';
import { endProcess, words } from '../runs/process.ts';
import { programFile } from '../runs/programs.ts';
import { silenceLimit, waitLimit } from '../runs/wait-limit.ts';
import { getInside, sendInside } from './socket-inside.ts';

/**
 * Traffic that shows which way it went. Each probe contains `marker`, a text of letters and digits that is searched for
 * in captures, and resolves whether or not anything came back.
 */
export interface Probes {
  /** Asks the HTTP echo by IPv4 address; undefined if there was no answer. */
  readonly http4: (marker: string) => Promise<EchoReply | undefined>;
  /** Asks the HTTP echo by IPv6 address; undefined if there was no answer. */
  readonly http6: (marker: string) => Promise<EchoReply | undefined>;
  /** Resolves `MARKER.probe.waymaker.test` through the system's resolver; the addresses found. */
  readonly dns: (marker: string) => Promise<string[]>;
  /** Sends the same query to the public resolver, ignoring the system's settings; returns nothing. */
  readonly dnsToPublicResolver: (marker: string) => Promise<void>;
  /** Sends a datagram with the marker to the echo over IPv4; returns nothing. */
  readonly udp4: (marker: string) => Promise<void>;
  /** Sends a datagram with the marker to the echo over IPv6; returns nothing. */
  readonly udp6: (marker: string) => Promise<void>;
  /**
   * Sends all of these again and again, every `milliseconds`, until disposed; the first round is sent when it resolves.
   */
  readonly stream: (marker: string, milliseconds?: number) => Promise<AsyncDisposable>;
}

/**
 * Seconds after which nobody is expected to answer. Tests in which nobody may answer wait for all of it, so it has a
 * limit: the kernels and both ends of a tunnel answer sooner, even on a busy machine.
 */
export const silenceSeconds = () => Math.ceil(silenceLimit(2000, 6000) / 1000);

/** For curl(1): without a connection it gives up soon; with one, it waits for the answer however long that takes. */
export const curlLimits = () =>
  words(`--connect-timeout ${silenceSeconds()} --max-time ${waitLimit(20_000) / 1000}`);

/** The same for what is asked without a program. */
export const waitFactor = () => ({ connectMs: silenceSeconds() * 1000, answerMs: waitLimit(20_000) });

export function createProbes(machine: Machine): Probes {
  const { namespace } = machine;
  async function http(host: string, marker: string): Promise<EchoReply | undefined> {
    const answer = await getInside(namespace, { host, port: ports.http, path: `/${marker}` }, waitFactor());
    return answer === undefined ? undefined : (JSON.parse(answer) as EchoReply);
  }
  async function datagram(host: string, port: number, payload: string | Uint8Array): Promise<void> {
    sendInside(namespace, host, port, Buffer.from(payload));
  }
  return {
    http4: (marker) => http(addresses.echo.ipv4, marker),
    http6: (marker) => http(addresses.echo.ipv6, marker),
    dns: (marker) => resolve(machine, `${marker}.${names.probes}`),
    dnsToPublicResolver: (marker) =>
      datagram(addresses.resolver.ipv4, ports.dns, dnsQuery(`${marker}.${names.probes}`)),
    udp4: (marker) => datagram(addresses.echo.ipv4, ports.echo, marker),
    udp6: (marker) => datagram(addresses.echo.ipv6, ports.echo, marker),
    async stream(marker, milliseconds = 20) {
      const script = programFile('tests/lab/probes/probe-stream.ts');
      const sender = await machine.spawnUntil(
        [process.execPath, script, marker, String(milliseconds)],
        /sending/,
      );
      return { [Symbol.asyncDispose]: () => endProcess(sender, 'SIGKILL') };
    },
  };
}

/** The addresses that a machine's own resolver finds for a name, IPv4 and IPv6; empty if there are none. */
export async function resolve(machine: Machine, name: string): Promise<string[]> {
  const { stdout } = await machine.exec(['getent', 'ahosts', name], {
    env: { RES_OPTIONS: `timeout:${silenceSeconds()} attempts:1` },
  });
  const found = stdout.split('\n').flatMap((line) => line.split(/\s+/)[0] || []);
  return [...new Set(found)].sort();
}

function dnsQuery(name: string): Buffer {
  return dnsPacket.encode({
    type: 'query',
    id: 1,
    flags: dnsPacket.RECURSION_DESIRED,
    questions: [{ type: 'A', name }],
  });
}

/** Each kind of probe once, to its end. */
export async function probeOnce({ probe }: { readonly probe: Probes }, marker = 'x'): Promise<void> {
  const { http4, http6, dns, dnsToPublicResolver, udp4, udp6 } = probe;
  // At once: where nothing answers, each takes its time, and connecting ends by itself meanwhile.
  await Promise.all([http4, http6, dns, dnsToPublicResolver, udp4, udp6].map((send) => send(marker)));
}
