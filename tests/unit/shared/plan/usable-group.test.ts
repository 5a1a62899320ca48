import { describe, expect, test } from 'vitest';
import type { ServerGroup, Service } from '#shared/entities.ts';
import { planState } from '#shared/plan/service-expiry.ts';
import { isGroupUsable, isServerAt, listServers, serverAt } from '#shared/plan/usable-group.ts';

const now = Date.parse('2026-03-01T12:00:00Z');
const before = '2026-03-01T11:59:59Z';
const after = '2026-03-01T12:00:01Z';

const service = (expiredAt: string | null): Service => ({
  serviceId: 's',
  seats: 1,
  service: 'Plan',
  expiredAt,
});
const group = (isTrial: boolean, trialExpiredAt: string | null = null): ServerGroup => ({
  id: 'g',
  name: 'Group',
  isTrial,
  trialExpiredAt,
  items: [],
});

describe('a server group is usable if not expired, on trial, or still loading', () => {
  test.each([
    ['while the service is loading', group(false), undefined, true],
    ['with a service that runs', group(false), service(after), true],
    ['not with a service that ran out', group(false), service(before), false],
    ['not without any service', group(false), service(null), false],
    ['on a trial that runs, without a service', group(true, after), service(null), true],
    ['on a trial that runs, with a service that ran out', group(true, after), service(before), true],
    ['on a trial without an end', group(true, null), service(null), true],
    ['not on a trial that ended', group(true, before), service(null), false],
    ['after a trial that ended, with a service that runs', group(true, before), service(after), true],
    ['not by a trial’s date where there is no trial', group(false, after), service(before), false],
  ])('%s', (_, ofGroup, ofService, expected) => {
    expect(isGroupUsable(ofGroup, ofService, now)).toBe(expected);
  });
});

describe('a plan', () => {
  test.each([
    [null, 'none'],
    [after, 'active'],
    ['2026-03-01T12:00:00Z', 'active'],
    ['2026-03-01T13:00:00+02:00', 'expired'],
    [before, 'expired'],
  ])('that runs until %s is %s', (expiredAt, expected) => {
    expect(planState(service(expiredAt), now)).toBe(expected);
  });
});

test('servers are listed with their group and level', () => {
  const server = { serverId: 'a', name: 'A', domain: 'a.example.net' };
  const withServer = { ...group(false), items: [{ id: 'i', level: 2, servers: [server] }] };
  expect(listServers([withServer, group(true)])).toEqual([{ ...server, level: 2, group: withServer }]);
});

describe('the server that a tunnel leads to', () => {
  const gateway = { host: 'gw.example.net', port: 443 };
  test.each([
    ['without a port: at the default one', { domain: 'gw.example.net' }, true],
    ['at its port', { domain: 'gw.example.net', port: 443 }, true],
    ['not one at another port of the host', { domain: 'gw.example.net', port: 8443 }, false],
    ['not one on another host', { domain: 'other.example.net', port: 443 }, false],
  ])('%s', (_, server, expected) => {
    expect(isServerAt(server, gateway)).toBe(expected);
  });

  test.each([
    ['at its path', '/sales', '/sales', true],
    ['not one at another path of the gateway', '/ops', '/sales', false],
    ['not one at its root', undefined, '/sales', false],
    ['without a path: at the root', undefined, '/', true],
    ['not one at a path, if it is at the root', '/sales', '/', false],
    ['at any path, if it is not known at which', '/sales', undefined, true],
  ])('%s', (_, path, known, expected) => {
    const server = { domain: gateway.host, ...(path !== undefined && { path }) };
    expect(isServerAt(server, { ...gateway, path: known })).toBe(expected);
  });
});

test('the server in use is the one that was meant of those with the same address, whichever is chosen now', () => {
  const shared = { name: 'Server', domain: 'gw.example.net' };
  const servers = ['one', 'two', 'three'].map((serverId) => ({ ...shared, serverId }));
  const groups = [{ ...group(false), items: [{ id: 'i', level: 1, servers }] }];
  const listed = listServers(groups);
  const [, two] = listed;
  const place = { host: 'gw.example.net', port: 443 };
  const idAt = (serverId?: string, chosen = two) =>
    serverAt({ ...place, serverId }, listed, chosen)?.serverId;
  expect(idAt('three')).toBe('three');
  expect(idAt('removed')).toBe('two');
  expect(idAt()).toBe('two');
  expect(serverAt(place, listed, undefined)?.serverId).toBe('one');
  expect(serverAt({ ...place, host: 'other.example.net', serverId: 'three' }, listed, two)).toBeUndefined();
});
