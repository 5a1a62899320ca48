import path from 'node:path';
import { programDataFolder } from './calls/known-folders.ts';

/** Where the helper has its journal and its log, readable by administrators only. */
export const stateFolder = (): string => path.join(programDataFolder(), 'Waymaker');
