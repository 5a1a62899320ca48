import { expect, test } from 'vitest';
import type { ServerGroup } from '#shared/entities.ts';
import { serverRows } from '../../../src/renderer/features/server-chooser/server-rows.ts';

function group(id: string, name: string, ...names: string[]): ServerGroup {
  const servers = names.map((server) => ({ serverId: server, name: server, domain: `${id}.example.net` }));
  return { id, name, isTrial: false, trialExpiredAt: null, items: [{ id, level: 1, servers }] };
}

const groups = [
  group('eu', 'Europa', 'Zürich', 'Reykjavík 2'),
  group('as', '亚洲', '東京', 'Ｓｅｏｕｌ'),
  group('none', 'Empty'),
];

const found = (query: string) => serverRows(groups, query).map(({ key }) => key);

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
