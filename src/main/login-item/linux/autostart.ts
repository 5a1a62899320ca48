import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { writeFileSync } from 'atomically';
import { baseFolder } from '#node/os/base-folder.ts';
import { desktopNames } from '../../linux/desktop-names.ts';
import type { LoginItem } from '../../preferences/behaviour.ts';
import { isForDesktop, parseDesktopEntry, type DesktopEntry } from '../../programs/linux/desktop-entry.ts';

/**
 * Starting at login on Linux: an entry in the user's autostart folder, whose programs desktops start.
 * https://specifications.freedesktop.org/autostart-spec/latest/
 */
export function createAutostart({
  env,
  home,
  command,
}: {
  env: Readonly<NodeJS.ProcessEnv>;
  home: string;
  command: readonly string[];
}): LoginItem {
  const folder = path.join(baseFolder(env['XDG_CONFIG_HOME'], path.join(home, '.config')), 'autostart');
  const file = path.join(folder, 'waymaker.desktop');
  return {
    isOn: () => isStarted(readEntry(file), env),
    set(isOn) {
      try {
        if (isOn) {
          mkdirSync(folder, { recursive: true });
          writeFileSync(file, desktopEntry(command));
        } else rmSync(file, { force: true });
        return true;
      } catch {
        return false;
      }
    },
  };
}

/** Undefined if it cannot be read, or is none: a full disk may have left an empty file. */
function readEntry(file: string): DesktopEntry | undefined {
  try {
    return parseDesktopEntry(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Keys with which desktops switch an entry off: their settings keep the file, so that it can be switched on again. */
const switches = ['X-GNOME-Autostart-enabled', 'X-MATE-Autostart-enabled', 'X-Cinnamon-Autostart-enabled'];

/** Whether this desktop starts the program. */
function isStarted(entry: DesktopEntry | undefined, env: Readonly<NodeJS.ProcessEnv>): boolean {
  if (!entry?.text('Exec') || entry.is('Hidden') || entry.is('X-systemd-skip')) return false;
  const isOff = switches.some((key) => entry.text(key) !== undefined && !entry.is(key));
  return !isOff && isForDesktop(entry, desktopNames(env));
}

const desktopEntry = (command: readonly string[]) => `[Desktop Entry]
Type=Application
Name=Waymaker
Exec=${findable(command).map(quoted).join(' ')}
X-GNOME-Autostart-enabled=true
`;

/** GLib looks for the program before it reads field codes, and so finds none whose path has a percent sign. */
const findable = (command: readonly string[]): readonly string[] =>
  command[0]?.includes('%') ? ['/bin/sh', '-c', 'exec "$0" "$@"', ...command] : command;

/**
 * An argument in double quotes. Backslashes are escaped once for the argument, and once more for the string in the
 * file; a percent sign would begin a field code.
 * https://specifications.freedesktop.org/desktop-entry-spec/latest/exec-variables.html
 */
function quoted(argument: string): string {
  const escaped = argument.replaceAll(/["`$\\]/g, String.raw`\$&`);
  return `"${escaped.replaceAll('\\', String.raw`\\`).replaceAll('%', '%%')}"`;
}
