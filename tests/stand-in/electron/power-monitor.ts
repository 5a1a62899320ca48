import { appSide } from '../channel/app-side.ts';
import { createEvent, StrictEmitter } from './strict.ts';

/** Tells when the computer sleeps or is shut down, as somebody who holds the stand-in says. */
export const powerMonitor = new StrictEmitter('powerMonitor');

appSide.systemShutsDown = () => void powerMonitor.emit('shutdown', createEvent({}));
appSide.systemSleeps = (isAsleep) => void powerMonitor.emit(isAsleep ? 'suspend' : 'resume');
