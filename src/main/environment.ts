import { helperAddress } from '#node/os/helper-address.ts';
import { preferredTag } from '#shared/language.ts';

/** What the environment decides: where the service and the helper are. */
export interface Environment {
  /** Origin of the service, without a trailing slash. */
  apiUrl: string;
  /** Unix socket, or named pipe on Windows. */
  helperSocket: string;
}

export function readEnvironment(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): Environment {
  return {
    apiUrl: (env['WAYMAKER_API_URL'] ?? 'https://api.waymaker.example').replace(/\/+$/, ''),
    helperSocket: env['WAYMAKER_HELPER_SOCKET'] ?? helperAddress(platform),
  };
}

/**
 * BCP 47 tags from the variables that POSIX programs use (locale(7)), the most wanted first; none if they name no
 * language. LANGUAGE comes before the others, unless these ask for no translation (gettext(3)).
 */
export function systemLanguages(env: Readonly<NodeJS.ProcessEnv>): string[] {
  const locale = localeOf(env);
  if (locale === '') return [];
  const wanted = asksForNone.test(locale) ? [] : (env['LANGUAGE'] ?? '').split(':');
  return [...wanted, locale].map(tagOf).filter((tag) => tag !== '');
}

/**
 * The BCP 47 tag of the desktop's language. On Linux, the same variables decide; where they name none, or on another
 * system, the locale that Chromium found.
 */
export function desktopLanguage(
  env: Readonly<NodeJS.ProcessEnv>,
  platform: NodeJS.Platform,
  chromiumLocale: string,
): string {
  const isNamed = platform === 'linux' && !asksForNone.test(localeOf(env) || 'C');
  return isNamed ? preferredTag(systemLanguages(env)) : chromiumLocale;
}

const localeOf = (env: Readonly<NodeJS.ProcessEnv>) =>
  env['LC_ALL'] || env['LC_MESSAGES'] || env['LANG'] || '';

const asksForNone = /^(?:c|posix)(?:[.@]|$)/i;

/** A locale's name without its encoding and modifier; those that ask for no translation are English. */
function tagOf(locale: string): string {
  const tag = locale
    .replace(/[.@].*$/, '')
    .replaceAll('_', '-')
    .trim();
  return /^(?:c|posix)$/i.test(tag) ? 'en' : tag;
}
