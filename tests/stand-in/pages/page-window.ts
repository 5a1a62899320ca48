import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { BrowserContext, CDPSession, Page } from 'playwright';
import { cloneFromText, cloneToText } from './clone-text.ts';
import {
  pageWorldScript,
  preloadBinding,
  preloadDoor,
  preloadWorld,
  preloadWorldScript,
} from './page-worlds.ts';
import type { Peer } from '../channel/peer.ts';
import { toAppUrl } from './scheme-origin.ts';
import type { AppProcess, FrameInfo, WindowEvent, WindowOptions } from '../channel/process-contract.ts';

type FromPage =
  | { type: 'invoke'; id: number; channel: string; args: string }
  | { type: 'send'; channel: string; args: string };

/** One window of the app: a page of Chromium's with the preload in an isolated world of its main frame. */
export class PageWindow {
  /** Address that the app itself asked for; every other navigation is the page's own. */
  requested: string | undefined;
  /** How many messages it has sent the app. */
  asked = 0;
  /** What messages wait for before they go to the app, by their first argument. */
  readonly delays = new Map<unknown, Promise<void>>();
  private zoom = 1;
  private preloadContext: number | undefined;
  private readonly id: number;
  readonly page: Page;
  private readonly debuggerSession: CDPSession;
  private readonly app: Peer<AppProcess>;

  private constructor(id: number, page: Page, debuggerSession: CDPSession, app: Peer<AppProcess>) {
    this.id = id;
    this.page = page;
    this.debuggerSession = debuggerSession;
    this.app = app;
  }

  static async open(
    id: number,
    context: BrowserContext,
    options: WindowOptions,
    app: Peer<AppProcess>,
  ): Promise<PageWindow> {
    const page = await context.newPage();
    await page.setViewportSize({ width: options.width, height: options.height });
    const debuggerSession = await context.newCDPSession(page);
    const window = new PageWindow(id, page, debuggerSession, app);
    window.reportEvents();
    await debuggerSession.send('Page.enable');
    await debuggerSession.send('Runtime.enable');
    if (options.preload !== undefined) await window.installPreload(options.preload);
    return window;
  }

  private async installPreload(preload: string): Promise<void> {
    const secret = randomUUID();
    const session = this.debuggerSession;
    const { frameTree } = await session.send('Page.getFrameTree');
    session.on('Runtime.executionContextCreated', ({ context }) => {
      // Frames that the page makes have such a world too, with nothing in it.
      const { frameId } = context.auxData as { frameId: string };
      if (context.name === preloadWorld && frameId === frameTree.frame.id) this.preloadContext = context.id;
    });
    session.on('Runtime.bindingCalled', ({ name, payload, executionContextId }) => {
      if (name === preloadBinding && executionContextId === this.preloadContext) {
        // It rejects only if the app is gone, and then its pages are going too.
        void this.receive(JSON.parse(payload) as FromPage, executionContextId).catch(() => undefined);
      }
    });
    await session.send('Runtime.addBinding', {
      name: preloadBinding,
      executionContextName: preloadWorld,
    });
    await session.send('Page.addScriptToEvaluateOnNewDocument', { source: pageWorldScript(secret) });
    await session.send('Page.addScriptToEvaluateOnNewDocument', {
      worldName: preloadWorld,
      source: preloadWorldScript(secret, await readFile(preload, 'utf8'), process.platform),
    });
  }

  /**
   * Pages of a Chromium without windows are always in view: a hidden one is told that it is not, and its document says
   * so. Its timers go on, as nothing else about it changes.
   */
  async setVisible(isVisible: boolean): Promise<void> {
    await this.page.evaluate(
      (state) => {
        if (document.visibilityState === state) return;
        Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => state });
        Object.defineProperty(document, 'hidden', { configurable: true, get: () => state === 'hidden' });
        document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
      },
      isVisible ? 'visible' : 'hidden',
    );
  }

  /** A page that is drawn larger has fewer pixels of its own. */
  async setZoom(factor: number): Promise<void> {
    const { width, height } = this.page.viewportSize() ?? { width: 0, height: 0 };
    const unzoomed = { width: width * this.zoom, height: height * this.zoom };
    if (factor === this.zoom) return;
    this.zoom = factor;
    await this.page.setViewportSize({
      width: Math.round(unzoomed.width / factor),
      height: Math.round(unzoomed.height / factor),
    });
  }

  private frame(): FrameInfo {
    return { url: toAppUrl(this.page.url()), isMainFrame: true };
  }

  private async receive(message: FromPage, context: number): Promise<void> {
    this.asked += 1;
    const args = cloneFromText(message.args) as unknown[];
    await this.delays.get(args[0]);
    if (message.type === 'send') {
      await this.app.message(this.id, this.frame(), message.channel, args);
      return;
    }
    const outcome = await this.app.invoke(this.id, this.frame(), message.channel, args);
    // Electron's text for a rejected invoke carries the text of the error and nothing else of it.
    const value = outcome.ok
      ? outcome.value
      : `Error invoking remote method '${message.channel}': ${outcome.error}`;
    await this.callDoor(context, 'settle', [message.id, outcome.ok, cloneToText(value)]);
  }

  async deliver(channel: string, args: unknown[]): Promise<void> {
    if (this.preloadContext === undefined) return;
    await this.callDoor(this.preloadContext, 'deliver', [channel, cloneToText(args)]);
  }

  private async callDoor(context: number, name: string, args: unknown[]): Promise<void> {
    try {
      const { exceptionDetails } = await this.debuggerSession.send('Runtime.callFunctionOn', {
        functionDeclaration: `function (...args) { globalThis['${preloadDoor}']['${name}'](...args); }`,
        executionContextId: context,
        arguments: args.map((value) => ({ value })),
      });
      if (exceptionDetails)
        console.error(`stand-in: ${name} in the page:`, exceptionDetails.exception?.description);
    } catch {
      // The document is gone, or is being replaced; Electron drops messages to it as well.
    }
  }

  private reportEvents(): void {
    const report = (event: WindowEvent) => void this.app.windowEvent(this.id, event).catch(() => undefined);
    const { page } = this;
    this.debuggerSession.on('Page.frameNavigated', ({ frame }) => {
      // Chromium's own page for a failure is no page that was navigated to.
      if (frame.parentId !== undefined || frame.unreachableUrl !== undefined) return;
      report({ type: 'did-navigate', url: toAppUrl(frame.url) });
    });
    this.debuggerSession.on('Page.navigatedWithinDocument', ({ url }) => {
      report({ type: 'did-navigate-in-page', url: toAppUrl(url) });
    });
    page.on('domcontentloaded', () => report({ type: 'dom-ready' }));
    page.on('load', () => {
      report({ type: 'did-finish-load' });
      page.title().then(
        (title) => report({ type: 'page-title-updated', title }),
        () => undefined,
      );
    });
    page.on('crash', () => report({ type: 'render-process-gone' }));
    page.on('close', () => report({ type: 'gone' }));
    // An address that Chromium hands to the system never becomes a request that could be intercepted.
    this.debuggerSession.on('Page.frameRequestedNavigation', ({ url }) => {
      if (/^(https?|about|blob|data|javascript):/.test(url)) return;
      const details = { url, isMainFrame: true, from: toAppUrl(page.url()) };
      void this.app.allowsNavigation(this.id, details).catch(() => undefined);
    });
    this.debuggerSession.on('Page.windowOpen', ({ url, windowName, windowFeatures }) => {
      const details = { url: toAppUrl(url), frameName: windowName, features: windowFeatures.join(',') };
      void this.app.windowOpened(this.id, details).catch(() => undefined);
    });
  }
}
