const { contextBridge, ipcRenderer } = require('electron');

globalThis.secretOfPreload = 'secret';

contextBridge.exposeInMainWorld('example', {
  invoke: (channel, ...args) => ipcRenderer.invoke(channel, ...args),
  announce: (text) => ipcRenderer.send('announce', text),
  onAnnounced: (listener) => {
    const deliver = (_event, ...args) => listener(...args);
    ipcRenderer.on('announced', deliver);
    return () => ipcRenderer.off('announced', deliver);
  },
  requireFs: () => typeof require('fs'),
  unimplemented: () => ipcRenderer.sendToHost('x'),
});
