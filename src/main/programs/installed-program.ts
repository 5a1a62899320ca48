/** An installed program, as its system lists it. */
export interface InstalledProgram {
  /** On Linux, the desktop file's id, such as `org.gnome.Epiphany.desktop`. */
  id: string;
  name: string;
  /** A path, or a name in the icon themes. */
  icon: string | undefined;
  /** The command that starts it without opening files. */
  command: readonly string[];
  /** The path of its executable with all links resolved, if it is known. */
  executable: string | undefined;
  /** Whether that is a script, which is run by an interpreter or replaces itself with another program. */
  isScript: boolean;
  /** The working directory to start it in. */
  directory: string | undefined;
  needsTerminal: boolean;
  /** The sandbox that runs it in a control group of its own, and its name there. */
  sandbox: { kind: 'flatpak' | 'snap'; name: string } | undefined;
}

export interface Surroundings {
  env: Readonly<NodeJS.ProcessEnv>;
  home: string;
  /** The locales for names, best first, such as `zh_CN`. */
  locales: readonly string[];
}

/** Icons of programs, as data URLs; empty if there is none. */
export type FindIcon = (icon: string | undefined) => Promise<string>;
