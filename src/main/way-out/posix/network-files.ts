import { readFile } from 'node:fs/promises';
import type { NetworkFiles } from '../network-files.ts';

const textOf = (file: string) => readFile(file, 'utf8').catch(() => '');

export const networkFiles: NetworkFiles = {
  hosts: () => textOf('/etc/hosts'),
  resolvConf: () => textOf('/etc/resolv.conf'),
};
