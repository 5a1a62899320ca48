import { expect, test } from 'vitest';
import {
  appSections,
  chosenApps,
  searchApps,
} from '../../../src/renderer/features/settings/routing/program-rows.ts';

const app = (id: string, name: string) => ({ id: `${id}.desktop`, name, icon: '', isStartable: true });
const apps = [app('cafe', 'Café au lait'), app('mail', 'Mail'), app('org.example.Notes', 'Notizen')];
const names = (found: readonly { name: string }[]) => found.map(({ name }) => name);

test('what is chosen comes first, then what is running, and nothing is there twice', () => {
  const running = new Map(
    ['mail.desktop', 'cafe.desktop'].map((id) => [id, { id, isPartial: false }] as const),
  );
  const sections = appSections(apps, ['mail.desktop', 'gone.desktop'], running);
  expect([...sections].map(([section, found]) => [section, ...names(found)])).toEqual([
    ['chosen', 'Mail'],
    ['running', 'Café au lait'],
    ['other', 'Notizen'],
  ]);
});

test.each<[string, string[]]>([
  ['', ['Café au lait', 'Mail', 'Notizen']],
  ['  ', ['Café au lait', 'Mail', 'Notizen']],
  ['LAIT cafe', ['Café au lait']],
  ['ﾏail', []],
  ['ＭＡＩＬ', ['Mail']],
  // As the program is called, whatever its name is in this language.
  ['notes', ['Notizen']],
  ['desktop', []],
])('a search for %j', (query, found) => {
  expect(names(searchApps(apps, query))).toEqual(found);
});

test('one that was chosen stays to be seen when it is no longer installed, and cannot be started', () => {
  expect(chosenApps(apps, ['org.gone.App.desktop', 'mail.desktop'])).toEqual([
    apps[1],
    { id: 'org.gone.App.desktop', name: 'org.gone.App', icon: '', isStartable: false },
  ]);
});
