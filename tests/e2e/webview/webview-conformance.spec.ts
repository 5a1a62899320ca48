import { ConformanceRoute } from '../routes/webview/conformance-route.ts';
import type { AnswerText } from './json-rpc-app.ts';
import type { WebviewOptions } from './open-webview.ts';
import { createWebviewApp, type Platform, type WebviewApp } from './webview-app.ts';
import { expect, test, type OpenInApp } from './webview-fixtures.ts';
import { casesOf } from '../../lab/runs/thoroughness.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';

// One of the last files of a run, and long: every worker takes of it.
test.describe.configure({ mode: 'parallel' });

/** Opens the page that checks the app around it, and waits until it has. */
async function checkedIn(
  openInApp: OpenInApp,
  platform: Platform,
  options: Partial<WebviewOptions> = {},
): Promise<ConformanceRoute> {
  // Without the app's first page before it, which may still find out that nobody is signed in by this token.
  const path = '/webview-conformance';
  const { page } = await openInApp(platform, { hasServiceWorkers: true, ...options, path });
  const conformance = new ConformanceRoute(page, options.language);
  await expect(conformance.heading).toBeVisible();
  await expect(conformance.summary).toBeVisible({ timeout: waitLimit(60_000) });
  return conformance;
}

for (const platform of casesOf<Platform>({ usual: [], all: ['android', 'ios'] })) {
  test(`${platform}: an app that keeps the contract passes every rule, and keeps its session and routing`, async ({
    openInApp,
  }) => {
    const app = createWebviewApp(platform);
    app.storage.set('deviceId', 'b1b0a7fa-5b4c-4b43-8a8c-2d6ef6c26d31').set('token', 'secret');
    const conformance = await checkedIn(openInApp, platform, { app });
    await expect(conformance.rules('failed')).toHaveText([]);
    await expect(conformance.rules('skipped')).toHaveText([]);
    expect(await conformance.rules('passed').count()).toBeGreaterThan(20);
    expect(app.storage.get('deviceId')).toBe('b1b0a7fa-5b4c-4b43-8a8c-2d6ef6c26d31');
    expect(app.storage.get('token')).toBe('secret');
    expect(app.routing()).toEqual({ mode: 'global' });
    expect(app.state().state).toBe('disconnected');
    expect(app.opened).toEqual([]);
  });
}

/** A way to break the contract. */
type Breakage = Pick<Partial<WebviewOptions>, 'answer' | 'answersFrames' | 'hasServiceWorkers'> & {
  changes?: (app: WebviewApp) => void;
};
type Broken = readonly [name: string, breakage: Breakage, rule: RegExp];

/**
 * Each with the rule that finds it out. An app breaks those of one list together, since checking one takes ten seconds,
 * most of it waiting: none of them has another's rule pass, or skipped.
 */
const brokenApps: readonly (readonly Broken[])[] = [
  [
    ['a text kept without its last character', replacing('storage.get', cutText), /Keeps a text as it is/],
    [
      'a description without the device',
      replacing('app.describe', () => ({ kind: 'webview' })),
      /on which device/,
    ],
    [
      'the token kept when everything is cleared',
      { changes: keepTheToken },
      /the token and the device id too/,
    ],
  ],
  [
    [
      'a tunnel state that the contract does not know',
      replacing('tunnel.snapshot', () => ({ state: 'up' })),
      /Tells the tunnel’s state/,
    ],
    ['any link opened', replacing('app.openExternal', () => true), /opens nothing/],
    [
      'a latency of a server that nobody has',
      replacing('servers.latency', () => ({ milliseconds: 1, throughTunnel: false })),
      /where nothing answers/,
    ],
    ['an empty list of apps refused', { changes: refuseEmptyLists }, /Keeps an empty list/],
    ['frames answered too', { answersFrames: true }, /Does not answer a frame/],
  ],
  [
    ['an end of the tunnel that nobody heeds', { changes: forgetTheEnd }, /Ends by itself at allowedUntil/],
    ['trial-ended forgotten on disconnect', { changes: forgetReasons }, /Ends the attempt with the reason/],
    ['events told twice', { changes: tellTwice }, /Tells each change once/],
  ],
  [
    ['any routing mode accepted', replacing('routing.set', () => true), /a mode that the app does not have/],
    ['a removal that says it failed', replacing('storage.remove', () => false), /Removes one key/],
    ['what a later page sends refused', { answer: strict }, /Ignores properties of a parameter/],
    ['a webview without service workers', { hasServiceWorkers: false }, /Start without a network/],
  ],
];

