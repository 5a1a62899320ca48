import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventsPath } from '#shared/api/events.ts';
import { createHostClient } from '#shared/host/client.ts';
import { hostContract } from '#shared/host/contract.ts';
import { createCore } from '../../../../src/main/core/create-core.ts';
import { createDesktopHost } from '../../../../src/main/desktop-host.ts';
import { createNetworkManager } from '../../../../src/main/networks/linux/network-manager.ts';
import { answerHostRequest } from '../../../../src/main/page/host-answer.ts';
import type { LoginItem } from '../../../../src/main/preferences/behaviour.ts';
import { emptyDiagnostics } from './diagnostics.ts';
import { startTestHelper, type TestHelper } from './helper.ts';
import { createTestFile, createTestTextFile } from './key-value-file.ts';
import { createTestKeychain } from './keychain.ts';
import { createTestLog } from './log.ts';

export const user = {
  email: 'ada@example.net',
  profile: { level: 1, firstOrderDone: true, seatsUsed: 1 },
};
/** What signing in gives. */
export const token = 'the-s3cret-token';

interface Reply {
  status?: number;
  body: unknown;
}

/** The desktop app's host with its core, a service and a helper, and a page that asks it. */
export interface TestDesktop extends AsyncDisposable {
  readonly service: Server;
  readonly helper: TestHelper;
  /** What the service was asked, but for events. */
  readonly received: {
    path: string | undefined;
    authorization: string | undefined;
    language: string | undefined;
  }[];
  /** What the service answers from now on. */
  reply: (request: IncomingMessage) => Reply | Promise<Reply>;
  startApp(options?: AppOptions): TestApp;
  /** By the code that was mailed. */
  signIn(host: TestApp['host']): ReturnType<TestApp['host']['session']['verifyCode']>;
}

interface AppOptions {
  keychain?: ReturnType<typeof createTestKeychain>;
  settings?: ReturnType<typeof createTestFile>;
  lang?: string;
  plan?: ReturnType<typeof createTestFile>;
  loginItem?: LoginItem;
  /** Whether it has a system to ask for networks, though no bus. */
  knowsNetworks?: boolean;
}

type TestApp = ReturnType<typeof startApp>;

export async function createTestDesktop(): Promise<TestDesktop> {
  const helper = await startTestHelper();
  const closing: (() => void)[] = [];
  const service = createServer((request, response) => {
    // Of events, it has none.
    if (request.url === eventsPath) {
      response.writeHead(404).end();
      return;
    }
    const { authorization, 'accept-language': language } = request.headers;
    desktop.received.push({ path: request.url, authorization, language });
    const reply = desktop.reply(request);
    request.resume();
    request.on('end', () => void send(response, reply));
  });
  const desktop: TestDesktop = {
    service,
    helper,
    received: [],
    reply: () => ({ body: { code: 0, msg: '', data: user } }),
    startApp(options = {}) {
      const app = startApp(service, helper, options);
      closing.push(app.close);
      return app;
    },
    async signIn(host) {
      const ordinary = desktop.reply;
      desktop.reply = () => ({ body: { code: 0, msg: '', data: { token } } });
      const result = await host.session.verifyCode({ authId: 'a', authCode: '123456' });
      desktop.reply = ordinary;
      return result;
    },
    async [Symbol.asyncDispose]() {
      for (const close of closing.splice(0)) close();
      service.closeAllConnections();
      await new Promise((resolve) => {
        service.close(resolve);
      });
      await helper[Symbol.asyncDispose]();
    },
  };
  await new Promise<void>((resolve) => {
    service.listen(0, '127.0.0.1', resolve);
  });
  return desktop;
}

async function send(response: ServerResponse, reply: Reply | Promise<Reply>): Promise<void> {
  const { status = 200, body } = await reply;
  response.writeHead(status).end(JSON.stringify(body));
}

/** A page's view of the desktop app, with everything that crosses to the page kept as text. */
function startApp(service: Server, helper: TestHelper, options: AppOptions) {
  const { log, text } = createTestLog();
  const keychain = options.keychain ?? createTestKeychain();
  const settings = options.settings ?? createTestFile();
  const pageFile = createTestFile();
  const planFile = options.plan ?? createTestFile();
  const opened: string[] = [];
  const crossed: string[] = [];
  const events: [string, unknown][] = [];
  const { port } = service.address() as AddressInfo;
  const core = createCore({
    environment: { apiUrl: `http://127.0.0.1:${port}`, helperSocket: helper.socketPath },
    version: '1.2.3',
    lang: options.lang ?? 'en-GB',
    loginItem: options.loginItem,
    ...(options.knowsNetworks && {
      networks: createNetworkManager({ busAddress: 'unix:path=/nonexistent/bus', pausesMs: [], log }),
    }),
    settingsFile: settings,
    pageFile,
    planFile,
    listsFile: createTestTextFile(),
    addressListsFile: createTestTextFile(),
    ...emptyDiagnostics(),
    keychain,
    runProgram: () => Promise.resolve(undefined),
    session: {},
    openBrowser: () => Promise.resolve({ kind: 'cancelled' }),
    openPortalWindow: () => Promise.resolve(),
    log,
  });
  const server = createDesktopHost({
    core,
    openExternal(link) {
      opened.push(link);
      return Promise.resolve(true);
    },
    openAppView(link, title) {
      opened.push(`view ${title} ${link}`);
      return Promise.resolve(true);
    },
    openAppLink(link) {
      opened.push(`app ${link}`);
      return Promise.resolve(true);
    },
    saveText: () => Promise.resolve('cancelled'),
    emit(channel, payload) {
      crossed.push(JSON.stringify(payload));
      events.push([channel, payload]);
    },
  });
  const host = createHostClient(hostContract, {
    async request(channel, input) {
      const answer = await answerHostRequest(server, channel, input, log);
      crossed.push(JSON.stringify(answer));
      if (!answer.ok) throw new Error(answer.message);
      return answer.value;
    },
    subscribe: () => () => undefined,
  });
  return {
    host,
    server,
    keychain,
    settings,
    pageFile,
    opened,
    events,
    crossed: () => crossed.join('\n'),
    log: text,
    close: () => core.close(),
  };
}
