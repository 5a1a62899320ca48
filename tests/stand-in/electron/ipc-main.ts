import type Electron from 'electron';
import { appSide } from '../channel/app-side.ts';
import { openWindow } from './open-windows.ts';
import type { FrameInfo } from '../channel/process-contract.ts';
import { createEvent, StrictEmitter } from './strict.ts';

type Handler = (event: Electron.IpcMainInvokeEvent, ...args: unknown[]) => unknown;
type Implemented = Pick<Electron.IpcMain, 'handle' | 'handleOnce' | 'removeHandler'>;

class IpcMain extends StrictEmitter implements Implemented {
  private readonly handlers = new Map<string, Handler>();

  constructor() {
    super('ipcMain');
  }

  handle = (channel: string, handler: Handler): void => {
    if (this.handlers.has(channel)) {
      throw new Error(`Attempted to register a second handler for '${channel}'`);
    }
    this.handlers.set(channel, handler);
  };
  handleOnce = (channel: string, handler: Handler): void => {
    this.handle(channel, (event, ...args) => {
      this.removeHandler(channel);
      return handler(event, ...args);
    });
  };
  removeHandler = (channel: string): void => {
    this.handlers.delete(channel);
  };
  handlerOf(channel: string): Handler | undefined {
    return this.handlers.get(channel);
  }
}

export const ipcMain = new IpcMain();

function eventFrom(id: number, frame: FrameInfo): Electron.IpcMainInvokeEvent {
  const window = openWindow(id);
  if (!window) throw new Error('the window is gone');
  const details = {
    type: 'frame',
    processId: 0,
    frameId: 0,
    sender: window.webContents,
    senderFrame: window.webContents.frameOf(frame),
  };
  return createEvent(details) as unknown as Electron.IpcMainInvokeEvent;
}

appSide.invoke = async (id, frame, channel, args) => {
  try {
    const handler = ipcMain.handlerOf(channel);
    if (!handler) throw new Error(`No handler registered for '${channel}'`);
    return { ok: true, value: structuredClone(await handler(eventFrom(id, frame), ...args)) };
  } catch (error) {
    return { ok: false, error: String(error) };
  }
};

appSide.message = (id, frame, channel, args) => {
  ipcMain.emit(channel, eventFrom(id, frame), ...args);
};
