import { existsSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { writeFileSync } from 'atomically';
import type { LoginItem } from '../../preferences/behaviour.ts';

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
  const folder = path.join(env['XDG_CONFIG_HOME'] || path.join(home, '.config'), 'autostart');
  const file = path.join(folder, 'waymaker.desktop');
  return {
    isOn: () => existsSync(file),
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

const desktopEntry = (command: readonly string[]) => `[Desktop Entry]
Type=Application
Name=Waymaker
Exec=${command.map(quoted).join(' ')}
X-GNOME-Autostart-enabled=true
`;

/**
 * An argument in double quotes. Backslashes are escaped once for the argument, and once more for the string in the
 * file; a percent sign would begin a field code.
 * https://specifications.freedesktop.org/desktop-entry-spec/latest/exec-variables.html
 */
function quoted(argument: string): string {
  const escaped = argument.replaceAll(/["`$\\]/g, String.raw`\$&`);
  return `"${escaped.replaceAll('\\', String.raw`\\`).replaceAll('%', '%%')}"`;
}
