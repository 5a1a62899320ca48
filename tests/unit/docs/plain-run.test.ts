import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readPage, root, sectionsOf, tableRows } from './markdown.ts';

/**
 * What the pages promise is shown by each `npm test`, not only by `npm test -- all`: a name of a test that an ordinary
 * run leaves out stands beside one that it runs, and says that it is for `npm test -- all`.
 */

/** The source of the tests of one name, of which folders may each have one: what an ordinary run runs, and all. */
interface TestFile {
  readonly plain: string;
  readonly all: string;
}

/** The source without the blocks of `if (isExhaustive)`, which the formatter has indented. */
function withoutExhaustive(source: string): string {
  const kept: string[] = [];
  let depth: number | undefined;
  for (const line of source.split('\n')) {
    const indent = line.search(/\S/);
    if (depth !== undefined && (indent === -1 || indent > depth)) continue;
    depth = /^ *(?:\} else )?if \(isExhaustive\)/.test(line) ? indent : undefined;
    if (depth === undefined) kept.push(line);
  }
  return kept.join('\n');
}

function testFilesOf(sources: readonly (readonly [file: string, source: string])[]): Map<string, TestFile> {
  const found = new Map<string, TestFile>();
  for (const [file, source] of sources) {
    const name = path.posix.basename(file);
    const { plain, all } = found.get(name) ?? { plain: '', all: '' };
    const isWhollyExhaustive = /\.all\.(?:test|spec)\.tsx?$/.test(name);
    found.set(name, {
      plain: isWhollyExhaustive ? plain : plain + withoutExhaustive(source),
      all: all + source,
    });
  }
  return found;
}

/** As a page and the source of a test may both write it. */
const wordsOf = (text: string) =>
  text
    .replaceAll(/[`_*\\]|\s+/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll("'", '’')
    .trim();
/** The title as a whole, or each of the pieces of titles that a page puts in a row. */
const holds = (source: string, title: string) => {
  const text = wordsOf(source);
  return (
    text.includes(wordsOf(title)) ||
    title.split(/, (?:and )?/).every((piece) => text.includes(wordsOf(piece)))
  );
};
const hasTests = (source: string) => /\btest(?:\.\w+)*\(/.test(source);

const forAll = '`npm test -- all`';
/** A file, and the title of a test in it that is quoted, or that a colon leads to. */
const nameOfTest =
  /`(?:[\w/-]+\/)?([\w-]+(?:\.all)?\.(?:test|spec)\.tsx?)`(?:: ([^;|)]+?)(?=[;|)]|\.?$)|, "([^"]+)")?/g;

const sentencesOf = (prose: string) =>
  prose.split(/\n\s*\n|\n(?=- )/).flatMap((paragraph) =>
    paragraph
      .replaceAll(/\s+/g, ' ')
      .trim()
      .split(/(?<=[.)]) (?=[A-Z_[`])/),
  );

interface Named {
  readonly file: string;
  readonly title: string | undefined;
}

const namedIn = (text: string): Named[] =>
  [...text.matchAll(nameOfTest)].map(([, file = '', afterColon, quoted]) => ({
    file,
    title: afterColon ?? quoted,
  }));

