import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync, Visitor, type ESTree } from 'vite';
import { expect, test } from 'vitest';
import { root } from './markdown.ts';

const maxLength = 120;

interface Title {
  line: number;
  text: string;
  /** Whether a `describe` around it begins the sentence. */
  isContinued: boolean;
}

/** `test` of `test.skipIf(…).each(…)(…)`. */
function firstName(callee: ESTree.Expression): string | undefined {
  if (callee.type === 'Identifier') return callee.name;
  if (callee.type === 'MemberExpression') return firstName(callee.object);
  return callee.type === 'CallExpression' ? firstName(callee.callee) : undefined;
}

/** `test.describe` and `describe.each(…)` group tests. */
const isGroup = (callee: ESTree.Expression): boolean =>
  firstName(callee) === 'describe' ||
  (callee.type === 'MemberExpression'
    ? (callee.property.type === 'Identifier' && callee.property.name === 'describe') || isGroup(callee.object)
    : callee.type === 'CallExpression' && isGroup(callee.callee));

/** What is inserted into a title counts as an ellipsis. */
function written(argument: ESTree.Argument | undefined): string | undefined {
  if (argument?.type === 'TemplateLiteral')
    return argument.quasis.map(({ value }) => value.cooked ?? value.raw).join('…');
  return argument?.type === 'Literal' && typeof argument.value === 'string' ? argument.value : undefined;
}

/** The titles of tests, of groups of them and of their steps in `code`, in order. */
function titlesOf(code: string): Title[] {
  // Most of what the tests share names none, and parsing takes time.
  if (!/(?<![\w.])(?:test|it|describe)[.(]/.test(code)) return [];
  const titles: Title[] = [];
  const groups: ESTree.CallExpression[] = [];
  const visitor = new Visitor({
    CallExpression(call) {
      const text = written(call.arguments[0]);
      if (text === undefined || !['test', 'it', 'describe'].includes(firstName(call.callee) ?? '')) return;
      const line = code.slice(0, call.arguments[0]?.start).split('\n').length;
      titles.push({ line, text, isContinued: groups.length > 0 });
      if (isGroup(call.callee)) groups.push(call);
    },
    'CallExpression:exit'(call) {
      if (groups.at(-1) === call) groups.pop();
    },
  });
  const { program, errors } = parseSync('titles.ts', code);
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'));
  visitor.visit(program);
  return titles;
}

/** What keeps a title from being one promise in plain words. */
function flawOf({ text, isContinued }: Title): string | undefined {
  if (text.length > maxLength) return `${text.length} characters`;
  if (text.includes(';')) return 'several promises';
  if (!isContinued && /^(?:of|it|its|that|one|who|nor|and|so|is|are|has|can|does)(?![\w-])/i.test(text))
    return 'no subject';
  return undefined;
}

function flawsIn(titles: readonly Title[]): string[] {
  return titles.flatMap((title) => {
    const flaw = flawOf(title);
    return flaw === undefined ? [] : [`${title.line}: ${flaw}: ${title.text}`];
  });
}

test('the title of every test is one promise in plain words', () => {
  const files = globSync('tests/**/*.ts', { cwd: root }).toSorted();
  const titles = files.map((file) => [file, titlesOf(readFileSync(path.join(root, file), 'utf8'))] as const);
  expect(titles.flatMap(([, all]) => all).length).toBeGreaterThan(3000);
  expect(titles.flatMap(([file, all]) => flawsIn(all).map((flaw) => `${file}:${flaw}`))).toEqual([]);
});

test('a title that is long, glued together or without a subject is found', () => {
  const long = 'a'.repeat(maxLength + 1);
  const code = [
    `test('${long}', () => {});`,
    "test.skipIf(isMac).each([1])('%s is sent; %s is not', () => {});",
    "describe.each(['tcp'] as const)('a packet by %s', () => {",
    "  it('that is late is dropped', () => {});",
    '});',
    "test('that is late', async () => {",
    "  await test.step('nothing; nobody', () => {});",
    '});',
    "test.describe(`of ${app}`, () => test('it stays', () => {}));",
    "test('one-time codes are taken once', () => {});",
    "attest('who; what', () => {});",
  ].join('\n');
  expect(flawsIn(titlesOf(code))).toEqual([
    `1: 121 characters: ${long}`,
    '2: several promises: %s is sent; %s is not',
    '6: no subject: that is late',
    '7: several promises: nothing; nobody',
    '9: no subject: of …',
  ]);
});
