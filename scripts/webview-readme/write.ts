import { readFile, writeFile } from 'node:fs/promises';
import { readmeFile, withMessages } from './readme.ts';

/** Updates the messages in resources/webview/README.md to the current contract. */
await writeFile(readmeFile, await withMessages(await readFile(readmeFile, 'utf8')));
