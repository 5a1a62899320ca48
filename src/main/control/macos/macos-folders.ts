import path from 'node:path';
import { homeFolder } from '#node/os/home-folder.ts';

export const macosProfile = (): string => path.join(homeFolder(), 'Library/Application Support/Waymaker');
