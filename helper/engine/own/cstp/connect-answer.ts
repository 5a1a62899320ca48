import { isIPv4, isIPv6 } from 'node:net';
import { maxPushedRoutes } from '../../../network/tunnel-configuration.ts';
import type { GivenRoutes } from '../../engine-port.ts';
import type { AnswerHead } from './answer-head.ts';
import { prefixOf } from './pushed-prefix.ts';
import { textIn } from './sent-text.ts';

/** What a gateway says when it grants a tunnel: typed and limited, but nobody has checked whether it can be used. */
export interface ConnectAnswer {
  ipv4: string | undefined;
  ipv6: string | undefined;
  /** The largest packet inside the tunnel, and on the link to the gateway, in bytes. */
  mtu: number | undefined;
  linkMtu: number | undefined;
  resolvers: string[];
  searchDomains: string[];
  /** Domains whose names are to be looked up at these resolvers alone; none: all. */
  splitDns: string[];
  tunnelAllDns: boolean;
  /** Whether an IP version without an address in the tunnel may go past it. */
  bypassesOtherVersion: boolean;
  routes: GivenRoutes;
  tls: Silence;
  rekey: Rekey;
  limits: SessionLimits;
  banner: string | undefined;
  /** An XML document, for those who know what is in it. It contains the session's cookie. */
  postAuthXml: string | undefined;
  dtls: DtlsOffer;
}

/** In seconds; undefined: not wanted. */
export interface Silence {
  /** A peer that is silent for so long is asked whether it is there. */
  dpdSeconds: number | undefined;
  /** Something is sent at least this often. */
  keepAliveSeconds: number | undefined;
}

export type Rekey = { method: 'none' } | { method: 'ssl' | 'new-tunnel'; seconds: number };

/** In seconds; undefined: without limit, or not told. */
export interface SessionLimits {
  /** Until the session ends, counted from its beginning. */
  sessionSeconds: number | undefined;
  /** Without a packet. */
  idleSeconds: number | undefined;
  /** For how long the session can be taken up again. */
  disconnectedSeconds: number | undefined;
  leaseSeconds: number | undefined;
}

export type DtlsOffer =
  /** `id`: what the first message of the handshake says, so that the gateway knows the session. */
  | ({ kind: 'psk'; id: Buffer; port: number | undefined } & Silence)
  | { kind: 'none'; why: 'not offered' | 'another cipher suite' | 'unusable' };

/** DTLS whose key comes from the TLS connection; all others have been given up by their makers. */
export const dtlsCipherSuite = 'PSK-NEGOTIATE';

const maxResolvers = 16;
const maxDomains = 64;
const maxSplitDomains = 1_000;
const maxTextChars = 4_096;
const maxXmlChars = 128 * 1024;
/** Longer ones mean the same as none: 30 years. */
const maxSeconds = 1_000_000_000;

/** What cannot be carried, and that it was refused. */
export type AnswerRead = { ok: true; answer: ConnectAnswer } | { ok: false; why: 'compression' };

