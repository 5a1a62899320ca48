import { bestLimits, type DataPathLimits } from './messages.ts';

const changes: Readonly<Record<string, Partial<DataPathLimits>>> = {
  'no-udp-offload': { offload: 'tcp' },
  'no-offload': { offload: 'none' },
  'no-batches': { sendsMany: false, receivesMany: false },
  'no-tls-mode': { cipher: 'evp' },
  'no-openssl': { cipher: 'node' },
};

/** Of words with commas. `off`: Node's own ways for everything. Words that nobody knows are left out. */
export function readLimits(text: string | undefined): DataPathLimits | 'off' {
  const words = (text ?? '').split(',');
  if (words.includes('off')) return 'off';
  return Object.assign({}, bestLimits, ...words.map((word) => changes[word])) as DataPathLimits;
}
