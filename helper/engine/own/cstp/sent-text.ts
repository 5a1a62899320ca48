import { isUtf8 } from 'node:buffer';

/** What a gateway has written: most write UTF-8, others Latin-1. */
export const textIn = (bytes: Buffer): string => bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');
