import { expect, test } from 'vitest';
import { createDestinations, wantedAddress, wantedServer } from '../../../../src/main/tunnel/destination.ts';
import { createTestMemory } from '../support/memory.ts';

const own = { host: 'gw.example.net', port: 443 };
const member = { host: 'member.example.net', port: 443 };
const plain = { split: false, incoming: false };

function setUp() {
  const memory = createTestMemory();
  const service = { marked: '', isShared: false };
  const destinations = createDestinations({
    memory,
    plan: {
      isMarked: (mark, gateway, path) => mark === 'split' && service.marked === `${gateway.host}${path}`,
      isSharedByPath: () => service.isShared,
    },
  });
  return { memory, service, destinations };
}

test('a tunnel leads to the server that the user wanted, also where its gateway has redirected to', () => {
  const { destinations, service } = setUp();
  const wanted = wantedServer({ serverId: 'de-1', domain: own.host, path: '/staff' });
  if (!wanted) throw new Error('not supported');
  destinations.begin(wanted);
  const listed = { ...own, serverId: 'de-1' };
  expect(destinations.at(own)).toEqual({ gateway: own, listed, ...plain });
  destinations.goOn({ ...destinations.at(own), gateway: member });
  expect(destinations.at(member)).toEqual({ gateway: member, listed, ...plain });
  expect(destinations.wantedAt(member)).toEqual(wanted);
  // What the service says of it meanwhile counts.
  service.marked = `${own.host}/staff`;
  service.isShared = true;
  expect(destinations.at(member)).toEqual({
    gateway: member,
    listed: { ...listed, path: '/staff' },
    split: true,
    incoming: false,
  });
});

test('what is remembered of its gateway says where a tunnel leads that was there before', () => {
  const { destinations, memory } = setUp();
  memory.setPath(own, '/staff');
  memory.rememberRedirect(own, member, '/in');
  destinations.begin({ gateway: { host: 'other.example.net', port: 443 }, serverId: 'fr-1' });
  expect(destinations.at(member)).toEqual({ gateway: member, listed: own, ...plain });
  expect(destinations.wantedAt(member)).toEqual({ gateway: own });
});

test('an address is of no certain server, and not every one is supported', () => {
  expect(wantedAddress('anyconnect://gw.example.net/staff')).toEqual({
    gateway: own,
    path: '/staff',
    serverId: undefined,
  });
  expect(wantedAddress('wireguard://gw.example.net')).toBeUndefined();
  expect(wantedServer({ serverId: 'de-1', protocol: 'wireguard', domain: own.host })).toBeUndefined();
});
