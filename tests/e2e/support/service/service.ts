import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Seed } from '../../../../src/service/seed.ts';
import { addresses, names } from '../../../lab/network/addresses.ts';
import type { Lab } from '../../../lab/lab.ts';
import { programFile } from '../../../lab/runs/programs.ts';
import { endProcess } from '../../../lab/runs/process.ts';
import { builtRenderer } from '../host/paths.ts';
import { openMailbox, type Mailbox } from './mailbox.ts';
import { freePort } from '../../../unit/main/support/free-port.ts';
import { newServiceDatabase } from './service-databases.ts';
import { routed, writeRouteLists } from '../tunnel/route-lists.ts';
import type { Listening, ServiceOrder } from './service-process.ts';

export const serverNames = { first: 'Aurora', untrusted: 'Borealis', unknown: 'Nowhere' } as const;

/** What the store sells; prices are in cents. */
export const plan = { id: 'family-month', name: 'Family', title: 'Family, one month', price: 999 } as const;

/** Keys that nobody has used yet: one for each test that consumes one. */
export const licenseKeys = {
  web: 'E2E-WEB-0001',
  keyboard: 'E2E-KEYBOARD-0001',
  desktop: 'E2E-DESKTOP-0001',
  twice: 'E2E-TWICE-0001',
  myService: 'E2E-PLAN-0001',
} as const;

/** Further ones, of the same plan with two seats. */
const spareKeys = Array.from({ length: 200 }, (_, index) => `E2E-SPARE-${index}`);
const spareKeysLeft = new WeakMap<TestService, string[]>();

/** A key that nobody has used yet. */
export function takeLicenseKey(service: TestService): string {
  const left = spareKeysLeft.get(service) ?? [...spareKeys];
  spareKeysLeft.set(service, left);
  const key = left.pop();
  if (key === undefined) throw new Error('no license key is left');
  return key;
}

/** What every new account is offered: a trial group with servers that work and servers that do not. */
const seed: Seed = {
  routeApps: [...routed.apps],
  serverGroups: [
    {
      id: 'trial',
      name: 'Starter',
      isTrial: true,
      items: [
        {
          id: 'trial-1',
          level: 1,
          servers: [
            {
              serverId: 'first',
              name: serverNames.first,
              protocol: 'anyconnect',
              domain: names.gateway,
              port: 443,
            },
            { serverId: 'untrusted', name: serverNames.untrusted, domain: names.untrustedGateway },
            { serverId: 'unknown', name: serverNames.unknown, domain: 'nowhere.waymaker.test' },
          ],
        },
      ],
    },
  ],
  products: [
    {
      id: plan.id,
      service: plan.name,
      titles: { en: plan.title, 'zh-hans': '家庭版，一个月', 'zh-hant': '家庭版，一個月' },
      days: 30,
      seats: 5,
      price: plan.price,
    },
  ],
  licenseKeys: [...Object.values(licenseKeys), ...spareKeys].map((key) => ({
    key,
    service: 'Gift',
    days: 30,
    seats: 2,
  })),
};

export interface TestService {
  /** Where the desktop app reaches the service. */
  readonly apiUrl: string;
  /** Where this machine reaches the service, as a browser's address for the web console. */
  readonly consoleUrl: string;
  readonly mailbox: Mailbox;
  /** Moves the service's clock on. */
  advance(milliseconds: number): Promise<void>;
  /** Nobody reaches it any more: its connections are cut and new ones refused. */
  stop(): Promise<void>;
  /** It can be reached again, at the same address. */
  start(): Promise<void>;
}

const port = 8787;
const mailboxPort = 8025;

/**
 * The embedded service, in the laboratory's internet if there is one, else on this machine's loopback. `offers`:
 * what it has besides, or in the place of, what every test's service has.
 */
export async function startService(
  directory: string,
  lab?: Lab,
  offers: Seed = {},
): Promise<TestService & AsyncDisposable> {
  await mkdir(directory, { recursive: true });
  const seedFile = path.join(directory, 'seed.json');
  await writeFile(seedFile, JSON.stringify({ ...seed, ...offers }));
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    WAYMAKER_DEVELOPMENT: '1',
    WAYMAKER_SUPPORT_EMAIL: 'help@example.com',
    WAYMAKER_SERVICE_HOST: lab ? addresses.service.ipv4 : '127.0.0.1',
    // It is left for a while by `stop`, and nobody else is given it meanwhile.
    WAYMAKER_SERVICE_PORT: String(lab ? port : await freePort()),
    WAYMAKER_MAILBOX_PORT: lab ? String(mailboxPort) : '0',
    ...(await newServiceDatabase(path.join(directory, 'database'))),
    WAYMAKER_SEED_FILE: seedFile,
    WAYMAKER_ROUTE_LISTS: await writeRouteLists(path.join(directory, 'route-lists')),
    WAYMAKER_CONSOLE_DIR: builtRenderer,
    WAYMAKER_LOG_LEVEL: 'warn',
    WAYMAKER_GATEWAY_PASSWORD_FILE: lab?.gateway.passwordFile ?? path.join(directory, 'gateway-passwords'),
    ...(lab && {
      WAYMAKER_TRAFFIC_SPOOL: lab.gateway.trafficSpool,
    }),
  };
  const script = programFile('tests/e2e/support/service/service-process.ts');
  const [file = '', ...args] = lab
    ? lab.internet.command([process.execPath, script]).flat()
    : [process.execPath, script];
  const child = spawn(file, args, { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const listening = (await nextMessage(child)) as Listening;
  async function ask(order: ServiceOrder): Promise<void> {
    child.send(order);
    await nextMessage(child);
  }
  const published = lab && {
    console: await lab.publish({ host: addresses.service.ipv4, port }),
    mailbox: await lab.publish({ host: '127.0.0.1', port: mailboxPort }),
  };
  return {
    apiUrl: lab ? `http://${names.service}:${port}` : listening.url,
    consoleUrl: published?.console.url ?? listening.url,
    mailbox: openMailbox(published?.mailbox.url ?? listening.mailboxUrl),
    advance: (milliseconds) => ask({ advance: milliseconds }),
    stop: () => ask({ reachable: false }),
    start: () => ask({ reachable: true }),
    async [Symbol.asyncDispose]() {
      await endProcess(child);
      await published?.console[Symbol.asyncDispose]();
      await published?.mailbox[Symbol.asyncDispose]();
    },
  };
}

/** The next thing that the service's process says; rejects if it ends instead. */
async function nextMessage(child: ChildProcess): Promise<unknown> {
  const waiting = new AbortController();
  const { signal } = waiting;
  try {
    return await Promise.race([
      once(child, 'message', { signal }).then(([message]) => message as unknown),
      once(child, 'exit', { signal }).then(([code]) =>
        Promise.reject(new Error(`the service ended with ${String(code)}`)),
      ),
    ]);
  } finally {
    waiting.abort();
  }
}
