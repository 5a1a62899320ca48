import { ipcMain, type BrowserWindow } from 'electron';
import type { Logger } from 'pino';
import { answerHostRequest, type HostAnswer, type HostServer } from '../page/host-answer.ts';
import { isPageSender } from '../page/page-sender.ts';

/** Transports the host contract over Electron's IPC: one channel for requests, one for events. */
export interface HostIpc {
  /** Lets the pages of a window use the host. */
  addWindow(window: BrowserWindow): void;
  /** Requests wait until this is called. */
  serve(server: HostServer): void;
  emit(channel: string, payload: unknown): void;
}

export function createHostIpc(options: { developmentUrl: string | undefined; log: Logger }): HostIpc {
  const windows = new Map<number, BrowserWindow>();
  const { promise: server, resolve: serve } = Promise.withResolvers<HostServer>();

  ipcMain.handle('host', async (event, channel: unknown, input: unknown): Promise<HostAnswer> => {
    const sender = { isPageWindow: windows.has(event.sender.id), frame: event.senderFrame };
    if (!isPageSender(sender, options.developmentUrl)) {
      options.log.warn('host request from a foreign page refused');
      return { ok: false, message: 'refused' };
    }
    return await answerHostRequest(await server, channel, input, options.log);
  });

  return {
    serve,
    addWindow(window) {
      const { id } = window.webContents;
      windows.set(id, window);
      window.on('closed', () => windows.delete(id));
    },
    emit(channel, payload) {
      for (const window of windows.values()) window.webContents.send('host-event', channel, payload);
    },
  };
}
