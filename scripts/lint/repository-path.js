import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

/** A file's path in this repository. */
export const repositoryPath = (file) => path.relative(root, file).split(path.sep).join('/');
