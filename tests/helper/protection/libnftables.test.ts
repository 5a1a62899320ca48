import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { takeLab } from '../../lab/kept-labs.ts';
import type { Lab } from '../../lab/lab.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';

/** The library of nftables, on the laboratory's user machine, beside the program. */

const library = path.resolve(import.meta.dirname, '../../../helper/linux/nftables/libnftables.ts');
let lab: Lab;

beforeAll(async () => {
  lab = await takeLab({ gateway: false });
});

afterAll(async () => {
  await lab[Symbol.asyncDispose]();
});

beforeEach(async () => {
  await lab.user.run(['nft', 'flush', 'ruleset']);
});

const node = (script: string) => [process.execPath, '--input-type=module', '--eval', script];
const imported = `const { loadRules, listTable } = await import('${library}');`;
const load = (...scripts: string[]) =>
  node(imported + scripts.map((script) => `await loadRules(${JSON.stringify(script)});`).join(''));
const ruleset = () => lab.user.run(['nft', '--stateless', 'list', 'ruleset']);

const table = `table inet waymaker {
  chain output {
    type filter hook output priority filter; policy accept;
    meta skuid { 1, 2 } accept
  }
}
`;

test('a script has the same effect as with the program, and one process can load any number', async () => {
  await lab.user.run(['nft', '-f', '-'], { input: table });
  const byProgram = await ruleset();
  const replacement = `table inet waymaker\ndelete table inet waymaker\n${table}`;
  await lab.user.run(load(replacement, 'delete table inet waymaker', replacement, replacement));
  expect(await ruleset()).toBe(byProgram);
});

test('a script that is refused changes nothing, and the error says what is wrong with it', async () => {
  await lab.user.run(load(table));
  const before = await ruleset();
  const { code, stderr } = await lab.user.exec(
    load('delete table inet waymaker\nadd table inet other\nadd rule inet other absent accept\n'),
  );
  expect([code, stderr]).toEqual([1, expect.stringMatching(/NftablesError.*No such file/s)]);
  expect(await ruleset()).toBe(before);
});

if (isExhaustive)
  test('the library goes on after a refusal', async () => {
    const script = `${imported} await loadRules('nonsense').catch(() => undefined); await loadRules(${JSON.stringify(table)});`;
    await lab.user.run(node(script));
    expect(await ruleset()).toContain('table inet waymaker');
  });

if (isExhaustive)
  test('without the right to it, nothing is loaded', async () => {
    const asNobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--'];
    const { code, stderr } = await lab.user.exec([...asNobody, ...load(table)]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('NftablesError')]);
    expect(await ruleset()).toBe('');
  });

test('a table is listed as by the program, also after others have changed it', async () => {
  await lab.user.run(load(table));
  const script = `${imported}
    console.log(await listTable('waymaker'));
    const { execFileSync } = await import('node:child_process');
    execFileSync('nft', ['add', 'chain', 'inet', 'waymaker', 'late']);
    console.log(await listTable('waymaker'));
    console.log(await listTable('absent'));`;
  const [first, changed, absent] = (await lab.user.run(node(script))).split('\n').filter(Boolean);
  const byProgram = await lab.user.run(['nft', '-j', 'list', 'table', 'inet', 'waymaker']);
  expect(first).not.toContain('late');
  expect(changed?.trim()).toBe(byProgram.trim());
  expect(absent).toBe('undefined');
});
