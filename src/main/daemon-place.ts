import path from 'node:path';

/** Where the daemon of a profile writes its log. */
export const logFileOf = (profile: string): string => path.join(profile, 'logs', 'daemon.log');

/** A BCP 47 tag from what POSIX programs go by (locale(7)); empty if it names no language. */
export function systemLanguage(env: Readonly<NodeJS.ProcessEnv>): string {
  const locale = env['LC_ALL'] || env['LC_MESSAGES'] || env['LANG'] || '';
  const tag = locale.replace(/[.@].*$/, '').replaceAll('_', '-');
  return tag === 'C' || tag === 'POSIX' ? 'en' : tag;
}
