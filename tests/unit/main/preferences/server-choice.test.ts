import { expect, test } from 'vitest';
import type { ListedServer } from '#shared/plan/usable-group.ts';
import { createServerChoice } from '../../../../src/main/preferences/server-choice.ts';
import { createSettings } from '../../../../src/main/preferences/settings.ts';
import { createTestFile } from '../support/key-value-file.ts';

const group = { id: 'plan', name: 'Plan', isTrial: false, trialExpiredAt: null, items: [] };
const listed = (serverId: string): ListedServer => ({
  serverId,
  name: serverId,
  domain: `${serverId}.example.net`,
  group,
  level: 1,
});

function start({ file = createTestFile(), ids = ['one', 'two'] } = {}) {
  const usable = { now: ids.map(listed) };
  const choice = createServerChoice({ settings: createSettings(file), servers: () => usable.now });
  const changes: unknown[] = [];
  choice.onChange((id) => changes.push(id));
  return { file, usable, choice, changes };
}

test('the chosen server is kept over restarts, until the account is forgotten', () => {
  const { choice, changes, file } = start();
  expect(choice.server()).toMatchObject({ serverId: 'one' });
  expect(choice.choose('two')).toBe(true);
  expect(choice.server()).toMatchObject({ domain: 'two.example.net' });
  expect(choice.choose('two')).toBe(true);
  const again = start({ file });
  expect(again.choice.server()).toMatchObject({ serverId: 'two' });
  again.choice.forget();
  expect(start({ file }).choice.id()).toBeUndefined();
  expect(changes).toEqual(['two']);
  expect(again.changes).toEqual([undefined]);
});

test('a chosen server that may not be used now stays the chosen one, and the first serves meanwhile', () => {
  const { choice, usable } = start();
  choice.choose('two');
  usable.now = [listed('one')];
  expect([choice.id(), choice.server()?.serverId]).toEqual(['two', 'one']);
  usable.now = [];
  expect(choice.server()).toBeUndefined();
  usable.now = [listed('two')];
  expect(choice.server()).toMatchObject({ serverId: 'two' });
});

test('a choice that cannot be written says so, and holds until the app ends', () => {
  const { choice, file } = start();
  file.broken = true;
  expect(choice.choose('two')).toBe(false);
  expect(choice.server()).toMatchObject({ serverId: 'two' });
});
