import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright';
import { readConfig } from '../../../../src/service/config.ts';
import { createService } from '../../../../src/service/service.ts';
import { openMailbox, type Mailbox } from './mailbox.ts';
import { newServiceDatabase } from './service-databases.ts';
import { signIn } from '../tunnel/sign-in.ts';

/** The service in this process, with a console built into some folder. */
export interface ServedConsole {
  readonly url: string;
  readonly mailbox: Mailbox;
  /** Paths that were asked for so far. */
  readonly asked: readonly string[];
  /** Signs a new account in, as a person does, and ends on the account page. */
  signIn(page: Page, email?: string): Promise<void>;
}

export async function serveConsole(
  consoleDirectory: string,
  variables: NodeJS.ProcessEnv = {},
): Promise<ServedConsole & AsyncDisposable> {
  const directory = await mkdtemp(path.join(tmpdir(), 'waymaker-bench-'));
  const config = readConfig({
    WAYMAKER_DEVELOPMENT: '1',
    WAYMAKER_SERVICE_PORT: '0',
    WAYMAKER_MAILBOX_PORT: '0',
    ...(await newServiceDatabase(directory)),
    WAYMAKER_CONSOLE_DIR: consoleDirectory,
    WAYMAKER_LOG_LEVEL: 'error',
    ...variables,
  });
  if (config.consoleDirectory === undefined) throw new Error(`nothing is built in ${consoleDirectory}`);
  const service = await createService({ config });
  const asked: string[] = [];
  service.http.server.on('request', ({ url = '' }) => asked.push(url));
  const { url, mailboxUrl } = await service.listen();
  if (mailboxUrl === undefined) throw new Error('the service has no mailbox');
  const mailbox = openMailbox(mailboxUrl);
  return {
    url,
    mailbox,
    asked,
    async signIn(page, email = 'bench@example.com') {
      await page.goto(`${url}/login`);
      await signIn(page, { mailbox }, email);
    },
    async [Symbol.asyncDispose]() {
      await service.close();
      await rm(directory, { recursive: true });
    },
  };
}

/** Adds up the JavaScript and CSS that a page loads from now on, each file gzipped, in kB. */
export function countTransfer(page: Page): () => Promise<number> {
  const sizes: Promise<number>[] = [];
  page.on('response', (response) => {
    const type = response.headers()['content-type'] ?? '';
    if (!/javascript|css/.test(type)) return;
    sizes.push(response.body().then((body) => gzipSync(body).length));
  });
  return async () => (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0) / 1000;
}
