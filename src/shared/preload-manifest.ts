import * as z from 'zod/mini';
import { language } from './entities.ts';

/**
 * The files of the built console that a page needs in addition to those that its HTML names. The service names them
 * together with the page; otherwise a browser would find them only in the first script, at least one round trip later.
 */

/** The manifest's file, beside the console's index.html. */
export const preloadManifestName = 'preload.json';

/** A script or style sheet, by its address. */
const file = z.string().check(z.regex(/^\/assets\/[\w.-]+\.(?:js|css)$/));
const files = z.array(file);

export const preloadManifest = z.object({
  /** By the page's path, for pages that people open directly; all other pages need all texts. */
  pages: z.record(z.string(), z.object({ files, texts: z.enum(['first', 'all']) })),
  /** The texts of the first pages, and all texts. */
  texts: z.object({ first: z.record(language, files), all: z.record(language, files) }),
});
export type PreloadManifest = z.infer<typeof preloadManifest>;
