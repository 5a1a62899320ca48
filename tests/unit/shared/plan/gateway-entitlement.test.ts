import { expect, test } from 'vitest';
import type { ServerGroup, Service } from '#shared/entities.ts';
import { entitlementTo, isMarkedAt, isSharedByPath } from '#shared/plan/gateway-entitlement.ts';
import type { SignInPlace } from '#shared/plan/usable-group.ts';

const now = Date.parse('2026-06-01T00:00:00Z');
const [earlier, soon, later] = [
  '2026-05-01T00:00:00.000Z',
  '2026-06-02T00:00:00.000Z',
  '2026-07-01T00:00:00.000Z',
];
const gateway = { host: 'gw.example.net', port: 443 };

function group(trialExpiredAt?: string | null): ServerGroup {
  return {
    id: 'group',
    name: 'Group',
    isTrial: trialExpiredAt !== undefined,
    trialExpiredAt: trialExpiredAt ?? null,
    items: [{ id: 'item', level: 1, servers: [{ serverId: 'one', name: 'One', domain: gateway.host }] }],
  };
}

const service = (expiredAt: string | null): Service => ({
  serviceId: 'one',
  expiredAt,
  seats: 1,
  service: 'Family',
});

const until = (at: string | undefined, reason?: string) => ({
  kind: 'usable',
  deadline: at && { at: Date.parse(at), reason },
});

test.each([
  ['a plan', [group()], service(later), until(later, 'plan-ended')],
  ['a trial', [group(soon)], service(null), until(soon, 'trial-ended')],
  ['a trial and a plan, the later counts', [group(soon)], service(later), until(later, 'plan-ended')],
  ['a plan and a longer trial', [group(later)], service(soon), until(later, 'trial-ended')],
  ['a trial without an end', [group(null)], service(soon), until(undefined)],
  ['two groups', [group(), group(later)], service(soon), until(later, 'trial-ended')],
  ['an expired plan', [group()], service(earlier), { kind: 'ended', reason: 'plan-ended' }],
  ['a trial that is over', [group(earlier)], service(null), { kind: 'ended', reason: 'trial-ended' }],
  [
    'a trial and a plan that are over',
    [group(earlier)],
    service(earlier),
    { kind: 'ended', reason: 'plan-ended' },
  ],
  ['a service that is not known', [group()], undefined, until(undefined)],
  ['a trial, and a service that is not known', [group(soon)], undefined, until(soon, 'trial-ended')],
  ['no such server', [], service(later), { kind: 'not-listed' }],
] as const)('%s', (_what, groups, told, expected) => {
  expect(entitlementTo(gateway, groups, told, now)).toEqual(expected);
});

test.each(['split', 'incoming'] as const)(
  'a gateway is marked as %s if each of its servers is, at its own path',
  (mark) => {
    const isMarked = (...at: [SignInPlace, ServerGroup[]]) => isMarkedAt(mark, ...at);
    const marked = { [mark]: true };
    const groups = (...servers: { path?: string }[]): ServerGroup[] => [
      {
        ...group(),
        items: [
          {
            id: 'item',
            level: 1,
            servers: servers.map((server, index) => ({
              serverId: String(index),
              name: 'One',
              domain: gateway.host,
              ...server,
            })),
          },
        ],
      },
    ];
    const place = { ...gateway, path: '/' };
    expect(isMarked(place, groups(marked))).toBe(true);
    expect(isMarked(place, groups({}))).toBe(false);
    expect(isMarked(place, groups())).toBe(false);
    expect(isMarked(place, groups(marked, {}))).toBe(false);
    expect(isMarked(place, groups({ ...marked, path: '/sales' }))).toBe(false);
    expect(isMarked({ ...place, path: '/sales' }, groups({}, { ...marked, path: '/sales' }))).toBe(true);
  },
);

test('servers share a gateway by path if they differ in where their sign-in begins', () => {
  const at = (...places: { path?: string; port?: number }[]): ServerGroup[] =>
    places.map((place, index) => {
      const [item] = group().items;
      const servers = [{ serverId: `s${index}`, name: 'One', domain: gateway.host, ...place }];
      return { ...group(), id: `g${index}`, items: item ? [{ ...item, servers }] : [] };
    });
  expect(isSharedByPath(gateway, at({}, { path: '/sales' }))).toBe(true);
  expect(isSharedByPath({ ...gateway, path: '/sales' } as SignInPlace, at({}, { path: '/sales' }))).toBe(
    true,
  );
  expect(isSharedByPath(gateway, at({ path: '/sales' }, { path: '/ops' }))).toBe(true);
  expect(isSharedByPath(gateway, at({}, { path: '/' }, {}))).toBe(false);
  expect(isSharedByPath(gateway, at({}, { path: '/sales', port: 8443 }))).toBe(false);
  expect(isSharedByPath(gateway, [])).toBe(false);
});
