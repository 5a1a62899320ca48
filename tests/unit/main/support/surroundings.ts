import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventsPath } from '#shared/api/events.ts';
import type { Core } from '../../../../src/main/core/core.ts';
import { createCore } from '../../../../src/main/core/create-core.ts';
import { emptyDiagnostics } from './diagnostics.ts';
import { startTestHelper, type TestHelper } from './helper.ts';
import { createTestFile, createTestTextFile } from './key-value-file.ts';
import { createTestKeychain } from './keychain.ts';
import { createTestLog } from './log.ts';
import { connectedTo } from './tunnel-states.ts';

export const lists = { routeDomains: ['example.com'], blockedDomains: ['ads.example'] };
export const groups = [
  {
    id: 'one',
    name: 'One',
    isTrial: true,
    trialExpiredAt: null,
    items: [
      { id: 'one', level: 1, servers: [{ serverId: 'one', name: 'One', domain: '127.0.0.1', port: 9 }] },
    ],
  },
];
export const connected = connectedTo({ host: '127.0.0.1', port: 9 });

const newFiles = () => ({
  settingsFile: createTestFile({ deviceId: 'b1b0a7fa-5b4c-4b43-8a8c-2d6ef6c26d31' }),
  pageFile: createTestFile(),
  planFile: createTestFile(),
  listsFile: createTestTextFile(),
  addressListsFile: createTestTextFile(),
  ...emptyDiagnostics(),
  keychain: createTestKeychain({ 'b1b0a7fa-5b4c-4b43-8a8c-2d6ef6c26d31': 'token' }),
});

/** What is around the app's core: a service, a helper, and files that outlive it. */
export interface TestSurroundings extends AsyncDisposable {
  /** What the service answers, by path. */
  readonly answers: Record<string, object>;
  /** The requests that it got. */
  readonly asked: { path: string | undefined; tag: string | undefined }[];
  readonly helper: TestHelper;
  readonly files: ReturnType<typeof newFiles>;
  /** The app without any window, with this environment of the desktop; it ends with its surroundings at the latest. */
  startCore(session?: Readonly<Record<string, string>>): Core;
}

export async function createTestSurroundings(): Promise<TestSurroundings> {
  const files = newFiles();
  const asked: TestSurroundings['asked'] = [];
  const answers: Record<string, object> = {
    '/api/route/pac': lists,
    '/api/server-groups': { items: groups },
    '/api/my-service': { serviceId: 's', expiredAt: null, seats: 1, service: 'Plan' },
  };
  const running: Core[] = [];
  const helper = await startTestHelper();
  const service = createServer((request: IncomingMessage, response) => {
    if (request.url === eventsPath) {
      response.writeHead(404).end();
      return;
    }
    // By the clock that a test has set; Node's own would go on by the real one.
    response.setHeader('date', new Date().toUTCString());
    const tag = request.headers['if-none-match'];
    asked.push({ path: request.url, tag });
    const data = answers[request.url ?? ''];
    const text = JSON.stringify({ code: data ? 0 : 404, msg: '', data: data ?? null });
    const etag = `W/"${createHash('sha256').update(text).digest('hex')}"`;
    if (tag === etag) response.writeHead(304, { etag }).end();
    else response.writeHead(data ? 200 : 404, { etag }).end(text);
  });
  await new Promise<void>((resolve) => {
    service.listen(0, '127.0.0.1', resolve);
  });
  return {
    answers,
    asked,
    helper,
    files,
    startCore(session = {}) {
      const { port } = service.address() as AddressInfo;
      const core = createCore({
        environment: { apiUrl: `http://127.0.0.1:${port}`, helperSocket: helper.socketPath },
        version: '1.2.3',
        lang: 'en-GB',
        ...files,
        runProgram: () => Promise.resolve(undefined),
        session,
        openBrowser: () => Promise.resolve({ kind: 'cancelled' }),
        openPortalWindow: () => Promise.resolve(),
        log: createTestLog().log,
      });
      running.push(core);
      return core;
    },
    async [Symbol.asyncDispose]() {
      for (const core of running) core.close();
      service.closeAllConnections();
      await new Promise((resolve) => {
        service.close(resolve);
      });
      await helper[Symbol.asyncDispose]();
    },
  };
}
