import { readFile, writeFile } from 'node:fs/promises';
import { readmeFile, withMessages } from './readme.ts';

/** Brings the messages in resources/webview/README.md up to date with the contract. */
await writeFile(readmeFile, await withMessages(await readFile(readmeFile, 'utf8')));
