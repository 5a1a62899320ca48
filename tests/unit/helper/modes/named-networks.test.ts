import { expect, test } from 'vitest';
import { activeRouting, maxNamedNetworks } from '#shared/tunnel/state.ts';
import { namedNetworks } from '../../../../helper/modes/split.ts';
import { capturedPrefixes } from '../../../../helper/system/captured-prefixes.ts';

const captured = (includes: string[], excludes: string[] = []) => {
  const surroundings = { attachedNetworks: [], gateways: ['198.51.100.2'] };
  const found = capturedPrefixes({ includes, excludes }, surroundings);
  if (!found) throw new Error('everything is captured');
  return found;
};

test('all networks are named, and the exceptions inside them', () => {
  expect(namedNetworks(captured(['10.0.0.0/8', '2001:db8:5::/48'], ['10.9.0.0/16']))).toEqual({
    mode: 'split',
    networks: 2,
    prefixes: ['10.0.0.0/8', '2001:db8:5::/48'],
    exceptions: { networks: 1, prefixes: ['10.9.0.0/16'] },
  });
});

test('where there are no exceptions, none are named', () => {
  expect(namedNetworks(captured(['10.0.0.0/8']))).not.toHaveProperty('exceptions');
});

test('more networks than the state has room for are all counted, and the first of them named', () => {
  const many = Array.from({ length: 200 }, (_, index) => `10.${index}.0.0/16`);
  const holes = many.map((prefix) => prefix.replace('/16', '/24'));
  const routing = namedNetworks(captured(many, holes));
  const names = (prefixes: string[]) => ({ networks: 200, prefixes: prefixes.slice(0, maxNamedNetworks) });
  expect(routing).toEqual({ mode: 'split', ...names(many), exceptions: names(holes) });
  expect(activeRouting.parse(routing)).toEqual(routing);
});

test('whatever notation a gateway prefers, the state’s readers accept it', () => {
  const routing = namedNetworks(
    captured(['10.1.2.3/16', '::/0', '2001:DB8:0:0:1:0:0:1/128', '::ffff:0:0/90']),
  );
  expect(activeRouting.parse(routing)).toEqual(routing);
  expect(routing).toMatchObject({ networks: 3, prefixes: { length: 3 } });
});
