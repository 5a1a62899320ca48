import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { preferences } from '#shared/host/preferences.ts';
import { connectionEvent } from '#shared/tunnel/connection-log.ts';
import { ipPolicy, tunnelState } from '#shared/tunnel/state.ts';
import { createSay } from '#shared/texts/say.ts';
import { checkNames } from '../../../src/main/cli/doctor/check-names.ts';
import { errorCodes } from '../../../src/main/cli/error-code.ts';
import { exitCode } from '../../../src/main/cli/exit-code.ts';
import { createProgram } from '../../../src/main/cli/program.ts';
import {
  documentedErrors,
  documentedResults,
  documentedWords,
  parseDocumented,
  schemaOf,
} from '../../e2e/support/command-line/documented-json.ts';
import { readPage, tableRows } from './markdown.ts';

/**
 * What the commands really print is compared with the page wherever a test runs one
 * (tests/e2e/support/command-line/command-line.ts).
 */

const page = readPage('docs/command-line.md');

/** Every command that people call, with those inside others. */
function commandsOf(command: Command, above: readonly string[] = []): { name: string; isJson: boolean }[] {
  return command.commands.flatMap((one) => {
    const path = [...above, one.name()];
    if (one.commands.length > 0 && one.name() === 'apps') return commandsOf(one, path);
    return [{ name: path.join(' '), isJson: one.options.some(({ long }) => long === '--json') }];
  });
}
const commands = commandsOf(
  createProgram({
    say: createSay('en', 'linux'),
    version: '1',
    run: () => Promise.resolve(),
    daemon: () => Promise.resolve(),
    askRunningCore: () => Promise.resolve(),
  }),
).filter(({ name }) => name !== 'complete');

test('the JSON of each command is documented, and the commands that have none are named', () => {
  const withJson = commands.filter(({ isJson }) => isJson).map(({ name }) => name);
  expect([...documentedResults.keys()].toSorted()).toEqual(withJson.toSorted());
  const [, except = ''] = /^Every command except ([^]*?)\s+takes `--json`/m.exec(page) ?? [];
  const without = commands.filter(({ isJson }) => !isJson).map(({ name }) => name);
  expect([...except.matchAll(/`([^`]+)`/g)].map(([, name]) => name)).toEqual(without.toSorted());
});

test('every word that can be in that JSON is documented', () => {
  const words = {
    routing: preferences.shape.routing.options,
    policy: ipPolicy.options,
    check: checkNames,
  };
  for (const [key, options] of Object.entries(words))
    expect(documentedWords(key).toSorted(), key).toEqual([...options].toSorted());
  const kinds = connectionEvent.def.options.map(({ shape }) => shape.kind.def.values[0]);
  expect(documentedWords('event')).toEqual(expect.arrayContaining(kinds));
  const states = tunnelState.def.options.map(({ shape }) => shape.state.def.values[0]);
  expect(documentedWords('tunnel')).toEqual(expect.arrayContaining(states));
});

test('every exit code is documented, with the codes of its errors', () => {
  const exits = tableRows(page).flatMap(([first = '']) => (/^\d+$/.test(first) ? [Number(first)] : []));
  expect(exits).toEqual(Object.values(exitCode));
  const codes = Object.entries(errorCodes).map(([exit, words]) => [Number(exit), words.toSorted()] as const);
  expect(new Map([...documentedErrors].map(([exit, words]) => [exit, words.toSorted()]))).toEqual(
    new Map(codes),
  );
});

test('what is not as documented is found: a key too many, one too few, another type or word', () => {
  const shape = schemaOf('{name, load: number | null, apps?: [{id, kind: "a" | "b"}]}');
  const fits = (value: unknown) => shape.safeParse(value).success;
  expect(fits({ name: 'Aurora', load: null })).toBe(true);
  expect(fits({ name: 'Aurora', load: 0.5, apps: [{ id: '1', kind: 'b' }] })).toBe(true);
  expect(fits({ load: null })).toBe(false);
  expect(fits({ name: 'Aurora', load: null, other: 1 })).toBe(false);
  expect(fits({ name: 'Aurora', load: 'high' })).toBe(false);
  expect(fits({ name: null, load: null })).toBe(false);
  expect(fits({ name: 'Aurora', load: 1, apps: [{ id: '1', kind: 'c' }] })).toBe(false);
  expect(fits({ name: 'Aurora', load: 1, apps: [{ id: '1', kind: 'a', more: 1 }] })).toBe(false);
  for (const broken of ['{name', '{name: text}', '{name} more', '[string'])
    expect(() => schemaOf(broken), broken).toThrow();

  const printed = (code: number, result: unknown) => ({ code, stdout: `${JSON.stringify(result)}\n` });
  const error = (word: string) => ({ error: { code: word, message: '' } });
  expect(() => parseDocumented(['servers'], printed(3, error('not-signed-in')))).not.toThrow();
  expect(() => parseDocumented(['servers'], printed(1, error('not-signed-in')))).toThrow('exit code 1');
  expect(() => parseDocumented(['servers'], printed(1, error('oops')))).toThrow('oops');
  expect(() => parseDocumented(['sign-out', '--json'], printed(0, { signedIn: true }))).toThrow('documented');
  expect(() => parseDocumented(['sign-out'], { code: 0, stdout: '{}\n{}\n' })).toThrow('one line');
});
