import { createHash } from 'node:crypto';
import type { Gateway } from '#shared/tunnel/state.ts';
import type { Settings } from '../preferences/settings.ts';
import { authority } from './authority.ts';

/** A group of users that a gateway offers: what it is called on the wire, and what it is to people. */
export interface GatewayGroup {
  value: string;
  label: string;
}

/** What is known of gateways from earlier sign-ins. */
export interface GatewayMemory {
  /** Where the sign-in begins: path and query. */
  path(gateway: Gateway): string;
  /** For a gateway that the user goes to by itself; true if another was known. */
  setPath(gateway: Gateway, path: string): boolean;
  /** That `to` was reached by a redirect of `listed`. */
  rememberRedirect(listed: Gateway, to: Gateway, path: string): void;
  /** The gateway by which this one was reached, which is the one that the user knows; itself if there was no redirect. */
  listed(gateway: Gateway): Gateway;
  /** The group that the user chose. */
  group(gateway: Gateway): GatewayGroup | undefined;
  /** False if it could not be kept. */
  setGroup(gateway: Gateway, group: GatewayGroup | undefined): boolean;
  /** The user's certificate with its chain, PEM. */
  certificate(gateway: Gateway): string | undefined;
  /** False if it could not be kept. */
  setCertificate(gateway: Gateway, certificate: string | undefined): boolean;
  /** Whether this gateway has refused somebody without a certificate. */
  wantsCertificate(gateway: Gateway): boolean;
  setWantsCertificate(gateway: Gateway): void;
  /** Whether the user has read this text of this gateway. */
  hasRead(gateway: Gateway, banner: string): boolean;
  setRead(gateway: Gateway, banner: string): void;
}

const maxGateways = 64;

export function createGatewayMemory(settings: Settings): GatewayMemory {
  type Known = ReturnType<typeof all>[string];
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
    return settings.set(
      'gateways',
      Object.fromEntries([...others, [key, changed] as const].slice(-maxGateways)),
    );
  }

  const path = (gateway: Gateway) => known(gateway).path ?? '/';
  /** A group is one of those that are offered there. */
  const listedOf = (gateway: Gateway) => known(gateway).listed ?? gateway;

  return {
    path,
    setPath(gateway, next) {
      const { listed } = known(gateway);
      const isOther = path(gateway) !== next;
      // Whoever goes there directly means this gateway, whichever has redirected to it before. The groups that one
      // address offers are not another's.
      if (isOther || listed)
        update(gateway, { path: next, listed: undefined, ...(isOther && { group: undefined }) });
      return isOther;
    },
    rememberRedirect(listed, to, next) {
      const { listed: before } = known(to);
      if (before && keyOf(before) === keyOf(listed) && path(to) === next) return;
      update(to, { listed: { host: listed.host, port: listed.port }, path: next });
    },
    listed: listedOf,
    group: (gateway) => known(listedOf(gateway)).group,
    setGroup: (gateway, group) => update(listedOf(gateway), { group }),
    certificate: (gateway) => known(listedOf(gateway)).certificate,
    setCertificate: (gateway, certificate) => update(listedOf(gateway), { certificate }),
    wantsCertificate: (gateway) => known(listedOf(gateway)).wantsCertificate ?? false,
    setWantsCertificate: (gateway) => void update(listedOf(gateway), { wantsCertificate: true }),
    hasRead: (gateway, banner) => known(gateway).banner === digest(banner),
    setRead: (gateway, banner) => void update(gateway, { banner: digest(banner) }),
  };
}

const digest = (text: string) => createHash('sha256').update(text).digest('base64');
