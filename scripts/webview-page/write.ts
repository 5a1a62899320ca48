import { readFile, writeFile } from 'node:fs/promises';
import { pageFile, withMessages } from './page.ts';

/** Updates the messages in docs/webview.md to the current contract. */
await writeFile(pageFile, await withMessages(await readFile(pageFile, 'utf8')));
