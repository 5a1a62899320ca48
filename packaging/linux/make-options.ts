import type { SigningKeys } from '../manifest/signing-keys.ts';
import type { Processor } from '../runtime/processors.ts';
import type { Compression } from './package-facts.ts';

/** What every package and installer is made from, whatever its system. */
export interface MakeOptions {
  processor: Processor;
  /** Where what is made goes; what is fetched and bundled for it is kept in it, too. */
  folder: string;
  /** Of all files, in seconds since 1970. */
  time: number;
  compression: Compression;
  keys: SigningKeys;
  progress: (line: string) => void;
  /** Of what is made, if it is not the product's. */
  version?: string;
}
