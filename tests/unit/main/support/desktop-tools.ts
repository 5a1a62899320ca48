import type { RunProgram } from '../../../../src/main/run-program.ts';

/** GNOME's settings in memory, behind the commands that the app uses, so that a test can make them fail. */
export interface DesktopTools {
  readonly run: RunProgram;
  /** What is set, by key. */
  readonly set: Map<string, string>;
  /** Every command that was run, as one line. */
  readonly commands: string[];
  /** Called before each command; what it throws is how the command fails. */
  before: (command: string) => void | Promise<void>;
}

export function createDesktopTools(set: Record<string, string> = {}): DesktopTools {
  const defaults: Record<string, string> = { mode: "'none'", 'autoconfig-url': "''" };
  const tools: DesktopTools = {
    set: new Map(Object.entries(set)),
    commands: [],
    before: () => undefined,
    async run(name, args, env) {
      const command = [name, ...args].join(' ');
      tools.commands.push(command);
      await tools.before(command);
      return answer(name, args, env?.['GSETTINGS_BACKEND'] === 'memory');
    },
  };

  function answer(name: string, args: readonly string[], withoutSettings: boolean): string | undefined {
    const [verb = '', , key = '', value = ''] = args;
    switch (name === 'gsettings' ? verb : `${name} ${verb}`) {
      case 'list-schemas':
        return 'org.gnome.system.proxy\norg.gnome.system.proxy.http';
      case 'get':
        return (withoutSettings ? undefined : tools.set.get(key)) ?? defaults[key];
      case 'set':
        tools.set.set(key, value);
        return '';
      case 'reset':
        tools.set.delete(key);
        return '';
      case 'dconf read':
        return args[1] === '-d' ? '' : (tools.set.get(path(args[1])) ?? '');
      default:
        throw new Error(`not a command of the app: ${name} ${args.join(' ')}`);
    }
  }
  return tools;
}

const path = (key = '') => key.slice(key.lastIndexOf('/') + 1);