export function readConnectAnswer({ headers }: AnswerHead): AnswerRead {
  const all = (name: string) => headers.get(name) ?? [];
  const first = (name: string) => headers.get(name)?.[0];
  const number = (name: string, max: number) => readNumber(first(name), max);
  const seconds = (name: string) => number(name, maxSeconds);
  const isTrue = (name: string) => first(name)?.toLowerCase() === 'true';

  const isEncoded = (name: string) => {
    const encoding = first(name);
    return encoding !== undefined && encoding !== '' && encoding.toLowerCase() !== 'identity';
  };
  if (isEncoded('x-cstp-content-encoding') || isEncoded('x-dtls-content-encoding'))
    return { ok: false, why: 'compression' };

  const addresses = [...all('x-cstp-address'), ...all('x-cstp-address-ip6').map(withoutLength)];
  return {
    ok: true,
    answer: {
      ipv4: addresses.find((address) => isIPv4(address)),
      ipv6: addresses.find((address) => isIPv6(address)),
      mtu: number('x-cstp-mtu', 65_535),
      linkMtu: number('x-cstp-base-mtu', 65_535),
      resolvers: [...all('x-cstp-dns'), ...all('x-cstp-dns-ip6')].filter(short).slice(0, maxResolvers),
      searchDomains: words(all('x-cstp-default-domain')).slice(0, maxDomains),
      splitDns: words(all('x-cstp-split-dns')).filter(isAscii).slice(0, maxSplitDomains),
      tunnelAllDns: isTrue('x-cstp-tunnel-all-dns'),
      bypassesOtherVersion: isTrue('x-cstp-client-bypass-protocol'),
      routes: readRoutes({
        includes: [...all('x-cstp-split-include'), ...all('x-cstp-split-include-ip6')],
        excludes: [...all('x-cstp-split-exclude'), ...all('x-cstp-split-exclude-ip6')],
      }),
      tls: { dpdSeconds: seconds('x-cstp-dpd'), keepAliveSeconds: seconds('x-cstp-keepalive') },
      rekey: readRekey(first('x-cstp-rekey-method'), seconds('x-cstp-rekey-time')),
      limits: {
        sessionSeconds: seconds('x-cstp-session-timeout-remaining') ?? seconds('x-cstp-session-timeout'),
        idleSeconds: seconds('x-cstp-idle-timeout'),
        disconnectedSeconds: seconds('x-cstp-disconnected-timeout'),
        leaseSeconds: seconds('x-cstp-lease-duration'),
      },
      banner: readText(bounded(first('x-cstp-banner'), maxTextChars)),
      postAuthXml: bounded(first('x-cstp-post-auth-xml'), maxXmlChars),
      dtls: readDtls(),
    },
  };

  function readDtls(): DtlsOffer {
    const suite = first('x-dtls-ciphersuite') ?? first('x-dtls12-ciphersuite');
    if (suite === undefined) return { kind: 'none', why: 'not offered' };
    if (suite !== dtlsCipherSuite) return { kind: 'none', why: 'another cipher suite' };
    const id = first('x-dtls-app-id') ?? '';
    // It is a session's identifier in the handshake (RFC 5246 §7.4.1.2).
    if (!/^(?:[0-9a-f]{2}){1,32}$/i.test(id)) return { kind: 'none', why: 'unusable' };
    return {
      kind: 'psk',
      id: Buffer.from(id, 'hex'),
      port: number('x-dtls-port', 65_535),
      dpdSeconds: seconds('x-dtls-dpd'),
      keepAliveSeconds: seconds('x-dtls-keepalive'),
    };
  }
}

const short = (text: string) => text.length <= 64;

/** Undefined for "none", for 0, and for whatever is no number. */
function readNumber(text: string | undefined, max: number): number | undefined {
  if (text === undefined || !/^\d{1,10}$/.test(text)) return undefined;
  const value = Number(text);
  return value === 0 || value > max ? undefined : value;
}

function readRekey(method: string | undefined, seconds: number | undefined): Rekey {
  if (seconds === undefined) return { method: 'none' };
  return method === 'ssl' || method === 'new-tunnel' ? { method, seconds } : { method: 'none' };
}

/** Without those that are longer in a message than here, as characters of control are; none of them is a domain. */
const words = (values: readonly string[]) =>
  values
    .flatMap((value) => value.split(/[\s,;]+/))
    .filter((word) => word.length <= 253 && /^[^\p{Cc}"\\]+$/u.test(word));
const isAscii = (word: string) => /^[\x21-\x7e]+$/.test(word);

const bounded = (text: string | undefined, max: number) =>
  text === undefined || text === '' || text.length > max ? undefined : text;

/**
 * A header's bytes as text. Cisco's gateways write what is not plain, and line breaks, as in URLs; others write UTF-8
 * as it is.
 */
function readText(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const bytes = Buffer.from(
    header.replace(/%([0-9A-Fa-f]{2})/g, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  );
  return textIn(bytes).replace(/[^\P{Cc}\n\r\t]/gu, '');
}

const withoutLength = (prefix: string) => prefix.replace(/\/\d{1,3}$/, '');

function readRoutes(pushed: Record<'includes' | 'excludes', readonly string[]>): GivenRoutes {
  const routes: Exclude<GivenRoutes, 'unreadable'> & object = {
    ipv4: { includes: [], excludes: [] },
    ipv6: { includes: [], excludes: [] },
  };
  for (const kind of ['includes', 'excludes'] as const) {
    const read = pushed[kind].map(prefixOf);
    // One that is not understood might be an include: without it, its packets would bypass the tunnel.
    if (read.includes(undefined)) return 'unreadable';
    for (const family of ['ipv4', 'ipv6'] as const) {
      const prefixes = read.flatMap((one) => (one?.family === family ? [one.prefix] : []));
      if (prefixes.length > maxPushedRoutes) return 'unreadable';
      routes[family] = { ...routes[family], [kind]: prefixes };
    }
  }
  return routes;
}
