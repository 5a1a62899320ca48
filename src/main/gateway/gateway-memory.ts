import { createHash } from 'node:crypto';
import type { GatewayAgent } from '#shared/gateway-user-agent.ts';
import type { Gateway } from '#shared/tunnel/state.ts';
import type { Settings } from '../preferences/settings.ts';
import { authority } from './authority.ts';

/** A group of users that a gateway offers: its value in the protocol, and its name for people. */
export interface GatewayGroup {
  value: string;
  label: string;
}

/** What is remembered about gateways from earlier sign-ins. */
export interface GatewayMemory {
  /** Where the sign-in begins: path and query. */
  path(gateway: Gateway): string;
  /** For a gateway that the user chose directly; true if this replaces another path. */
  setPath(gateway: Gateway, path: string): boolean;
  /** Remembers that `listed` redirected to `to`. */
  rememberRedirect(listed: Gateway, to: Gateway, path: string): void;
  /**
   * The gateway that redirected to this one, which is the one that the user knows; the gateway itself without a
   * redirect.
   */
  listed(gateway: Gateway): Gateway;
  /** The group that the user chose. */
  group(gateway: Gateway): GatewayGroup | undefined;
  /** False if it could not be stored. */
  setGroup(gateway: Gateway, group: GatewayGroup | undefined): boolean;
  /** The user's certificate with its chain, as PEM. */
  certificate(gateway: Gateway): string | undefined;
  /** False if it could not be stored. */
  setCertificate(gateway: Gateway, certificate: string | undefined): boolean;
  /** Whether this gateway has refused a sign-in without a certificate. */
  wantsCertificate(gateway: Gateway): boolean;
  setWantsCertificate(gateway: Gateway): void;
  /** The name under which it knows this client. */
  agent(gateway: Gateway): GatewayAgent;
  setAgent(gateway: Gateway, agent: GatewayAgent): void;
  /** Whether the user has read this banner of this gateway. */
  hasRead(gateway: Gateway, banner: string): boolean;
  setRead(gateway: Gateway, banner: string): void;
  /** The gateways for which the user has chosen a certificate, as `authority` writes them, in lower case. */
  withCertificate(): string[];
  /** Another user may be next: forgets what this one chose and read. What the gateways are like stays. */
  forgetUser(): void;
}

const maxGateways = 64;

export function createGatewayMemory(settings: Settings): GatewayMemory {
  type Known = NonNullable<ReturnType<typeof all>[string]>;
  const all = () => settings.get('gateways');
  const keyOf = (gateway: Gateway) => authority(gateway).toLowerCase();

  function known(gateway: Gateway): Known {
    const key = keyOf(gateway);
    const every = all();
    return (Object.hasOwn(every, key) ? every[key] : undefined) ?? {};
  }

  function update(gateway: Gateway, change: Partial<Known>): boolean {
    const key = keyOf(gateway);
    const others = Object.entries(all()).filter(([name]) => name !== key);
    const changed = { ...known(gateway), ...change };
    const kept = others.length < maxGateways ? others : withoutOne(others);
    return settings.set('gateways', Object.fromEntries([...kept, [key, changed] as const]));
  }

  /** Where the user goes to by itself. */
  const ownPath = (one: Known) => one.path ?? '/';
  function path(gateway: Gateway): string {
    const one = known(gateway);
    return (one.listed && one.redirectedPath) ?? ownPath(one);
  }
  /** Groups are remembered for the gateway that offers them. */
  const listedOf = (gateway: Gateway) => known(gateway).listed ?? gateway;

  return {
    path,
    setPath(gateway, next) {
      const one = known(gateway);
      const isOther = path(gateway) !== next;
      const isMoved = ownPath(one) !== next;
      // The user chose this gateway directly, so earlier redirects to it do not matter. Groups offered at one path are
      // not valid at another.
      if (isMoved || one.listed)
        update(gateway, {
          path: next,
          listed: undefined,
          redirectedPath: undefined,
          ...(isMoved && { group: undefined }),
        });
      return isOther;
    },
    rememberRedirect(listed, to, next) {
      const { listed: before } = known(to);
      if (before && keyOf(before) === keyOf(listed) && path(to) === next) return;
      update(to, { listed: { host: listed.host, port: listed.port }, redirectedPath: next });
    },
    listed: listedOf,
    group: (gateway) => known(listedOf(gateway)).group,
    setGroup: (gateway, group) => update(listedOf(gateway), { group }),
    certificate: (gateway) => known(listedOf(gateway)).certificate,
    setCertificate: (gateway, certificate) => update(listedOf(gateway), { certificate }),
    wantsCertificate: (gateway) => known(listedOf(gateway)).wantsCertificate ?? false,
    setWantsCertificate: (gateway) => void update(listedOf(gateway), { wantsCertificate: true }),
    agent: (gateway) => known(gateway).agent ?? 'open',
    setAgent(gateway, agent) {
      if (this.agent(gateway) !== agent) update(gateway, { agent });
    },
    hasRead: (gateway, banner) => known(gateway).banner === digest(banner),
    setRead: (gateway, banner) => void update(gateway, { banner: digest(banner) }),
    withCertificate: () =>
      Object.entries(all()).flatMap(([key, { certificate }]) => (certificate === undefined ? [] : [key])),
    forgetUser() {
      const ofNobody = { group: undefined, certificate: undefined, banner: undefined };
      const kept = Object.entries(all()).map(([key, before]) => [key, { ...before, ...ofNobody }] as const);
      settings.set('gateways', Object.fromEntries(kept));
    },
  };
}

/**
 * Without the oldest of which the user has chosen nothing: members of a cluster, which may have names without end. If
 * there is none, without the oldest of all.
 */
function withoutOne<Known extends { group?: unknown; certificate?: unknown }>(
  entries: readonly [string, Known][],
): [string, Known][] {
  const first = entries.findIndex(([, { group, certificate }]) => (group ?? certificate) === undefined);
  return entries.toSpliced(Math.max(first, 0), 1);
}

const digest = (text: string) => createHash('sha256').update(text).digest('base64');
