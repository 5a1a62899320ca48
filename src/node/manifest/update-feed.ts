import * as z from 'zod/mini';

/** Where an installer is offered, in a folder on a web server, and who says so. */
export const feedFile = 'latest.yml';
export const maxFeedBytes = 30_000;

/**
 * What comes between the feed and its signatures. In YAML, it begins a comment, so that others who read the file see
 * the feed only. In one file, nobody meets the signatures of another feed than the one that they have read.
 */
const beforeSignatures = '\n# signatures: ';

/** The content of a feed's file: what is signed, and a signature file's content. */
export const joinFeed = (text: string, signatures: string): string =>
  `${text.trimEnd()}${beforeSignatures}${JSON.stringify(JSON.parse(signatures))}\n`;

/** The opposite; undefined if there are no signatures in it. */
export function splitFeed(content: string): { text: string; signatures: string } | undefined {
  const at = content.lastIndexOf(beforeSignatures);
  if (at < 0) return undefined;
  return { text: content.slice(0, at), signatures: content.slice(at + beforeSignatures.length) };
}

/** The name of a file beside the feed. */
const fileName = z.string().check(z.regex(/^[\w][\w.-]{0,99}$/));
/** As base64. */
const sha512 = z.string().check(z.regex(/^[A-Za-z0-9+/]{86}==$/));

/**
 * What electron-updater reads (UpdateInfo of builder-util-runtime), and the product that it is for. It is written as
 * JSON, which is YAML, too.
 */
const feedSchema = z.object({
  /** With the system and the processor: what is signed for one is not good for another. */
  product: z.string().check(z.regex(/^[a-z][a-z0-9-]{0,40}$/)),
  version: z.string().check(z.regex(/^\d{1,6}\.\d{1,6}\.\d{1,6}$/)),
  files: z.tuple([
    z.object({
      url: fileName,
      sha512,
      /** In bytes. */
      size: z.int().check(z.positive(), z.maximum(2 ** 32)),
    }),
  ]),
  path: fileName,
  sha512,
  /** When the feed was made: of two feeds, the later one holds. */
  releaseDate: z.iso.datetime(),
  /** How many of a hundred users get it so far; all, if absent. */
  stagingPercentage: z.optional(z.number().check(z.minimum(0), z.maximum(100))),
});
export type UpdateFeed = z.infer<typeof feedSchema>;

/** Undefined if the text is no feed. */
export function readFeed(text: string): UpdateFeed | undefined {
  try {
    return feedSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** The packages that have feeds: with the window, and without. */
export type FeedName = 'waymaker' | 'waymaker-core';

/** The product of a package's feed. */
export const feedProduct = (
  platform: NodeJS.Platform,
  processor: string,
  name: FeedName = 'waymaker-core',
): string => `${name}-${platform}-${processor}`;
