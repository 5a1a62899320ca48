import { readFileSync } from 'node:fs';
import path from 'node:path';
import { hasErrorCode } from '#node/os/error-code.ts';
import { canonicalPath } from '#shared/console-paths.ts';
import { preloadManifest, preloadManifestName, type PreloadManifest } from '#shared/preload-manifest.ts';
import { preferredLanguage } from '../http/language.ts';

/** A request for a page, which decides which files the page will need. */
interface PageRequest {
  /** The path, with or without a query. */
  url: string;
  acceptLanguage: string | undefined;
}

/**
 * The value of a page's `Link` header (RFC 8288). It makes the browser fetch the page's scripts and texts together with
 * the page's first script instead of after it. Undefined if the console was built without a preload manifest; throws if
 * the manifest is invalid.
 */
export function readPreloads(consoleDirectory: string): ((request: PageRequest) => string) | undefined {
  const file = path.join(consoleDirectory, preloadManifestName);
  const text = readIfThere(file);
  if (text === undefined) return undefined;
  const manifest = parse(file, text);
  const pages = new Map(Object.entries(manifest.pages));
  return ({ url, acceptLanguage }) => {
    const [pathname = ''] = url.split('?', 1);
    const { files, texts } = pages.get(canonicalPath(pathname)) ?? { files: [], texts: 'all' };
    return [...files, ...manifest.texts[texts][preferredLanguage(acceptLanguage)]].map(link).join(', ');
  };
}

/** In the mode in which the page will request the file: otherwise it would be loaded twice. */
function link(file: string): string {
  return file.endsWith('.js')
    ? `<${file}>; rel=modulepreload`
    : `<${file}>; rel=preload; as=style; crossorigin`;
}

function parse(file: string, text: string): PreloadManifest {
  try {
    return preloadManifest.parse(JSON.parse(text));
  } catch (cause) {
    throw new Error(`${file} is no preload manifest`, { cause });
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}
