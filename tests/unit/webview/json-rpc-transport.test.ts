import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  createJsonRpcTransport,
  HostErrorReply,
  HostSilent,
} from '../../../src/renderer/platform/webview/json-rpc-transport.ts';
import { createTestPort } from './test-port.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp() {
  const port = createTestPort();
  return { port, transport: createJsonRpcTransport(port, 15) };
}

describe('requests', () => {
  test('travel as JSON-RPC 2.0, with the input as the only parameter', async () => {
    const { port, transport } = setUp();
    const replies = [
      transport.request('storage.get', 'key'),
      transport.request('tunnel.snapshot', undefined),
    ];
    expect(port.sent).toEqual([
      { jsonrpc: '2.0', id: 1, method: 'storage.get', params: ['key'] },
      { jsonrpc: '2.0', id: 2, method: 'tunnel.snapshot' },
    ]);
    // In whatever order: the id tells.
    port.say({ jsonrpc: '2.0', id: 2, result: { state: 'disconnected' } });
    port.say({ jsonrpc: '2.0', id: 1, result: null });
    expect(await Promise.all(replies)).toEqual([null, { state: 'disconnected' }]);
  });

  test('answered by an error reject with its code', async () => {
    const { port, transport } = setUp();
    const reply = transport.request('app.nope', undefined);
    port.say({ jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found' } });
    await expect(reply).rejects.toThrow(HostErrorReply);
    await expect(reply).rejects.toMatchObject({ code: -32601 });
  });

  test('that the app does not answer, or does not take, reject', async () => {
    const { port, transport } = setUp();
    const silent = expect(transport.request('app.describe', undefined)).rejects.toThrow(HostSilent);
    await vi.advanceTimersByTimeAsync(15_000);
    await silent;
    port.refuses = true;
    await expect(transport.request('app.describe', undefined)).rejects.toThrow('not taken');
  });
});

// As in a webview that the system suspends, together with the app around it.
test('what the page stands still for is not the time of an app that has not answered yet', async () => {
  vi.useRealTimers();
  const port = createTestPort();
  const reply = createJsonRpcTransport(port, 3).request('storage.get', 'user');
  // Unlike a loop, this takes no processor time.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5_000);
  setTimeout(() => port.say({ jsonrpc: '2.0', id: 1, result: 'kept' }), 500);
  expect(await reply).toBe('kept');
  const other = createJsonRpcTransport(createTestPort(), 3).request('storage.get', 'user');
  await expect(other).rejects.toThrow(HostSilent);
});

describe('an app that says something else', () => {
  test.each([
    '',
    'nonsense',
    'null',
    '[]',
    '[{"jsonrpc":"2.0","id":1,"result":"batched"}]',
    '{"id":1,"result":"no version"}',
    '{"jsonrpc":"1.0","id":1,"result":"other version"}',
    '{"jsonrpc":"2.0","id":"1","result":"text id"}',
    '{"jsonrpc":"2.0","id":2,"result":"nobody asked"}',
    '{"jsonrpc":"2.0","id":1}',
    '{"jsonrpc":"2.0","id":1,"error":"no object"}',
    '{"jsonrpc":"2.0","id":1,"method":"tunnel.stateChanged","params":[{}]}',
    '{"jsonrpc":"2.0","method":"tunnel.stateChanged"}',
    '{"jsonrpc":"2.0","method":"__proto__","params":[1]}',
  ])('%s is neither a reply nor an event', async (text) => {
    const { port, transport } = setUp();
    const heard = vi.fn();
    transport.subscribe('tunnel.stateChanged', heard);
    const reply = transport.request('app.describe', undefined);
    port.sayText(text);
    port.say({ jsonrpc: '2.0', id: 1, result: 'the reply' });
    expect(await reply).toBe('the reply');
    expect(heard).not.toHaveBeenCalled();
  });

  test('the first reply counts, and a late one is nobody’s', async () => {
    const { port, transport } = setUp();
    const first = transport.request('storage.get', 'a');
    port.say({ jsonrpc: '2.0', id: 1, result: 'first' });
    port.say({ jsonrpc: '2.0', id: 1, result: 'second' });
    expect(await first).toBe('first');
    const next = transport.request('storage.get', 'b');
    port.say({ jsonrpc: '2.0', id: 1, result: 'third' });
    port.say({ jsonrpc: '2.0', id: 2, result: 'its own' });
    expect(await next).toBe('its own');
  });
});

test('events reach their listeners until these leave', () => {
  const { port, transport } = setUp();
  const heard: unknown[] = [];
  const leave = transport.subscribe('tunnel.stateChanged', (payload) => heard.push(payload));
  const tell = (payload: string) =>
    port.say({ jsonrpc: '2.0', method: 'tunnel.stateChanged', params: [payload] });
  tell('one');
  port.say({ jsonrpc: '2.0', method: 'session.changed', params: ['not this one'] });
  leave();
  tell('two');
  expect(heard).toEqual(['one']);
});
