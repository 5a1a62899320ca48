import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { changedFiles, concernedBy } from '../../../scripts/test/changed.ts';

const clones: string[] = [];
afterEach(() => {
  for (const clone of clones.splice(0)) rmSync(clone, { recursive: true });
});

function git(clone: string, ...words: string[]): void {
  execFileSync('git', ['-C', clone, '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...words]);
}

/** A small repository with rooms like this one's, committed. */
function repository(changes: Record<string, string> = {}): string {
  const root = mkdtempSync(path.join(tmpdir(), 'waymaker-changed-'));
  clones.push(root);
  git(root, 'init', '--quiet');
  write(root, {
    'src/shared/price.ts': 'export const price = 1;',
    'src/main/electron/index.ts': "import '../tray.ts';",
    'src/main/tray.ts': "export { price } from '#shared/price.ts';",
    'src/main/alone.ts': '',
    'src/service/index.ts': "const shop = import('./shop.ts');",
    'src/service/shop.ts': '',
    'helper/index.ts': '',
    'docs/user.md': '',
    'tests/unit/price.test.ts': "import { price } from '../../src/shared/price.ts';",
    'tests/unit/alone.test.ts': "import '../../src/main/alone.ts';",
    'tests/unit/docs/links.test.ts': '',
    'tests/service/shop.test.ts': '',
    'tests/service/mail.test.ts': '',
    'tests/helper/started.test.ts': "const script = path.join(folder, 'program.ts');",
    'tests/helper/program.ts': '',
    'tests/helper/route.test.ts': '',
    'tests/e2e/pay.spec.ts': '',
    'tests/helper/ring.all.test.ts': "import './ring-driver.ts';",
    'tests/helper/ring-driver.ts': '',
    ...changes,
  });
  git(root, 'add', '--all');
  git(root, 'commit', '--quiet', '--message', 'begin');
  return root;
}

function write(root: string, files: Record<string, string>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
}

const concerns = (...changed: string[]) => concernedBy(repository(), changed).files;

test('a module concerns the unit tests that import it, however far', () => {
  expect(concerns('src/shared/price.ts').unit).toEqual(['tests/unit/price.test.ts']);
  expect(concerns('src/main/alone.ts').unit).toEqual(['tests/unit/alone.test.ts']);
});

test('what a program is made of concerns all tests of the runners that start it', () => {
  expect(concerns('src/service/shop.ts')).toMatchObject({
    service: ['tests/service/mail.test.ts', 'tests/service/shop.test.ts'],
    helper: [],
    e2e: ['tests/e2e/pay.spec.ts'],
  });
  expect(concerns('src/shared/price.ts')).toMatchObject({ service: [], e2e: ['tests/e2e/pay.spec.ts'] });
});

test('a test that starts a file by its name is concerned by it', () => {
  expect(concerns('tests/helper/program.ts').helper).toEqual(['tests/helper/started.test.ts']);
});

test('a document concerns the tests that read documents, and nothing else', () => {
  expect(concerns('docs/user.md')).toEqual({
    unit: ['tests/unit/docs/links.test.ts'],
    service: [],
    helper: [],
    e2e: [],
  });
});

test('what only exhaustive files use concerns none of a usual run, which says so', () => {
  const usual = concernedBy(repository(), ['tests/helper/ring-driver.ts']);
  expect(usual.files.helper).toEqual([]);
  expect(usual.leftToAll).toEqual({ unit: 0, service: 0, helper: 1, e2e: 0 });
  expect(usual.all.helper).toBe(2);
  const whole = concernedBy(repository(), ['tests/helper/ring-driver.ts'], { isExhaustive: true });
  expect(whole.files.helper).toEqual(['tests/helper/ring.all.test.ts']);
  expect(whole.leftToAll.helper).toBe(0);
  expect(whole.all.helper).toBe(3);
});

test('code that no test and no known program uses concerns everything', () => {
  const root = repository({ 'src/renderer/odd-worker.ts': '' });
  expect(concernedBy(root, ['src/renderer/odd-worker.ts']).everything).toBe('src/renderer/odd-worker.ts');
});

test('a file that was removed concerns the tests that still name it, and no others', () => {
  const root = repository();
  rmSync(path.join(root, 'tests/helper/program.ts'));
  expect(changedFiles(root)).toEqual(['tests/helper/program.ts']);
  expect(concernedBy(root, changedFiles(root))).toMatchObject({
    everything: undefined,
    files: { unit: [], helper: ['tests/helper/started.test.ts'] },
  });
});

test('a file that is neither code nor a document concerns everything, and says so', () => {
  const concerned = concernedBy(repository({ 'package.json': '{}' }), ['package.json']);
  expect(concerned.everything).toBe('package.json');
  for (const [runner, count] of Object.entries(concerned.all))
    expect(concerned.files[runner as keyof typeof concerned.files]).toHaveLength(count);
});

test('the changed files are those committed since the base, changed, or new, and none that are ignored', () => {
  const root = repository({ '.gitignore': 'out\n' });
  write(root, { 'src/main/tray.ts': 'committed' });
  git(root, 'commit', '--quiet', '--all', '--message', 'change');
  write(root, { 'src/service/shop.ts': 'changed', 'src/main/new.ts': '', 'out/main/index.js': '' });
  expect(changedFiles(root).toSorted()).toEqual(['src/main/new.ts', 'src/service/shop.ts']);
  expect(changedFiles(root, 'HEAD~1').toSorted()).toEqual([
    'src/main/new.ts',
    'src/main/tray.ts',
    'src/service/shop.ts',
  ]);
});
