import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '../../../..');
/** Where the build under test is. */
const built = path.resolve(root, process.env['WAYMAKER_BUILD'] ?? 'out');
export const builtMain = path.join(built, 'main/index.js');
export const builtRenderer = path.join(built, 'renderer');
