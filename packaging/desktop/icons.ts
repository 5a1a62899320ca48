import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

/** The one drawing: scripts/app-icons.ts makes all pictures of it. */
export const markFile = path.join(root, 'src/renderer/ui/pictures/mark.svg');

/** Of the pictures, in pixels: what the hicolor theme has folders for, up to what macOS asks for. */
export const iconSizes = [16, 22, 24, 32, 48, 64, 128, 256, 512] as const;

export const iconFolder = path.join(root, 'resources/icons');
export const iconFile = (pixels: number): string => path.join(iconFolder, `${pixels}.png`);
