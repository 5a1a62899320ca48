import { cloneFromText, cloneToText } from './clone-text.ts';

/**
 * The scripts that run in a window's main frame before the page's own: one in the page's world, one in an
 * isolated world of Chromium's, where the built preload runs with `require('electron')`. As in Electron with
 * context isolation, the two share the document and nothing else; what `contextBridge` exposes crosses by
 * events on the document, which Chromium delivers at once and whose `detail` it clones between worlds.
 * https://www.electronjs.org/docs/latest/tutorial/context-isolation
 */

type Description =
  | { t: 'value'; v: unknown }
  | { t: 'array'; v: Description[] }
  | { t: 'object'; v: [string, Description][] }
  | { t: 'function' | 'promise'; id: number }
  | { t: 'error'; message: string };

type WorldMessage =
  | { type: 'expose'; name: string; value: Description }
  | { type: 'call'; id: number; args: Description[] }
  | { type: 'return' | 'throw'; value: Description }
  | { type: 'settle'; id: number; ok: boolean; value: Description };

/** One end of the bridge between two worlds; `listen` and `speak` are the names of the events. */
function worldBridge(listen: string, speak: string) {
  const dispatch = document.dispatchEvent.bind(document);
  const functions: ((...args: unknown[]) => unknown)[] = [];
  const promises = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>();
  let lastPromise = 0;
  let lastReturn: (WorldMessage & { type: 'return' | 'throw' }) | undefined;

  const send = (message: WorldMessage) => dispatch(new CustomEvent(speak, { detail: message }));

  function describe(value: unknown): Description {
    if (typeof value === 'function') {
      functions.push(value as (...args: unknown[]) => unknown);
      return { t: 'function', id: functions.length - 1 };
    }
    if (typeof value === 'symbol') throw new TypeError('An object could not be cloned.');
    if (typeof value !== 'object' || value === null) return { t: 'value', v: value };
    if (value instanceof Promise) {
      const id = ++lastPromise;
      value.then(
        (result) => send({ type: 'settle', id, ok: true, value: describe(result) }),
        (error) => send({ type: 'settle', id, ok: false, value: describe(error) }),
      );
      return { t: 'promise', id };
    }
    if (value instanceof Error) return { t: 'error', message: value.message };
    if (Array.isArray(value)) return { t: 'array', v: value.map(describe) };
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null)
      return { t: 'value', v: structuredClone(value) };
    return { t: 'object', v: Object.entries(value).map(([key, item]) => [key, describe(item)]) };
  }

  function build(description: Description): unknown {
    switch (description.t) {
      case 'value':
        return description.v;
      case 'array':
        return description.v.map(build);
      case 'object':
        return Object.freeze(Object.fromEntries(description.v.map(([key, item]) => [key, build(item)])));
      case 'function': {
        const { id } = description;
        return (...args: unknown[]) => {
          lastReturn = undefined;
          send({ type: 'call', id, args: args.map(describe) });
          const returned = lastReturn as (WorldMessage & { type: 'return' | 'throw' }) | undefined;
          if (!returned) throw new Error('the other world did not answer');
          if (returned.type === 'throw') throw build(returned.value);
          return build(returned.value);
        };
      }
      case 'promise':
        return new Promise((resolve, reject) => promises.set(description.id, { resolve, reject }));
      case 'error':
        return new Error(description.message);
      default:
        throw new TypeError('unknown description');
    }
  }

  function receive(message: WorldMessage): void {
    switch (message.type) {
      case 'expose':
        Object.defineProperty(globalThis, message.name, { value: build(message.value), enumerable: true });
        break;
      case 'call':
        try {
          const value = describe(functions[message.id]?.(...message.args.map(build)));
          send({ type: 'return', value });
        } catch (error) {
          send({ type: 'throw', value: describe(error) });
        }
        break;
      case 'return':
      case 'throw':
        lastReturn = message;
        break;
      case 'settle': {
        const promise = promises.get(message.id);
        promises.delete(message.id);
        if (message.ok) promise?.resolve(build(message.value));
        else promise?.reject(build(message.value));
        break;
      }
      default:
        throw new TypeError('unknown message');
    }
  }

  document.addEventListener(listen, (event) => receive((event as CustomEvent<WorldMessage>).detail));
  return { expose: (name: string, value: unknown) => send({ type: 'expose', name, value: describe(value) }) };
}

type IpcListener = (event: object, ...args: unknown[]) => void;
type Codec = { toText(value: unknown): string; fromText(text: string): unknown };

