import path from 'node:path';
import electron, { app, BrowserWindow, ipcMain, protocol } from 'electron';

/** A small app that uses Electron as its documentation says; the stand-in's own tests run it. */

const page = '<!doctype html><title>example</title><h1>Example</h1>';

protocol.registerSchemesAsPrivileged([{ scheme: 'example', privileges: { standard: true, secure: true } }]);

for (const name of ['before-quit', 'will-quit', 'window-all-closed'] as const) {
  app.on(name as 'will-quit', () => {
    console.log(name);
    if (name === 'window-all-closed') app.quit();
  });
}
app.on('quit', () => console.log('quit'));

ipcMain.handle('echo', (_event, value: unknown) => value);
ipcMain.handle('fail', () => {
  throw new TypeError('on purpose');
});
ipcMain.handle('return-function', () => () => 'not cloneable');
ipcMain.handle('sender', (event) => ({
  url: event.senderFrame?.url,
  origin: event.senderFrame?.origin,
  isMainFrame: event.senderFrame === event.sender.mainFrame,
}));
ipcMain.handle('unimplemented', () => {
  const { TouchBar } = electron;
  return String(TouchBar);
});
ipcMain.on('announce', (event, text: string) => event.sender.send('announced', text, new Date(0)));

await app.whenReady();
protocol.handle('example', () => new Response(page, { headers: { 'content-type': 'text/html' } }));
const window = new BrowserWindow({
  webPreferences: { preload: path.join(import.meta.dirname, 'preload.cjs'), sandbox: true },
});
await window.loadURL('example://home/start?a=1');
