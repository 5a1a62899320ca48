import * as z from 'zod/mini';
import { language } from './entities.ts';

/**
 * Which files of the built console a page needs besides those that its HTML names, so that the service can name
 * them with the page: a browser would else learn of them from the first script, a round trip and more later.
 */

/** The manifest's file, beside the console's index.html. */
export const preloadManifestName = 'preload.json';

/** A script or style sheet, by its address. */
const file = z.string().check(z.regex(/^\/assets\/[\w.-]+\.(?:js|css)$/));
const files = z.array(file);

export const preloadManifest = z.object({
  /** By the path of the page, for the pages that people come to; other pages need all texts. */
  pages: z.record(z.string(), z.object({ files, texts: z.enum(['first', 'all']) })),
  /** The texts: those of the first pages, and all. */
  texts: z.object({ first: z.record(language, files), all: z.record(language, files) }),
});
export type PreloadManifest = z.infer<typeof preloadManifest>;
