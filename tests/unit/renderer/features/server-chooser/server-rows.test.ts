import { expect, test } from 'vitest';
import type { ServerGroup } from '#shared/entities.ts';
import { serverRows } from '../../../../../src/renderer/features/server-chooser/server-rows.ts';

function group(id: string, name: string, ...names: string[]): ServerGroup {
  const servers = names.map((server) => ({ serverId: server, name: server, domain: `${id}.example.net` }));
  return { id, name, isTrial: false, trialExpiredAt: null, items: [{ id, level: 1, servers }] };
}

const groups = [
  group('eu', 'Europa', 'Zürich', 'Reykjavík 2'),
  group('as', '亚洲', '東京', 'Ｓｅｏｕｌ'),
  group('none', 'Empty'),
];

const options = {
  groups,
  language: 'en',
  kept: { favourites: [], recents: [] },
  hasFastest: false,
};
const found = (query: string) => serverRows({ ...options, query }).map(({ key }) => key);

test('without a query there are all servers below their groups, and no group without any', () => {
  expect(found(' ')).toEqual(['group eu', 'Zürich', 'Reykjavík 2', 'group as', '東京', 'Ｓｅｏｕｌ']);
});

test.each([
  ['ZURICH', ['group eu', 'Zürich']],
  ['rey 2', ['group eu', 'Reykjavík 2']],
  ['東', ['group as', '東京']],
  ['seoul', ['group as', 'Ｓｅｏｕｌ']],
  ['亚洲 seoul', ['group as', 'Ｓｅｏｕｌ']],
  ['as.example', ['group as', '東京', 'Ｓｅｏｕｌ']],
  ['zürich seoul', []],
])('%s is found without regard to case, accents and width, in names, addresses and groups', (query, keys) => {
  expect(found(query)).toEqual(keys);
});

const places = [
  { serverId: 'ams', name: 'ams-1', city: 'Amsterdam', country: 'NL' },
  { serverId: 'tyo', name: 'tyo-1', city: '東京', country: 'JP' },
  { serverId: 'sea', name: 'Sealand' },
  { serverId: 'osa', name: 'osa-1', city: 'Osaka', country: 'JP' },
  { serverId: 'aix', name: 'aix-1', country: 'AX' },
];
const world = {
  ...group('world', 'World'),
  items: [
    { id: 'all', level: 1, servers: places.map((server) => ({ domain: 'gw.example.net', ...server })) },
  ],
};
const rowsOf = (changes: Partial<Parameters<typeof serverRows>[0]>) =>
  serverRows({ ...options, groups: [world], query: '', ...changes }).map(({ key }) => key);

test('servers stand below their countries, in the order of the user’s language, the others last', () => {
  const inEnglish = ['AX', 'aix', 'JP', 'tyo', 'osa', 'NL', 'ams', 'undefined', 'sea'];
  const inChinese = ['AX', 'aix', 'NL', 'ams', 'JP', 'tyo', 'osa', 'undefined', 'sea'];
  const keys = (all: string[]) => all.map((key) => (key.length === 3 ? key : `country world ${key}`));
  expect(rowsOf({})).toEqual(['group world', ...keys(inEnglish)]);
  // 奥兰群岛, 荷兰, 日本: Aolan, Helan, Riben.
  expect(rowsOf({ language: 'zh-Hans' })).toEqual(['group world', ...keys(inChinese)]);
});

test.each(['netherlands', 'NETHERLANDS', '荷兰', '荷蘭', 'amsterdam', 'world ams'])(
  'a server is found by %s, whatever language the pages are in',
  (query) => {
    for (const language of ['en', 'zh-Hans', 'zh-Hant']) {
      expect(rowsOf({ query, language })).toEqual(['group world', 'country world NL', 'ams']);
    }
  },
);

test('what is quickest to choose comes first, but to who searches', () => {
  const kept = { favourites: ['osa', 'gone'], recents: ['ams', 'osa'] };
  const quick = rowsOf({ kept, hasFastest: true });
  // All are in view: recent ones once more would only be in the way.
  expect(quick.slice(0, 4)).toEqual(['fastest', 'favourites', 'favourites osa', 'group world']);
  expect(rowsOf({ kept, hasFastest: true, query: 'osaka' })).toEqual([
    'group world',
    'country world JP',
    'osa',
  ]);
  const many = group('many', 'Many', ...'a b c d e f g h i j'.split(' '));
  const recents = ['gone', 'c', 'b', 'a', 'd'];
  const rows = rowsOf({ groups: [many], kept: { favourites: ['b'], recents }, hasFastest: true });
  expect(rows.slice(0, 8)).toEqual([
    'fastest',
    'favourites',
    'favourites b',
    'recents',
    'recents c',
    'recents a',
    'recents d',
    'group many',
  ]);
});
