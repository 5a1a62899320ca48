import { execFile } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

/** What is installed from the repository, and where the scripts of the package are in it. */
export const resources = path.resolve(import.meta.dirname, '../../../../resources/macos');
export const installer = path.join(resources, 'installer');

/**
 * Doubles of macOS's programs, which do not run here; dscl's directory is a folder with a file for each attribute. An
 * installation starts a hundred of them, so that they start no program themselves where the shell can do it.
 */
const programs = {
  dscl: `value_of() { IFS= read -r value < "$1" || :; }
case "$2" in
-read) [ "$4" = RecordName ] && [ -d "$RECORDS$3" ] && exit 0
  [ -f "$RECORDS$3/$4" ] || { echo "No such key: $4"; exit 1; }
  value_of "$RECORDS$3/$4"; echo "$4: $value" ;;
-list) for one in "$RECORDS$3"/*; do
    if [ -f "$one/$4" ]; then value_of "$one/$4"; printf '%-24s %s\\n' "\${one##*/}" "$value"; fi
  done ;;
-create)
  if [ "$4" = "$INTERRUPTED_AT" ]; then exit 9; fi
  [ -d "$RECORDS$3" ] || mkdir -p "$RECORDS$3"
  printf '%s' "$5" > "$RECORDS$3/$4" ;;
-delete) rm -r "$RECORDS$3" ;;
*) exit 64 ;;
esac`,
  dseditgroup: 'echo "${0##*/} $*" >> "$COMMANDS"',
  stat: '[ "$*" = "-f %Su /dev/console" ] && echo "$CONSOLE"',
  chown: ':',
  id: '[ "$*" = -u ] && echo "$USER_ID"',
  pkgutil: 'echo "pkgutil $*" >> "$COMMANDS"',
  sleep: 'echo "sleep $*" >> "$COMMANDS"; [ ! -x "$RECORDS/app" ] || "$RECORDS/app"',
  pkill: 'echo "pkill $*" >> "$COMMANDS"; exit 1',
  // With a folder for each network service, in whose name a colon stands for a slash.
  networksetup: `at="$RECORDS/Services/$(printf '%s' "$2" | tr / :)"
case "$1" in
-set*) echo "networksetup $*" >> "$COMMANDS" ;;
esac
case "$1" in
-listallnetworkservices)
  echo 'An asterisk (*) denotes that a network service is disabled.'
  for one in "$RECORDS/Services"/*; do
    [ ! -e "$one/isDisabled" ] || printf '*'
    [ ! -d "$one" ] || basename "$one" | tr : /
  done ;;
-getautoproxyurl)
  [ -d "$at" ] || { echo "$2 is not a recognized network service."; exit 4; }
  echo "URL: $(cat "$at/url")"; echo "Enabled: $(cat "$at/enabled")" ;;
-setautoproxyurl) printf '%s' "\${3:-(null)}" > "$at/url"; printf Yes > "$at/enabled" ;;
-setautoproxystate) case "$3" in on) printf Yes ;; off) printf No ;; *) exit 5 ;; esac > "$at/enabled" ;;
*) exit 64 ;;
esac`,
  launchctl: `echo "launchctl $*" >> "$COMMANDS"
if [ "\${ENDS_AFTER:-0}" -gt 0 ] && [ "$(grep -c '^sleep' "$COMMANDS")" -lt "$ENDS_AFTER" ]; then
  case "$1" in print) exit 0 ;; bootstrap) echo 'Bootstrap failed: 5: Input/output error' >&2; exit 5 ;; esac
fi
refused() { [ "$REFUSALS" -gt 0 ] && [ "$(grep -c "$1" "$COMMANDS")" -le "$REFUSALS" ]; }
if [ "$1" = print ]; then refused print || exit 113; fi
if [ "$1" = bootstrap ] && refused bootstrap; then echo 'Bootstrap failed: 5: Input/output error' >&2; exit 5; fi`,
} as const;

