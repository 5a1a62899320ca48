import { webviewPortName } from '#shared/host/webview-names.ts';
import { must, mustEqual, mustRefuse, type Check } from './check.ts';

/** Error codes of JSON-RPC 2.0 §5.1. */
const methodNotFound = -32601;
export const invalidParams = -32602;

const frameSeconds = 2;

export const protocolChecks: readonly Check[] = [
  {
    subject: 'JSON-RPC',
    rule: 'Answers an unknown method with error -32601.',
    async run({ transport }) {
      for (const channel of ['app.nope', 'nope.get', 'constructor', 'session.get']) {
        await mustRefuse(transport.request(channel, undefined), methodNotFound);
      }
    },
  },
  {
    subject: 'JSON-RPC',
    rule: 'Ignores what is no message of the protocol, and goes on.',
    async run({ app, port }) {
      for (const text of ['', 'nonsense', '[]', '{}', '{"jsonrpc":"2.0"}', 'null']) await port.send(text);
      await app.app.describe();
    },
  },
  {
    subject: 'JSON-RPC',
    rule: 'Ignores properties of a parameter that it does not know: later pages send more.',
    async run({ app, transport }) {
      const later = { later: { than: ['this', 1] } };
      const key = 'conformance.later';
      await transport.request('storage.set', { key, value: '1', ...later });
      mustEqual(await app.storage.get(key), '1', 'the value read back');
      await app.storage.remove(key);
      const address = 'not an address';
      const reply = await transport.request('tunnel.connect', {
        address,
        allowedUntil: { at: 0, reason: 'trial-ended', ...later },
        login: { username: 'device', password: 'password', ...later },
        ...later,
      });
      mustEqual(reply, { ok: false, error: 'bad-address' }, 'the reply of tunnel.connect');
      await transport.request('tunnel.prepare', { address, login: null, ...later });
      await transport.request('tunnel.setAllowedUntil', { allowedUntil: null, ...later });
      const routing = await app.routing.get();
      mustEqual(
        await transport.request('routing.set', { ...routing, ...later }),
        true,
        'the reply of routing.set',
      );
      mustEqual(await app.routing.get(), routing, 'the config read back');
    },
  },
  {
    subject: 'JSON-RPC',
    rule: 'Gives each of many requests at once its own reply.',
    async run({ app }) {
      const keys = Array.from({ length: 20 }, (_, index) => `conformance.${index}`);
      await Promise.all(keys.map((key) => app.storage.set({ key, value: key })));
      const values = await Promise.all(keys.map((key) => app.storage.get(key)));
      mustEqual(values, keys, 'the list of values');
      await Promise.all(keys.map((key) => app.storage.remove(key)));
    },
  },
  {
    subject: 'Isolation',
    rule: 'Does not answer a frame inside the page.',
    async run() {
      const answer = await answerInFrame();
      must(answer === undefined, `a frame was answered: ${String(answer).slice(0, 200)}`);
    },
  },
];

interface FramePort {
  postMessage(text: string): unknown;
  addEventListener?(type: 'message', listener: (event: { data: unknown }) => void): void;
}

/** The app's answer to a frame of the page’s own origin that asks it to describe itself. */
async function answerInFrame(): Promise<unknown> {
  const frame = document.createElement('iframe');
  frame.hidden = true;
  document.body.append(frame);
  try {
    const inside = frame.contentWindow as unknown as {
      [webviewPortName]?: FramePort;
      webkit?: { messageHandlers?: { [webviewPortName]?: FramePort } };
    } | null;
    const port = inside?.[webviewPortName] ?? inside?.webkit?.messageHandlers?.[webviewPortName];
    // The safest case: the app only puts its port into the top document.
    if (!port) return undefined;
    return await new Promise((resolve) => {
      setTimeout(() => resolve(undefined), frameSeconds * 1000);
      port.addEventListener?.('message', ({ data }) => resolve(data));
      const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'app.describe' });
      Promise.resolve(port.postMessage(request)).then(
        (reply) => reply !== undefined && reply !== null && resolve(reply),
        () => resolve(undefined),
      );
    });
  } finally {
    frame.remove();
  }
}
