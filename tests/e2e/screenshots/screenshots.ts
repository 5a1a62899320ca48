import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { buildIfStale } from '../../../scripts/build-stamp.ts';
import { texts } from '../support/screens/texts.ts';
import { environmentFor } from './screenshot-languages.ts';

/**
 * `npm run screenshots [-- LANGUAGE…]`. The language `pseudo` is English made as long as translations get. Needs root,
 * for the laboratory.
 */
const languages = environmentFor(process.argv.slice(2));
if (!languages) {
  console.error(`usage: npm run screenshots [-- LANGUAGE…], of ${Object.keys(texts).join(', ')}`);
  process.exit(2);
}
await buildIfStale();
const config = path.join(import.meta.dirname, 'playwright.config.ts');
const { status } = spawnSync('playwright', ['test', '--config', config], {
  stdio: 'inherit',
  env: { ...process.env, ...languages },
});
process.exitCode = status ?? 1;