/** What is wrong with the tests that a page names for what it promises. */
function unshown(page: string, files: ReadonlyMap<string, TestFile>): string[] {
  const isShown = ({ file, title }: Named) => {
    const plain = files.get(file)?.plain ?? '';
    return title === undefined ? hasTests(plain) : holds(plain, title);
  };
  const isThere = ({ file, title }: Named) => title === undefined || holds(files.get(file)?.all ?? '', title);
  const describe = ({ file, title }: Named) => (title === undefined ? file : `${file}: ${title}`);

  const ofClaim = (claim: string) => {
    const [usual = '', ...more] = claim.split(forAll);
    const named = namedIn(claim);
    return [
      ...named.filter((one) => !isThere(one)).map((one) => `no such test: ${describe(one)}`),
      ...namedIn(usual)
        .filter((one) => isThere(one) && !isShown(one))
        .map((one) => `only with all: ${describe(one)}`),
      ...(namedIn(more.join()).length > 0 && namedIn(usual).length === 0
        ? [`nothing but all: ${claim}`]
        : []),
    ];
  };

  return sectionsOf(page).flatMap((section) => {
    const prose = section.replaceAll(/^\|.*$/gm, '');
    const ofSection = namedIn(prose.replaceAll(/\s+/g, ' ')).map(({ file }) => file);
    const [head = [], , ...rows] = tableRows(section);
    const column = head.indexOf('shown by');
    const ofRows =
      column === -1
        ? []
        : rows.flatMap((row) => {
            const shownBy = row[column] ?? '';
            if (namedIn(row.join(' | ')).length > 0) return ofClaim(row.join(' | '));
            // Titles alone are those of the files that the section names.
            return shownBy
              .split(/; /)
              .filter((title) => title !== 'the same')
              .flatMap((title) =>
                ofSection.some((file) => isShown({ file, title }))
                  ? []
                  : [`not in an ordinary run: ${title}`],
              );
          });
    return [...sentencesOf(prose).flatMap(ofClaim), ...ofRows];
  });
}

const testFiles = testFilesOf(
  globSync('tests/**/*.{test,spec}.{ts,tsx}', { cwd: root }).map(
    (file) => [file, readFileSync(path.join(root, file), 'utf8')] as const,
  ),
);

test.each(['docs/promises.md', 'SECURITY.md'])('npm test shows all that %s promises', (page) => {
  expect(unshown(readPage(page), testFiles)).toEqual([]);
});

test('what an ordinary run leaves out is found', () => {
  const source = [
    "test('it is closed', () => {});",
    'if (isExhaustive)',
    "  test('it stays closed, whoever asks', () => {",
    '    expect(1).toBe(1);',
    '',
    '  });',
    "test('it opens', () => {});",
  ].join('\n');
  const files = testFilesOf([
    ['tests/helper/doors.test.ts', source],
    ['tests/helper/locks.all.test.ts', "test('it locks', () => {});"],
    ['tests/helper/keys.test.ts', "if (isExhaustive)\n  test('it turns', () => {});"],
  ]);
  const page = (claim: string) => `# Doors\n\nIt is shut at night. ${claim}\n`;
  const table = '| state | shown by |\n| --- | --- |\n';

  expect(unshown(page('So it is (`doors.test.ts`: it is closed).'), files)).toEqual([]);
  expect(unshown(page('Shown by `doors.test.ts`: it is closed, it opens.'), files)).toEqual([]);
  expect(
    unshown(page('It is (`doors.test.ts`; with `npm test -- all` also `locks.all.test.ts`).'), files),
  ).toEqual([]);
  expect(
    unshown(page(`The tests are those of \`doors.test.ts\`.\n\n${table}| open | it opens |`), files),
  ).toEqual([]);

  expect(unshown(page('So it is (`doors.test.ts`: it stays closed).'), files)).toEqual([
    'only with all: doors.test.ts: it stays closed',
  ]);
  expect(unshown(page('Shown by `locks.all.test.ts`.'), files)).toEqual(['only with all: locks.all.test.ts']);
  expect(unshown(page('Shown by `keys.test.ts`.'), files)).toEqual(['only with all: keys.test.ts']);
  expect(unshown(page('Shown by `doors.test.ts`, "it creaks".'), files)).toEqual([
    'no such test: doors.test.ts: it creaks',
  ]);
  expect(unshown(page('Shown with `npm test -- all` by `locks.all.test.ts`.'), files)).toEqual([
    'nothing but all: Shown with `npm test -- all` by `locks.all.test.ts`.',
  ]);
  const stays = `The tests are those of \`doors.test.ts\`.\n\n${table}| shut | it opens; it stays closed |`;
  expect(unshown(page(stays), files)).toEqual(['not in an ordinary run: it stays closed']);
});
