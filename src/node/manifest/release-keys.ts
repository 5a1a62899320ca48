import type { KeyObject } from 'node:crypto';
import { publicKeyOf } from './signatures.ts';

/**
 * The public keys that packages of this build must be signed with, as base64 with spaces between them: two, so that one
 * can be retired. A package's build puts them in this name's place; a program from a checkout has no such name, and
 * nothing to compare itself with.
 */
declare const releaseKeysOfThisBuild: string;

const compiledIn = typeof releaseKeysOfThisBuild === 'string' ? releaseKeysOfThisBuild.split(' ') : undefined;

/** Undefined where this program is no part of a package. */
export const releaseKeys = (): KeyObject[] | undefined => compiledIn?.map(publicKeyOf);
