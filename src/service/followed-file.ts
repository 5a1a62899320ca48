import { stat } from 'node:fs/promises';
import { readTextFile } from './read-text-file.ts';

/** A file that the operator may change, replace or remove while the service runs. */
export interface FollowedFile<Content> {
  /** The last that could be used; undefined before `open`, and of a file that need not exist and does not. */
  readonly content: Content | undefined;
  /** Reads it at once; throws if it cannot be used. */
  open(): Promise<void>;
  /** Reads it again if it has changed, and then stayed as it is since the last look; true if the content is new. */
  look(): Promise<boolean>;
}

export interface Following<Content> {
  /** Throws if the text cannot be used; it is undefined if there is no such file. */
  read: (text: string | undefined, last: Content | undefined) => Content | undefined;
  /** Told once of what cannot be read or used; what was read before stays in use. */
  onProblem: (problem: unknown) => void;
}

/** Follows a file by looks: what the system announces misses links that lead elsewhere, and other machines' changes. */
export function followFile<Content>(
  file: string,
  { read, onProblem }: Following<Content>,
): FollowedFile<Content> {
  let content: Content | undefined;
  let seen = missing;
  /** The version that is in use, or that was refused. */
  let known = missing;
  let told: string | undefined;
  const textOf = (version: string) => (version === missing ? undefined : readTextFile(file));
  return {
    get content() {
      return content;
    },

    async open() {
      seen = await versionOf(file);
      content = read(await textOf(seen), content);
      known = seen;
    },

    async look() {
      try {
        const version = await versionOf(file);
        const isSettled = version === seen;
        seen = version;
        if (version === known) told = undefined;
        if (!isSettled || version === known) return false;
        const text = await textOf(version);
        if ((await versionOf(file)) !== version) return false;
        known = version;
        told = undefined;
        content = read(text, content);
        return true;
      } catch (error) {
        // What fails for another reason than what is in the file is tried again.
        if (String(error) !== told) onProblem(error);
        told = String(error);
        return false;
      }
    },
  };
}

const missing = 'missing';

async function versionOf(file: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return missing;
    throw error;
  }
}

const lookEachMs = 5_000;

/** Looks every few seconds. Returns a function that ends this. */
export function lookRegularly(look: () => Promise<void>): () => void {
  let isLooking = false;
  const timer = setInterval(() => {
    // Where a network's file system does not answer, one waits, and not more of them each time.
    if (isLooking) return;
    isLooking = true;
    void look().finally(() => (isLooking = false));
  }, lookEachMs).unref();
  return () => clearInterval(timer);
}
