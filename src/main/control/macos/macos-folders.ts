import { homedir } from 'node:os';
import path from 'node:path';

export const macosProfile = (): string => path.join(homedir(), 'Library/Application Support/Waymaker');
