import type { Browser, BrowserContext, Page } from 'playwright/test';
import { languageTags, type TextLanguage } from '../support/screens/texts.ts';
import { answerJsonRpc, eventText, type AnswerText } from './json-rpc-app.ts';
import type { Platform, WebviewApp } from './webview-app.ts';

/** What Playwright's binding puts into every frame. */
interface WithBinding {
  testAppBinding: (text: string) => Promise<string | null>;
}

/** Runs before every document, in every frame, as Android injects the object of a WebMessageListener. */
function androidPort(): void {
  const toApp = (globalThis as unknown as WithBinding).testAppBinding;
  const listeners = new Set<(event: { data: string }) => void>();
  const deliver = (data: string) => {
    for (const listener of listeners) listener({ data });
  };
  Object.assign(globalThis, {
    testAppDeliver: deliver,
    waymakerHost: {
      postMessage(text: unknown) {
        void toApp(String(text)).then((reply) => reply !== null && deliver(reply));
      },
      addEventListener: (_type: string, listener: (event: { data: string }) => void) =>
        listeners.add(listener),
      removeEventListener: (_type: string, listener: (event: { data: string }) => void) =>
        listeners.delete(listener),
    },
  });
}

/** The same for a WKScriptMessageHandlerWithReply of iOS. */
function iosPort(): void {
  const around = globalThis as unknown as WithBinding & { waymakerHostDeliver(text: string): void };
  const toApp = around.testAppBinding;
  Object.assign(globalThis, {
    testAppDeliver: (text: string) => around.waymakerHostDeliver(text),
    webkit: { messageHandlers: { waymakerHost: { postMessage: (text: unknown) => toApp(String(text)) } } },
  });
}

export interface WebviewOptions {
  platform: Platform;
  url: string;
  app: WebviewApp;
  language?: TextLanguage;
  dark?: boolean;
  /** Stands between the page and the app, for apps that are broken. */
  answer?: (answer: AnswerText) => AnswerText;
  /** Answers frames too, as no app should. */
  answersFrames?: boolean;
  tellsEvents?: boolean;
  /** Whether the webview lets the pages have a service worker. */
  hasServiceWorkers?: boolean;
}

/** A phone's webview in Chromium with an app around it. */
export async function openWebview(browser: Browser, options: WebviewOptions): Promise<Page> {
  const { language = 'en' } = options;
  const context = await browser.newContext({
    serviceWorkers: options.hasServiceWorkers ? 'allow' : 'block',
    locale: languageTags[language],
    colorScheme: options.dark ? 'dark' : 'light',
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
    deviceScaleFactor: 2,
  });
  return await startApp(context, options);
}

/** Starts the app, maybe not for the first time, with what the webview has kept. */
export async function startApp(
  context: BrowserContext,
  options: Omit<WebviewOptions, 'language' | 'dark'>,
): Promise<Page> {
  const { app, platform } = options;
  const page = await context.newPage();
  const answer = (options.answer ?? ((whole) => whole))(answerJsonRpc(app));
  const { origin } = new URL(options.url);
  await page.exposeBinding('testAppBinding', async ({ frame }, text: string) => {
    // Android: `isMainFrame` and `sourceOrigin`; iOS: `message.frameInfo`.
    const isOurs = frame === page.mainFrame() && new URL(frame.url()).origin === origin;
    if (!isOurs && !options.answersFrames) return null;
    return (await answer(text)) ?? null;
  });
  await page.addInitScript(platform === 'android' ? androidPort : iosPort);
  app.emit = (channel, payload) => {
    if (options.tellsEvents !== false) void deliverToPage(page, eventText(channel, payload));
  };
  await page.goto(options.url);
  return page;
}

/** What an app says to its page without having been asked. */
export async function deliverToPage(page: Page, text: string): Promise<void> {
  await page.evaluate(
    (message) => (globalThis as unknown as { testAppDeliver(text: string): void }).testAppDeliver(message),
    text,
  );
}
