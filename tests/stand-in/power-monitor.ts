import { appSide } from './app-side.ts';
import { StrictEmitter } from './strict.ts';

/** Tells when the computer sleeps, as somebody who holds the stand-in says. */
export const powerMonitor = new StrictEmitter('powerMonitor');

appSide.systemSleeps = (isAsleep) => void powerMonitor.emit(isAsleep ? 'suspend' : 'resume');
