import { expect, test } from 'vitest';
import { createBridge, type PageIpc } from '../../../src/preload/bridge.ts';

const channels = { requests: ['tunnel.snapshot'], events: ['tunnel.stateChanged'] };

function setUp(answer: unknown = { ok: true, value: 'answer' }) {
  const sent: unknown[][] = [];
  let deliver: (event: unknown, ...args: unknown[]) => void = () => undefined;
  const ipc: PageIpc = {
    invoke(...args) {
      sent.push(args);
      return Promise.resolve(answer);
    },
    on(channel, listener) {
      expect(channel).toBe('host-event');
      deliver = listener;
    },
  };
  return { bridge: createBridge(ipc, channels), sent, deliver: (...args: unknown[]) => deliver({}, ...args) };
}

test('a request goes over the one channel and comes back', async () => {
  const { bridge, sent } = setUp();
  expect(await bridge.request('tunnel.snapshot', { a: 1 })).toBe('answer');
  expect(sent).toEqual([['host', 'tunnel.snapshot', { a: 1 }]]);
});

test('a refusal is an error with its message', async () => {
  const { bridge } = setUp({ ok: false, message: 'refused' });
  await expect(bridge.request('tunnel.snapshot', undefined)).rejects.toThrow(/^refused$/);
});

test.each(['tunnel.stateChanged', 'shell.openPath', '__proto__', ''])('%j is no request', async (channel) => {
  const { bridge, sent } = setUp();
  await expect(bridge.request(channel, undefined)).rejects.toThrow('no such request');
  expect(sent).toEqual([]);
});

test('only events can be subscribed to', () => {
  expect(() => setUp().bridge.subscribe('tunnel.snapshot', () => undefined)).toThrow('no such event');
});

test('events reach every subscriber until it unsubscribes, each on its own', () => {
  const { bridge, deliver } = setUp();
  const heard: unknown[] = [];
  const listener = (payload: unknown) => heard.push(payload);
  const first = bridge.subscribe('tunnel.stateChanged', listener);
  const second = bridge.subscribe('tunnel.stateChanged', listener);
  deliver('tunnel.stateChanged', 1);
  first();
  first();
  deliver('tunnel.stateChanged', 2);
  deliver('session.changed', 3);
  second();
  deliver('tunnel.stateChanged', 4);
  expect(heard).toEqual([1, 1, 2]);
});