/** A volume of a Mac with the app on it, until the test ends. */
export function createVolume({ hasHelper = true } = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'waymaker-volume-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const at = (...names: string[]) => path.join(folder, ...names);
  for (const name of [
    'bin',
    'volume/Library/LaunchDaemons',
    'volume/var/log',
    'records/Users',
    'records/Groups',
    'records/Services',
  ])
    mkdirSync(at(name), { recursive: true });
  for (const [name, lines] of Object.entries(programs)) {
    writeFileSync(at('bin', name), `#!/bin/sh\n${lines}\n`);
    chmodSync(at('bin', name), 0o755);
  }
  const core = at('volume/Applications/Waymaker.app/Contents/Resources/core');
  mkdirSync(core, { recursive: true });
  copyFileSync(path.join(resources, 'uninstall'), path.join(core, '../uninstall'));
  if (hasHelper) {
    writeFileSync(path.join(core, 'node'), '#!/bin/sh\nfor word; do echo "$word"; done\n');
    chmodSync(path.join(core, 'node'), 0o777);
  }
  const record = (name: string, values: Readonly<Record<string, string>>) => {
    mkdirSync(at('records', name), { recursive: true });
    for (const [key, value] of Object.entries(values)) writeFileSync(at('records', name, key), value);
  };
  /** What puts something back while a script waits. */
  const appDoes = (lines: string) => {
    writeFileSync(at('records/app'), `#!/bin/sh\n${lines}\n`);
    chmodSync(at('records/app'), 0o755);
  };
  const runScript = (file: string, words: string[], refusals: number, settings: Record<string, string>) => {
    rmSync(at('commands'), { force: true });
    return promisify(execFile)(file, words, {
      env: {
        PATH: `${at('bin')}:${process.env['PATH']}`,
        RECORDS: at('records'),
        COMMANDS: at('commands'),
        REFUSALS: String(refusals),
        ...settings,
      },
    });
  };
  return {
    volume: at('volume'),
    core,
    record,
    /** All of the directory's. */
    records: () =>
      readdirSync(at('records'), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name: key }) => {
          const value = readFileSync(path.join(parentPath, key), 'utf8');
          return { name: path.relative(at('records'), parentPath), values: { [key]: value } };
        }),
    appDoes,
    read: (name: string) =>
      existsSync(at('records', name)) ? readFileSync(at('records', name), 'utf8') : undefined,
    commands: () =>
      existsSync(at('commands')) ? readFileSync(at('commands'), 'utf8').trim().split('\n') : [],
    /** `endsAfter`: how many seconds the helper takes that runs already. */
    async install({ console = 'someone', refusals = 0, interruptedAt = '', endsAfter = 0 } = {}) {
      const words = ['/package.pkg', '/Applications', `${at('volume')}/`];
      const settings = { CONSOLE: console, INTERRUPTED_AT: interruptedAt, ENDS_AFTER: String(endsAfter) };
      return await runScript(path.join(installer, 'postinstall'), words, refusals, settings);
    },
    makeAccounts: () => runScript(path.join(installer, 'accounts'), [], 0, { INTERRUPTED_AT: '' }),
    /** `script`: another one than that of the app. */
    async uninstall({
      userId = 0,
      refusals = 0,
      endsAfter = 0,
      script = path.join(resources, 'uninstall'),
    } = {}) {
      const settings = { USER_ID: String(userId), ENDS_AFTER: String(endsAfter) };
      return await runScript(script, [at('volume')], refusals, settings);
    },
  };
}

export type Volume = ReturnType<typeof createVolume>;

/** What the script that makes the accounts leaves on a Mac that has none. */
let madeAccounts: ReturnType<Volume['records']> | undefined;

/** The same volume where the accounts are there already, as the script makes them: most tests are of what follows. */
export async function createVolumeWithAccounts(): Promise<Volume> {
  if (!madeAccounts) {
    const mac = createVolume();
    await mac.makeAccounts();
    madeAccounts = mac.records();
  }
  const mac = createVolume();
  for (const { name, values } of madeAccounts) mac.record(name, values);
  return mac;
}
