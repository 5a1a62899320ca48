import { realpathSync } from 'node:fs';
import path from 'node:path';
import { homeFolder } from '#node/os/home-folder.ts';
import type { InstalledProgram } from '../installed-program.ts';
import type { MatchProcess, Process } from '../processes.ts';
import { withoutEnv } from './installed-programs.ts';

/** Programs that run others: an argument says which. */
const interpreter =
  /^(?:python[\d.]*|perl[\d.]*|ruby[\d.]*|node|java|electron\d*|mono|bash|dash|sh|zsh|gjs(?:-console)?|lua[\d.]*|php[\d.]*|wish[\d.]*)$/;
/** Programs that only ask another process to do something, so that the real program is not their descendant. */
const goBetween = /^(?:gapplication|gtk-launch|xdg-open|dbus-send|gdbus|systemd-run|flatpak|snap)$/;
/** Directories with the executables of many programs, so that a program's location there says nothing. */
const sharedDirectories =
  /^(?:\/|\/usr|\/opt|\/home|\/var|\/snap|(?:\/usr)?(?:\/local)?\/(?:s?bin|games|lib\d*(?:\/\w+-linux-\w+(?:\/libexec)?)?|libexec|share)|\/home\/[^/]+(?:\/(?:\.local(?:\/(?:bin|share|lib))?|bin|\.cargo\/bin))?|\/root(?:\/.*bin)?)$/;
/** The same of those in the user's own. */
const sharedInHome = /^(?:\.local(?:\/(?:bin|share|lib))?|bin|\.cargo(?:\/bin)?)?$/;

/**
 * Recognises programs by what is running: not by what a process says about itself, but by its executable, by its
 * sandbox's label or, if a script has replaced itself with something else, by the name of the systemd unit in which the
 * desktop started it (systemd's "Desktop Environment Integration"). `home`: the user's directory with all links
 * resolved, as programs' paths are; where the system is an image, as with rpm-ostree, it is in /var/home.
 */
export function createMatcher(programs: readonly InstalledProgram[], home = realHome()): MatchProcess {
  const native = programs.filter(({ sandbox }) => !sandbox);
  const byExecutable = Map.groupBy(native, ({ executable }) => executable ?? '');
  const others = native.filter(({ isScript, executable }) => isScript || isInterpreter(executable));
  const ids = new Set(programs.map(({ id }) => id));
  const idsIn = (kind: 'flatpak' | 'snap', name: string) =>
    programs.filter(({ sandbox }) => sandbox?.kind === kind && sandbox.name === name).map(({ id }) => id);

  return (process) => {
    const unit = process.group.split('/').at(-1) ?? '';
    const flatpak = process.sandbox ?? flatpakUnit(unit);
    if (flatpak !== undefined) return idsIn('flatpak', flatpak);
    const snap = snapOf(process.exe) ?? snapUnit(unit);
    if (snap !== undefined) return idsIn('snap', snap);
    if (process.exe === '') return [];
    const exact = (byExecutable.get(process.exe) ?? []).filter(
      ({ executable }) => !isInterpreter(executable),
    );
    const found = exact.length > 0 ? exact : others.filter((program) => isRunBy(program, process, home));
    if (found.length > 0) return found.map(({ id }) => id);
    const id = `${applicationOfUnit(unit) ?? ''}.desktop`;
    return ids.has(id) ? [id] : [];
  };
}

function isInterpreter(executable: string | undefined): boolean {
  const name = path.basename(executable ?? '');
  return interpreter.test(name) || goBetween.test(name);
}

function isRunBy(
  { command, executable, isScript }: InstalledProgram,
  { exe, args }: Process,
  home: string,
): boolean {
  if (executable === undefined) return false;
  const [started = '', ...wanted] = withoutEnv(command);
  if (isInterpreter(executable)) {
    if (exe !== executable || goBetween.test(path.basename(executable))) return false;
    // Without a script, the user runs the interpreter itself.
    const isSame = wanted.every((arg, index) => args[index + 1] === arg);
    return wanted.length > 0 ? isSame : args.length === 1;
  }
  if (!isScript) return false;
  // With `#!/usr/bin/python3 -s`, the script is the second or third argument.
  const script = args.slice(1, 4);
  if (interpreter.test(path.basename(exe)) && (script.includes(executable) || script.includes(started)))
    return true;
  return path.basename(exe) === path.basename(executable) || isBelow(exe, ownDirectory(executable, home));
}

/** The folder that contains only this program's files, if there is one. */
function ownDirectory(executable: string, home: string): string | undefined {
  const directory = path.dirname(executable);
  const own = path.basename(directory) === 'bin' ? path.dirname(directory) : directory;
  return isShared(directory, home) || isShared(own, home) ? undefined : own;
}

/** Those above the user's own are shared with all others. */
const isShared = (directory: string, home: string): boolean =>
  sharedDirectories.test(directory) ||
  isBelow(home, directory) ||
  ((directory === home || isBelow(directory, home)) && sharedInHome.test(path.relative(home, directory)));

function realHome(): string {
  const home = homeFolder();
  try {
    return realpathSync(home);
  } catch {
    return home;
  }
}

const isBelow = (file: string, directory: string | undefined): boolean =>
  directory !== undefined && file.startsWith(`${directory}/`);

/** `app-flatpak-org.example.App-1234.scope` */
const flatpakUnit = (unit: string): string | undefined =>
  unescape(/^app-flatpak-(.+)-\d+\.scope$/.exec(unit)?.[1]);

/** `snap.name.app-….scope`, or `snap.name.app.service` */
const snapUnit = (unit: string): string | undefined =>
  /^snap\.([^.]+)\..*\.(?:scope|service)$/.exec(unit)?.[1];

const snapOf = (exe: string): string | undefined =>
  /^(?:\/var\/lib\/snapd)?\/snap\/([^/]+)\/[^/]+\//.exec(exe)?.[1];

/**
 * `app-gnome-org.example.App-1234.scope`, `app-org.example.App@….service`, with or without the name of what started it.
 */
function applicationOfUnit(unit: string): string | undefined {
  const scope = /^app-(?:[^-]+-)?([^-]+)-[^-]+\.scope$/.exec(unit)?.[1];
  return unescape(scope ?? /^app-(?:[^-]+-)?([^-@]+)(?:@[^.]*)?\.service$/.exec(unit)?.[1]);
}

/** systemd.unit(5) escapes other characters in this way. */
const unescape = (text: string | undefined): string | undefined =>
  text?.replaceAll(/\\x([0-9a-f]{2})/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)));
