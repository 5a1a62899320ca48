import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { PackageFacts } from './package-facts.ts';

const common = readFileSync(path.join(import.meta.dirname, 'scripts/common.sh'), 'utf8');

/** dpkg names a script's occasion by words (deb-postinst(5)). */
const debian = (lines: string) => `#!/bin/sh\nset -e\n\n${common}\n${lines.trim()}\n`;

/** rpm counts the versions that are installed afterwards. Its scripts are given to sh without a first line. */
const rpm = (lines: string) => `set -e\n\n${common}\n${lines.trim()}\n`;

/** What runs while `waymaker-core` is installed and removed. */
export const coreScripts = {
  debian: {
    postinst: debian(`
case "$1" in
configure)
    make_accounts
    if [ -n "$2" ]; then start_helper again; else start_helper first; fi
    ;;
abort-*) start_helper back ;;
esac
`),
    prerm: debian(`
if [ "$1" = remove ]; then
    open_traffic
    end_programs
    put_back_proxies
    remove_groups
fi
`),
    postrm: debian(`
case "$1" in
remove) forget_units ;;
purge) purge ;;
esac
`),
  },
  rpm: {
    post: rpm(`
make_accounts
if [ "$1" -gt 1 ]; then start_helper again; else start_helper first; fi
`),
    preun: rpm(`
if [ "$1" -eq 0 ]; then
    open_traffic
    end_programs
    put_back_proxies
    remove_groups
fi
`),
    // rpm has no purge: nothing is kept.
    postun: rpm(`
if [ "$1" -eq 0 ]; then
    forget_units
    purge
fi
`),
  },
} satisfies PackageFacts['scripts'];
