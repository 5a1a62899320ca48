import { execFileSync, spawnSync } from 'node:child_process';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createSay } from '#shared/texts/say.ts';
import { programWords, scriptFor, serverWords } from '../../../../src/main/cli/completion.ts';
import { createProgram } from '../../../../src/main/cli/program.ts';

test('offers a name that a shell would take for more than a word by its id, or not at all', () => {
  const hostile = 'Oslo $(touch /tmp/x)\u001b]0;title\u0007';
  expect(
    serverWords([
      { serverId: 'hk-1', name: '香港' },
      { serverId: 'ber-2', name: 'Berlin 2' },
      { serverId: 'osl', name: hostile },
      { serverId: '`id`', name: hostile },
      { serverId: '-rf', name: '--help' },
    ]),
  ).toEqual([
    { value: '香港', description: '香港' },
    { value: 'ber-2', description: 'Berlin 2' },
    { value: 'osl', description: 'Oslo $(touch /tmp/x)]0;title' },
  ]);
  expect(programWords([{ id: 'firefox.desktop', name: 'Firefox\nBrowser' }])).toEqual([
    { value: 'firefox', description: 'Firefox Browser' },
  ]);
});

/** What a command of ours prints. */
async function printed(...words: string[]): Promise<string> {
  const lines: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
  onTestFinished(() => log.mockRestore());
  await createProgram({
    say: createSay('en', 'linux'),
    version: '1',
    run: () => Promise.resolve(),
    daemon: () => Promise.resolve(),
    askRunningCore: () => Promise.resolve(),
  }).parseAsync(words, { from: 'user' });
  log.mockRestore();
  return lines.join('\n');
}
const completed = (...words: string[]) => printed('complete', '--', ...words);

test('completes the options of self-test, and what they can be', async () => {
  expect(await completed('self-')).toContain('self-test\t');
  expect(await completed('self-test', '--re')).toContain('--report\t');
  expect((await completed('self-test', '--engine', '')).split('\n')).toEqual([
    'openconnect\t',
    'own\t',
    ':4',
  ]);
});

test('completion leaves names of files and folders to the shell', async () => {
  expect(await completed('self-test', '--report', '')).toBe(':0');
  expect(await completed('restore', '--state-dir', '/var/')).toBe(':16');
  expect(await completed('restore', '--')).toMatch(/:4$/);
  const script = await printed('completion', 'bash');
  const registered = execFileSync('bash', ['-c', `${script}\ncomplete -p waymaker`], { encoding: 'utf8' });
  expect(registered).toBe('complete -o default -F __waymaker_complete waymaker\n');
});

/** Completes in a bash whose completion library hands the words on; `waymaker` says what it was asked. */
function completeInBash(words: readonly string[], { hasLibrary = true } = {}): string {
  const getWords = '_get_comp_words_by_ref() { words=("${COMP_WORDS[@]}"); cur=${COMP_WORDS[COMP_CWORD]}; }';
  const library = `
    ${hasLibrary ? getWords : ''}
    compopt() { :; }
    waymaker() { printf '[%s]' "$@" >&3; printf 'mode\\tshow\\n:4\\n'; }
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1));
    __waymaker_complete; echo " \${COMPREPLY[*]}"`;
  const script = `${scriptFor('bash')}\n${library}`;
  return execFileSync('bash', ['--norc', '-c', `exec 3>&1\n${script}`, 'bash', ...words], {
    encoding: 'utf8',
  });
}

test('bash also completes without its completion library, and after it has read the script twice', () => {
  const words = ['waymaker', 'mo'];
  expect(completeInBash(words, { hasLibrary: false })).toBe('[complete][--][mo] mode\n');
  const twice = `${scriptFor('bash')}\n${scriptFor('bash')}`;
  expect(spawnSync('bash', ['--norc', '-c', twice], { encoding: 'utf8' }).stderr).toBe('');
});

test('bash is offered words, and runs nothing of what has been typed so far', () => {
  expect(completeInBash(['waymaker', 'mo'])).toBe('[complete][--][mo] mode\n');
  expect(completeInBash(['waymaker', ''])).toBe('[complete][--][] mode\n');
  for (const typed of ['$(echo ran)', '`echo ran`', '$HOME', 'a;echo ran', '日', "o'neil", '"x'])
    expect(completeInBash(['waymaker', 'connect', typed])).toBe(`[complete][--][connect][${typed}] \n`);
});

/**
 * Completes in a zsh whose functions for completion say what they are given, as a key press would; `waymaker` says what
 * it was asked, and has these words.
 */
function completeInZsh(words: readonly string[], answer = String.raw`mode\tshow\n:4`): string {
  const around = `
    compdef() { :; }
    _describe() { print -r -- "_describe \${(qq)@}: \${(qq)completions}" >&3; (($#completions)); }
    _files() { print -r -- "_files \${(qq)@}" >&3; }
    waymaker() { print -rn -- "\${(qq)@} " >&3; printf '${answer}\\n'; }
    words=("$@"); CURRENT=$#`;
  const script = `exec 3>&1\n${around}\n${scriptFor('zsh')}\n_waymaker`;
  return execFileSync('zsh', ['-f', '-c', script, 'zsh', ...words], { encoding: 'utf8' }).trimEnd();
}

test('zsh is offered words, and runs nothing of what has been typed so far', () => {
  const described = "_describe 'completions' 'completions' '-Q'";
  expect(completeInZsh(['waymaker', 'mo'])).toBe(`'complete' '--' 'mo' ${described}: 'mode:show'`);
  expect(completeInZsh(['waymaker', ''])).toContain("'complete' '--' ''");
  for (const typed of ['$(echo,ran)', '`echo,ran`', '$HOME', 'a;echo', '日', "'"]) {
    const quoted = `'${typed.replaceAll("'", String.raw`'\''`)}'`;
    expect(completeInZsh(['waymaker', 'connect', typed])).toContain(`'connect' ${quoted} ${described}:`);
    // What is before the sign stays where it is.
    const value = `--a=${quoted.slice(1, -1)}=`;
    expect(completeInZsh(['waymaker', `--a=${typed}=`])).toContain(`${described} '-P' '${value}':`);
  }
  expect(completeInZsh(['waymaker', 'self-test', '--report', ''], ':0')).toMatch(/_files$/);
});

test('says in the user’s language how it is used, words that stand for others included', () => {
  const help = (language: 'en' | 'zh-hans' | 'zh-hant', command: string) =>
    createProgram({
      say: createSay(language, 'linux'),
      version: '1',
      run: () => Promise.resolve(),
      daemon: () => Promise.resolve(),
      askRunningCore: () => Promise.resolve(),
    })
      .commands.find((one) => one.name() === command)
      ?.helpInformation() ?? '';
  expect(help('en', 'mode')).toContain('Usage: waymaker mode [options] [mode] [items...]');
  for (const language of ['zh-hans', 'zh-hant'] as const) {
    for (const command of ['mode', 'connect', 'restore', 'apps', 'completion']) {
      const words = help(language, command).replaceAll(/--?[\w-]+|"[^"]*"|docs\/\S+/g, '');
      expect(
        words.match(/options|command|server|items|folder|choices|display|Usage|\[mode/g),
        words,
      ).toBeNull();
    }
  }
});
