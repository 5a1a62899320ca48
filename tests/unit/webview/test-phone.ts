import { vi } from 'vitest';
import { createHostClient } from '#shared/host/client.ts';
import type { Session } from '#shared/host/common-contract.ts';
import { hostContract, type Host } from '#shared/host/contract.ts';
import type { HostEvents } from '#shared/host/descriptor.ts';
import { createHostServer } from '#shared/host/server.ts';
import { webviewContract, type WebviewContract } from '#shared/host/webview-contract.ts';
import { createInPageTransport } from '../../../src/renderer/platform/in-page-transport.ts';
import { createPagePreferences } from '../../../src/renderer/platform/page-preferences.ts';
import { createWebviewHost } from '../../../src/renderer/platform/webview/webview-host.ts';
import { openWebviewSession } from '../../../src/renderer/platform/webview/webview-session.ts';
import { createWebviewApp, type WebviewApp } from '../../e2e/webview/webview-app.ts';
import { MemoryStorage } from '../renderer/support/memory-storage.ts';

/** The device id that a page makes. */
export const ours = 'b1b0a7fa-5b4c-4b43-8a8c-2d6ef6c26d31';
/** Whoever is signed in. */
export const user = { email: 'a@example.com', profile: { level: 1, firstOrderDone: false, seatsUsed: 0 } };

/** A phone with an app around the webview, a service, and what its pages have told. */
export interface TestPhone {
  readonly app: WebviewApp;
  readonly storage: MemoryStorage;
  /** What the service was asked, but for what is in `listed`. */
  readonly sent: {
    url: string;
    authorization: string | undefined;
    language: string | undefined;
    body: unknown;
  }[];
  readonly sessions: Session[];
  /** What the service answers at an address, whoever asks. */
  readonly listed: Map<string, unknown>;
  /** What it answers to anything else. */
  reply: { code: number; data: unknown };
  /** By how much the service's clock is ahead of the phone's, in milliseconds. */
  serviceOffset: number;
  /** A page, over the app as it is now. */
  openPage(): Promise<Host>;
  signIn(host: Host): Promise<void>;
}

export function createTestPhone(): TestPhone {
  const phone: TestPhone = {
    app: createWebviewApp('ios'),
    storage: new MemoryStorage(),
    sent: [],
    sessions: [],
    listed: new Map(),
    reply: { code: 0, data: user },
    serviceOffset: 0,
    openPage: () => openPage(phone),
    async signIn(host) {
      phone.reply = { code: 0, data: { token: 'secret' } };
      await host.session.verifyCode({ authId: 'id', authCode: '123456' });
      phone.reply = { code: 0, data: user };
    },
  };
  return phone;
}

/**
 * A page's timers end with it, and in a test no page ends by itself. Returns what ends those that begin from now on.
 */
export function trackIntervals(): () => void {
  const begun = vi.spyOn(globalThis, 'setInterval');
  return () => {
    for (const { value } of begun.mock.results) clearInterval(value as NodeJS.Timeout);
    begun.mockRestore();
  };
}

async function openPage(phone: TestPhone): Promise<Host> {
  const server = createHostServer(webviewContract, phone.app.handlers);
  const client = createHostClient<WebviewContract>(webviewContract, {
    request: (channel, input) => server.handle(channel, input),
    subscribe(channel, listener) {
      const { emit } = phone.app;
      phone.app.emit = (name, payload) => {
        emit(name, payload);
        if (name === channel) listener(payload);
      };
      return () => undefined;
    },
  });
  const session = await openWebviewSession(client.storage, () => ours);
  const { device, routingModes, measuresLatency = false } = await client.app.describe();
  const host = createHostClient(
    hostContract,
    createInPageTransport(hostContract, (emit) =>
      createWebviewHost({
        app: client,
        session,
        device,
        routingModes,
        measuresLatency,
        visibility: {
          isVisible: () => true,
          onVisible: () => () => undefined,
          onHidden: () => () => undefined,
        },
        look: createPagePreferences(phone.storage),
        language: 'en',
        baseUrl: '',
        emit,
        followEvents: () => ({ restart: () => undefined }),
        fetch: async (url, { headers, body }) => {
          const dated = new Headers({ date: new Date(Date.now() + phone.serviceOffset).toUTCString() });
          const told = phone.listed.get(url);
          if (told !== undefined) {
            const text = JSON.stringify({ code: 0, msg: '', data: told });
            return { status: 200, headers: dated, text: () => Promise.resolve(text) };
          }
          phone.sent.push({
            url,
            authorization: headers['Authorization'],
            language: headers['Accept-Language'],
            body: body === undefined ? undefined : JSON.parse(body),
          });
          const answer = { msg: '', ...phone.reply };
          return { status: 200, headers: dated, text: () => Promise.resolve(JSON.stringify(answer)) };
        },
      }),
    ),
  );
  host.session.changed((now: HostEvents<typeof hostContract>['session.changed']) => phone.sessions.push(now));
  return host;
}
