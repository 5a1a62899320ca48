import { contextBridge, ipcRenderer } from 'electron';
import type { desktopTransportName } from '#shared/host/transport.ts';
import { createBridge, type HostChannels } from './bridge.ts';

/** The host contract's channel names, put in at build time so that the preload need not carry its schemas. */
declare const HOST_CHANNELS: HostChannels;

const name: typeof desktopTransportName = 'waymakerHost';
contextBridge.exposeInMainWorld(name, createBridge(ipcRenderer, HOST_CHANNELS));
