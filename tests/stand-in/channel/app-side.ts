import { createPeer } from './peer.ts';
import type { AppProcess, WindowHost } from './process-contract.ts';

/** The app's end of the channel; the modules of the double add what they answer. */
export const appSide: Partial<AppProcess> = {};

export const host = createPeer<WindowHost>(process, appSide);

if (!process.send) throw new Error('stand-in: the app has to be started by launchStandIn()');
// Without its pages the app is nothing: as when Chromium's own process of Electron dies.
process.on('disconnect', () => process.exit(1));
