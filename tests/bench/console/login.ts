import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium, type Browser } from 'playwright';
import { build } from 'vite';
import { readConfig } from '../../../src/service/config.ts';
import { createService, type Service } from '../../../src/service/service.ts';
import { chromiumExecutable } from '../../stand-in/chromium.ts';
import { builtRenderer, root } from '../../e2e/support/host/paths.ts';
import { countTransfer } from '../../e2e/support/service/serve-console.ts';
import { byTurns, row, type Row } from '../row.ts';

export const loginRows = ['login-transfer', 'login-usable'] as const;

const rounds = 9;
const barePage = path.join(root, 'out/bench/bare-page');
const chromiumArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

declare global {
  interface Window {
    /** When the page had a field for an email address that can be typed in, from the start of navigation. */
    emailFieldAt?: number;
  }
}

interface Visit {
  /** Milliseconds from the start of navigation until an email address can be typed in. */
  readonly usable: number;
  /** JavaScript and CSS, each file gzipped, in kB. */
  readonly transfer: number;
}

/** The login screen as the service serves it, against a bare page of the same React, served by the same service. */
export async function* measureLogin(): AsyncGenerator<Row> {
  await build({
    configFile: false,
    root: path.join(import.meta.dirname, 'bare-page'),
    logLevel: 'warn',
    build: { outDir: barePage, emptyOutDir: true },
  });
  const directory = await mkdtemp(path.join(tmpdir(), 'waymaker-bench-'));
  const [ours, peer] = await Promise.all([serve(builtRenderer, directory), serve(barePage, directory)]);
  const browser = await chromium.launch({ executablePath: chromiumExecutable, args: chromiumArguments });
  try {
    const [oursUrl, peerUrl] = [await listen(ours), await listen(peer)];
    // The first visits of all warm the server and the browser up.
    await Promise.all([visit(browser, oursUrl), visit(browser, peerUrl)]);
    const samples = await byTurns(rounds, {
      ours: () => visit(browser, oursUrl),
      peer: () => visit(browser, peerUrl),
    });
    const pick = (what: keyof Visit) => ({
      ours: samples.ours.map((one) => one[what]),
      peer: samples.peer.map((one) => one[what]),
    });
    yield row('login-transfer', pick('transfer'), { unit: 'kB', better: 'lower' });
    yield row('login-usable', pick('usable'), { unit: 'ms', better: 'lower' });
  } finally {
    await browser.close();
    await Promise.all([ours.close(), peer.close()]);
    await rm(directory, { recursive: true });
  }
}

/** A visit by a browser that has never been here. */
async function visit(browser: Browser, url: string): Promise<Visit> {
  const context = await browser.newContext({ locale: 'en-US' });
  try {
    const page = await context.newPage();
    await page.addInitScript(noteEmailField);
    const transfer = countTransfer(page);
    await page.goto(`${url}/login`, { waitUntil: 'networkidle' });
    const field = page.locator('input[type=email]');
    await field.fill('someone@example.com');
    if ((await field.inputValue()) !== 'someone@example.com') throw new Error('the field takes no input');
    const usable = await page.evaluate(() => window.emailFieldAt);
    if (usable === undefined) throw new Error('no field for an email address');
    return { usable, transfer: await transfer() };
  } finally {
    await context.close();
  }
}

/** Runs in the page. React listens at its root before it shows anything: a field that is there takes input. */
function noteEmailField(): void {
  const observer = new MutationObserver(() => {
    const field = document.querySelector<HTMLInputElement>('input[type=email]');
    if (!field || field.disabled) return;
    window.emailFieldAt = performance.now();
    observer.disconnect();
  });
  observer.observe(document, { childList: true, subtree: true, attributes: true });
}

async function serve(consoleDirectory: string, directory: string): Promise<Service> {
  const config = readConfig({
    WAYMAKER_DEVELOPMENT: '1',
    WAYMAKER_SERVICE_PORT: '0',
    WAYMAKER_MAILBOX_PORT: '0',
    WAYMAKER_DATA_DIR: path.join(directory, path.basename(consoleDirectory)),
    WAYMAKER_CONSOLE_DIR: consoleDirectory,
    WAYMAKER_LOG_LEVEL: 'error',
  });
  if (config.consoleDirectory === undefined) throw new Error(`nothing is built in ${consoleDirectory}`);
  return createService({ config });
}

async function listen(service: Service): Promise<string> {
  return (await service.listen()).url;
}
