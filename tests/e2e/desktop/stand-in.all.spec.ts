import path from 'node:path';
import type { Page } from 'playwright/test';
import { eventually } from '../../lab/runs/process.ts';
import { expect, test as base } from '../fixtures.ts';
import { launchStandIn, type RunningStandIn } from '../../stand-in/launch-stand-in.ts';

/** The stand-in for Electron must behave as Electron's documentation says, or what it shows means nothing. */

interface ExampleApi {
  invoke(channel: string, ...args: unknown[]): Promise<unknown>;
  announce(text: string): void;
  onAnnounced(listener: (...args: unknown[]) => void): () => void;
  requireFs(): string;
  unimplemented(): void;
}
type ExampleWindow = typeof globalThis & { example: ExampleApi };

let running: RunningStandIn | undefined;
let page: Page;
let output = '';

/** One app for all tests that do not end it; its pages are in the browser that the worker has anyway. */
const test = base.extend<{ app: RunningStandIn }>({
  app: [
    async ({ workerBrowser, directory }, provide) => {
      if (running?.process.exitCode !== null) {
        output = '';
        running = await launchStandIn({
          main: path.join(import.meta.dirname, '../../stand-in/example-app/main.ts'),
          userData: path.join(directory, 'app'),
          env: process.env,
          languages: ['en-US'],
          dark: false,
          viewport: { width: 800, height: 600 },
          browser: workerBrowser,
          onOutput: (text) => (output += text),
        });
      }
      const app = running;
      page = await eventually('the window shows its page', () =>
        app.pages().find((candidate) => candidate.url().startsWith('https:')),
      );
      await expect(page.getByRole('heading', { name: 'Example' })).toBeVisible();
      await provide(app);
    },
    { auto: true },
  ],
});

test.afterAll(async () => {
  running?.process.kill('SIGKILL');
  await running?.ended;
});

/** What it printed, which may come after its end. */
const expectPrinted = (...lines: string[]) =>
  expect.poll(() => output.split('\n').filter(Boolean)).toEqual(lines);

const failureOf = (channel: string, ...args: string[]) =>
  page.evaluate(
    ([name = '', ...rest]) =>
      (globalThis as ExampleWindow).example.invoke(name, ...rest).then(
        () => 'succeeded',
        (error: unknown) => String(error),
      ),
    [channel, ...args],
  );

test('what the structured clone carries arrives as it was', async () => {
  const echoed = await page.evaluate(async () => {
    const { example } = globalThis as ExampleWindow;
    const value = {
      map: new Map([['key', new Set([1, 2])]]),
      date: new Date(5),
      bytes: new Uint8Array([1, 2, 3]),
      nothing: undefined,
      numbers: [Number.NaN, -0, Infinity, 12n],
    };
    const back = (await example.invoke('echo', value)) as typeof value;
    return [
      back.map.get('key')?.has(2),
      back.date.getTime(),
      [...back.bytes],
      'nothing' in back,
      back.numbers.map((number) => (Object.is(number, -0) ? '-0' : String(number))),
    ];
  });
  expect(echoed).toEqual([true, 5, [1, 2, 3], true, ['NaN', '-0', 'Infinity', '12']]);
});

test('what it does not carry is refused on either side, with the text of Electron', async () => {
  const sent = await page.evaluate(() =>
    (globalThis as ExampleWindow).example
      .invoke('echo', () => 1)
      .then(String, (error: unknown) => String(error)),
  );
  expect(sent).toBe('Error: An object could not be cloned.');
  expect(await failureOf('return-function')).toMatch(
    /^Error: Error invoking remote method 'return-function': /,
  );
});

test('errors cross as the text of their message only', async () => {
  expect(await failureOf('fail')).toBe("Error: Error invoking remote method 'fail': TypeError: on purpose");
  expect(await failureOf('no-such')).toBe(
    "Error: Error invoking remote method 'no-such': Error: No handler registered for 'no-such'",
  );
});

test('events reach the page until it unsubscribes', async () => {
  const heard = await page.evaluate(async () => {
    const { example } = globalThis as ExampleWindow;
    const texts: unknown[] = [];
    const next = () =>
      new Promise<void>((resolve) => {
        const stop = example.onAnnounced((text, date) => {
          texts.push(text, date instanceof Date);
          stop();
          resolve();
        });
      });
    const first = next();
    example.announce('one');
    await first;
    const second = next();
    example.announce('two');
    await second;
    return texts;
  });
  expect(heard).toEqual(['one', true, 'two', true]);
});

test('the preload lives in a world of its own', async () => {
  const seen = await page.evaluate(() => ({
    secret: 'secretOfPreload' in globalThis,
    frozen: Object.isFrozen((globalThis as ExampleWindow).example),
    standIn: Object.getOwnPropertyNames(globalThis).filter((name) => /standIn/i.test(name)),
  }));
  expect(seen).toEqual({ secret: false, frozen: true, standIn: [] });
});

test('the sender of a message is the frame with the address of the app, not of the stand-in', async () => {
  const sender = await page.evaluate(() => (globalThis as ExampleWindow).example.invoke('sender'));
  expect(sender).toEqual({ url: 'example://home/start?a=1', origin: 'example://home', isMainFrame: true });
});

test('whatever is not implemented throws, and says so', async () => {
  expect(await failureOf('unimplemented')).toContain(
    "stand-in: Electron's electron.TouchBar is not implemented",
  );
  const inPreload = await page.evaluate(() => {
    const { example } = globalThis as ExampleWindow;
    const attempt = (action: () => unknown) => {
      try {
        return String(action());
      } catch (error) {
        return String(error);
      }
    };
    return [attempt(() => example.requireFs()), attempt(() => example.unimplemented())];
  });
  expect(inPreload).toEqual([
    'Error: module not found: fs',
    'Error: stand-in: ipcRenderer.sendToHost is not implemented in preloads',
  ]);
});

test('quitting goes through the events in their documented order', async ({ app }) => {
  await app.app.userQuits().catch(() => undefined);
  await app.ended;
  expect(app.process.exitCode).toBe(0);
  await expectPrinted('before-quit', 'will-quit', 'quit');
});

test('closing the last window quits by way of window-all-closed', async ({ app }) => {
  await app.app.userClosesWindow(1).catch(() => undefined);
  await app.ended;
  await expectPrinted('window-all-closed', 'before-quit', 'will-quit', 'quit');
});