// One list shows that the page finds out a broken app, and that it finds nothing else.
for (const breakages of casesOf({ usual: brokenApps.slice(-1), all: brokenApps })) {
  const names = breakages.map(([name]) => name).join('; ');
  test(`a broken app fails: ${names}`, async ({ openInApp }) => {
    const app = createWebviewApp('android');
    for (const [, { changes }] of breakages) changes?.(app);
    const conformance = await checkedIn(openInApp, 'android', {
      app,
      answersFrames: breakages.some(([, { answersFrames }]) => answersFrames),
      hasServiceWorkers: breakages.every(([, { hasServiceWorkers = true }]) => hasServiceWorkers),
      answer: (whole) =>
        breakages.reduce((answered, [, { answer }]) => answer?.(answered) ?? answered, whole),
    });
    for (const [, , rule] of breakages)
      await expect.soft(conformance.rules('failed').filter({ hasText: rule })).toHaveCount(1);
    // Elsewhere, one breakage may be in the way of other rules. Who waits for an answer gives up by the clock, which a
    // busy machine does not heed.
    if (breakages === brokenApps.at(-1)) {
      const broken = new RegExp(breakages.map(([, , rule]) => rule.source).join('|'));
      const others = conformance.rules('failed').filter({ hasNotText: broken });
      await expect(others.filter({ hasNotText: /within \d+ s/ })).toHaveText([]);
    }
    expect(await conformance.rules('passed').count()).toBeGreaterThan(10);
    expect(app.state().state).toBe('disconnected');
  });
}

function replacing(method: string, change: (result: unknown) => unknown): Breakage {
  return {
    answer: (whole) => async (text) => {
      const reply = await whole(text);
      if (reply === undefined || !text.includes(`"${method}"`)) return reply;
      const message = JSON.parse(reply) as { result?: unknown };
      return 'result' in message ? JSON.stringify({ ...message, result: change(message.result) }) : reply;
    },
  };
}

/** The tunnel stays up whatever the page says of its end. */
function forgetTheEnd({ handlers: { tunnel } }: WebviewApp): void {
  const { connect } = tunnel;
  tunnel.connect = (input) => connect({ ...input, allowedUntil: null });
}

/** Ends the tunnel whatever the page says of why. */
function forgetReasons({ handlers: { tunnel } }: WebviewApp): void {
  const { disconnect } = tunnel;
  tunnel.disconnect = () => disconnect({});
}

/** Has the token elsewhere, too. */
function keepTheToken({ handlers, storage }: WebviewApp): void {
  handlers.storage.clear = () => {
    for (const key of storage.keys()) if (key !== 'token') storage.delete(key);
    return true;
  };
}

/** Tells everything twice. */
function tellTwice(app: WebviewApp): void {
  let emit: WebviewApp['emit'] = () => undefined;
  Object.defineProperty(app, 'emit', {
    get: () => (channel: string, payload: unknown) => {
      emit(channel, payload);
      emit(channel, payload);
    },
    set(carry: typeof emit) {
      emit = carry;
    },
  });
}

/** No apps are all apps. */
function refuseEmptyLists({ handlers: { routing } }: WebviewApp): void {
  const { set } = routing;
  routing.set = (config) => !(config.mode === 'app' && config.routeApps.length === 0) && set(config);
}

/** Refuses parameters with a property that the contract does not name. */
function strict(whole: AnswerText): AnswerText {
  return async (text) => {
    const { id, params } = readMessage(text);
    return JSON.stringify(params ?? null).includes('"later"')
      ? JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32602, message: 'Invalid params' } })
      : await whole(text);
  };
}

function readMessage(text: string): { id?: number; params?: unknown } {
  try {
    return (JSON.parse(text) as { id?: number; params?: unknown } | null) ?? {};
  } catch {
    return {};
  }
}

function cutText(result: unknown): unknown {
  return typeof result === 'string' ? result.slice(0, -1) : result;
}
