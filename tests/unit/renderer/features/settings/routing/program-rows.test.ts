import { expect, test } from 'vitest';
import {
  programSections,
  chosenPrograms,
  searchPrograms,
} from '../../../../../../src/renderer/features/settings/routing/program-rows.ts';

const program = (id: string, name: string) => ({ id: `${id}.desktop`, name, icon: '', isStartable: true });
const programs = [
  program('cafe', 'Café au lait'),
  program('mail', 'Mail'),
  program('org.example.Notes', 'Notizen'),
];
const names = (found: readonly { name: string }[]) => found.map(({ name }) => name);

test('what is chosen comes first, then what is running, and nothing is there twice', () => {
  const running = new Map(
    ['mail.desktop', 'cafe.desktop'].map((id) => [id, { id, isPartial: false }] as const),
  );
  const sections = programSections(programs, ['mail.desktop', 'gone.desktop'], running);
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
  expect(names(searchPrograms(programs, query))).toEqual(found);
});

test('a chosen program is still shown when it is no longer installed, and cannot be started', () => {
  expect(chosenPrograms(programs, ['org.gone.App.desktop', 'mail.desktop'])).toEqual([
    programs[1],
    { id: 'org.gone.App.desktop', name: 'org.gone.App', icon: '', isStartable: false },
  ]);
});