/** `require('electron')` of a sandboxed preload, and the door through which the app's process speaks to it. */
function preloadElectron(
  bridge: { expose(name: string, value: unknown): void },
  codec: Codec,
  toApp: (text: string) => void,
) {
  const listeners = new Map<string, IpcListener[]>();
  const calls = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let lastCall = 0;

  const strict = <Target extends object>(name: string, target: Target): Target =>
    new Proxy(target, {
      get(object, key) {
        if (typeof key === 'string' && !(key in object) && key !== 'then' && key !== '__esModule') {
          throw new Error(`stand-in: ${name}.${key} is not implemented in preloads`);
        }
        return Reflect.get(object, key);
      },
    });
  const argsText = (args: unknown[]) => {
    try {
      return codec.toText(args);
    } catch (error) {
      // Electron's text, from its serialiser of IPC arguments.
      throw error instanceof DOMException ? new Error('An object could not be cloned.') : error;
    }
  };
  const list = (channel: string) => listeners.get(channel) ?? [];
  const ipcRenderer = {
    async invoke(channel: string, ...args: unknown[]) {
      const text = argsText(args);
      const id = ++lastCall;
      return new Promise((resolve, reject) => {
        calls.set(id, { resolve, reject });
        toApp(JSON.stringify({ type: 'invoke', id, channel, args: text }));
      });
    },
    send(channel: string, ...args: unknown[]) {
      toApp(JSON.stringify({ type: 'send', channel, args: argsText(args) }));
    },
    on(channel: string, listener: IpcListener) {
      listeners.set(channel, [...list(channel), listener]);
      return ipcRenderer;
    },
    once(channel: string, listener: IpcListener) {
      const once: IpcListener = (event, ...args) => {
        ipcRenderer.removeListener(channel, once);
        listener(event, ...args);
      };
      return ipcRenderer.on(channel, once);
    },
    removeListener(channel: string, listener: IpcListener) {
      listeners.set(
        channel,
        list(channel).filter((other) => other !== listener),
      );
      return ipcRenderer;
    },
    off: (channel: string, listener: IpcListener) => ipcRenderer.removeListener(channel, listener),
    removeAllListeners(channel: string) {
      listeners.delete(channel);
      return ipcRenderer;
    },
  };
  const contextBridge = { exposeInMainWorld: (name: string, value: unknown) => bridge.expose(name, value) };
  const electron = strict('electron', {
    ipcRenderer: strict('ipcRenderer', ipcRenderer),
    contextBridge: strict('contextBridge', contextBridge),
  });

  const fromApp = {
    deliver(channel: string, args: string) {
      const values = codec.fromText(args) as unknown[];
      for (const listener of list(channel)) listener({ sender: ipcRenderer, ports: [] }, ...values);
    },
    settle(id: number, ok: boolean, text: string) {
      const call = calls.get(id);
      calls.delete(id);
      const value = codec.fromText(text);
      if (ok) call?.resolve(value);
      else call?.reject(new Error(String(value)));
    },
  };
  return { electron, fromApp };
}

/** The source text of a function that is complete in itself. */
const sourceOf = (complete: (...args: never[]) => unknown): string => complete.toString();
const onlyInMainFrame = (body: string) => `if (window === window.top) { ${body} }`;

/** Name of the isolated world in which preloads run. */
export const preloadWorld = 'waymaker-preload';
/** Name of the debugger binding that the preload's world speaks through. */
export const preloadBinding = '__standInToApp';
/** Where that world keeps the functions through which the app's process speaks to it. */
export const preloadDoor = '__standInFromApp';

/** Runs in the page's world, before the page. `secret` keeps the page from speaking on the bridge. */
export function pageWorldScript(secret: string): string {
  return onlyInMainFrame(`(${sourceOf(worldBridge)})('${secret}-to-page', '${secret}-to-preload');`);
}

/** Runs in the preload's world, before the page: the preload with the `require` of a sandboxed one. */
export function preloadWorldScript(secret: string, preload: string, platform: string): string {
  return onlyInMainFrame(`
    const codec = { toText: ${sourceOf(cloneToText)}, fromText: ${sourceOf(cloneFromText)} };
    const toApp = globalThis['${preloadBinding}'];
    const bridge = (${sourceOf(worldBridge)})('${secret}-to-preload', '${secret}-to-page');
    const { electron, fromApp } = (${sourceOf(preloadElectron)})(bridge, codec, (text) => toApp(text));
    globalThis['${preloadDoor}'] = fromApp;
    const process = { platform: '${platform}', type: 'renderer', sandboxed: true, contextIsolated: true, env: {}, versions: {} };
    const require = (name) => {
      if (name === 'electron' || name === 'electron/renderer' || name === 'electron/common') return electron;
      throw new Error("module not found: " + name);
    };
    const module = { exports: {} };
    (function (require, module, exports, process) {\n${preload}\n})(require, module, module.exports, process);
  `);
}
