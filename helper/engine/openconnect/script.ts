import { maxPushedRoutes } from '../../network/tunnel-configuration.ts';

/** The variables of the script's environment that are read; vpnc-script describes them at its top. */
const variables = [
  'TUNDEV',
  'INTERNAL_IP4_ADDRESS',
  'INTERNAL_IP6_ADDRESS',
  'INTERNAL_IP6_NETMASK',
  'INTERNAL_IP4_MTU',
  'INTERNAL_IP4_DNS',
  'INTERNAL_IP6_DNS',
  'CISCO_DEF_DOMAIN',
] as const;

/**
 * Variables with the number of pushed routes of each kind; their addresses and lengths are in `NAME_0_ADDR` and so on.
 */
export const routeLists = {
  ipv4: { includes: 'CISCO_SPLIT_INC', excludes: 'CISCO_SPLIT_EXC' },
  ipv6: { includes: 'CISCO_IPV6_SPLIT_INC', excludes: 'CISCO_IPV6_SPLIT_EXC' },
} as const;

/** The maximum length of a value that is passed on, in bytes. */
const maxValue = 2_000;

const maxRouteRecords = 4 * (1 + 2 * maxPushedRoutes);

const passRoutes = [
  '/usr/bin/env -0',
  `grep -zEm${maxRouteRecords} '^CISCO_(IPV6_)?SPLIT_(INC|EXC)(=[0-9]{1,6}|_[0-9]{1,6}_(ADDR=[0-9A-Fa-f.:]{1,45}|MASKLEN=[0-9]{1,3}))$'`,
].join(' | ');

/**
 * The value of openconnect's `--script` (openconnect(8)), which openconnect runs with `/bin/sh -c`. It passes the
 * variables to the helper on descriptor 3, and succeeds if the helper's answer on descriptor 4 is "ok"; the helper does
 * all configuration. An empty record ends the environment. Anything else that a gateway pushes goes no further, however
 * much it is.
 */
export function engineScript({ withRoutes }: { withRoutes: boolean }): string {
  return [
    'case "$reason" in connect|reconnect) ;; *) exit 0 ;; esac',
    '{',
    `printf '%s=%.${maxValue}s\\0' ${variables.map((name) => `${name} "$${name}"`).join(' ')}`,
    ...(withRoutes ? [passRoutes] : []),
    "printf '\\0'",
    '} >&3',
    'read -r answer <&4 && [ "$answer" = ok ]',
  ].join('\n');
}

export const scriptAnswer = { accepted: 'ok\n', refused: 'no\n' } as const;

/** The maximum size of the environment in bytes: more than the script can pass on. */
export const maxEnvironment = { withoutRoutes: 32 * 1024, withRoutes: 2 * 1024 * 1024 } as const;

/**
 * Reads the bytes of descriptor 3. Each call returns the environment that they complete, or undefined if it is not
 * complete yet, or `'too-much'` if it is longer than `limit` or is followed by more data: the next one must not come
 * before this one is answered.
 */
export function createEnvironmentReader(
  limit: number,
): (bytes: Buffer) => ReadonlyMap<string, string> | 'too-much' | undefined {
  let unread: Buffer | undefined;
  let length = 0;
  return (bytes) => {
    // Allocated at its full size: growing with every byte would take unbounded time.
    unread ??= Buffer.alloc(limit);
    if (length + bytes.length > limit) return 'too-much';
    bytes.copy(unread, length);
    const end = unread.indexOf(endOfEnvironment, Math.max(0, length - 1));
    length += bytes.length;
    if (end === -1 || end + endOfEnvironment.length > length) return undefined;
    if (end + endOfEnvironment.length < length) return 'too-much';
    const text = unread.subarray(0, end).toString('utf8');
    [unread, length] = [undefined, 0];
    return new Map(text.split('\0').map(splitVariable));
  };
}

const endOfEnvironment = Buffer.from('\0\0');

function splitVariable(text: string): [name: string, value: string] {
  const equals = text.indexOf('=');
  return equals === -1 ? [text, ''] : [text.slice(0, equals), text.slice(equals + 1)];
}
