import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { momentsFile, leftFile } from './death-plan.ts';

/**
 * Preloaded into a helper, which is then killed at a moment of its journal's: right before or right after a file of it is
 * put in place or removed. The file `left` in the directory DEATH_PLAN says how many moments there are until then, 0 for
 * never; those that have passed are in `moments`.
 */
const directory = process.env['DEATH_PLAN'];
const journal = /^(journal|routing-[0-9a-f]{64})\.json$/;

function pass(when: 'before' | 'after', what: 'written' | 'removed', file: unknown): void {
  const [, name] = journal.exec(path.basename(String(file))) ?? [];
  if (directory === undefined || name === undefined) return;
  const left = Number(readFileSync(path.join(directory, leftFile), 'utf8'));
  if (left === 0) return;
  appendFileSync(path.join(directory, momentsFile), `${when} ${name.split('-')[0]} is ${what}\n`);
  writeFileSync(path.join(directory, leftFile), String(left - 1));
  if (left === 1) process.kill(process.pid, 'SIGKILL');
}

const { rename, rm } = files;
files.rename = async (from, to) => {
  pass('before', 'written', to);
  await rename(from, to);
  pass('after', 'written', to);
};
files.rm = async (file, options) => {
  pass('before', 'removed', file);
  await rm(file, options);
  pass('after', 'removed', file);
};
// For whoever imports them by name (Node.js documentation, module.syncBuiltinESMExports).
syncBuiltinESMExports();
