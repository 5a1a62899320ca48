import { Argument, Command, Option } from 'commander';
import type { CommandContext } from './command-context.ts';
import { addCompletion, type CompletionOptions } from './completion.ts';
import { translatedHelp } from './translated-help.ts';
import { connect, disconnect } from './commands/connect.ts';
import { runRouted } from './commands/run-routed.ts';
import { doctor } from './commands/doctor.ts';
import { log } from './commands/log.ts';
import { listPrograms, mode, modeNames, type ModeName } from './commands/mode.ts';
import { reset } from './commands/reset.ts';
import { engine } from '../self-test/verdict.ts';
import { restore } from './commands/restore.ts';
import { serveSelfTest } from './commands/self-test-serve.ts';
import { selfTest, type SelfTestFlags } from './commands/self-test.ts';
import { servers } from './commands/servers.ts';
import { signIn, signOut } from './commands/sign-in.ts';
import { status } from './commands/status.ts';
import { update } from './commands/update.ts';

export interface ProgramOptions extends CompletionOptions {
  version: string;
  /** Runs a command; `isJson`: for programs. */
  run(
    isJson: boolean,
    command: (context: CommandContext) => Promise<number>,
    options?: {
      /** Whether Ctrl-C ends it cleanly, instead of at once. */
      handlesInterruption?: boolean;
    },
  ): Promise<void>;
  /** A command was given without the one inside it that is wanted: how it is used. */
  onUsage?(text: string): void;
  /** Runs the core until it is stopped. */
  daemon(options: { isService: boolean }): Promise<void>;
}

/** All commands with their arguments and options. Help, completion and the manual page are made from them as well. */
export function createProgram(options: ProgramOptions): Command {
  const { say, version } = options;
  const program = new Command('waymaker')
    .description(say('command.about'))
    .version(version, '-V, --version', say('command.versionOption'))
    .helpOption('-h, --help', say('command.helpOption'))
    .helpCommand(false)
    .exitOverride()
    .enablePositionalOptions()
    // Of what the parser itself would write, only the help is in the user's language.
    .configureOutput({ writeErr: (text) => options.onUsage?.(text), outputError: () => undefined })
    .configureHelp(translatedHelp(say));

  /** Every command can output JSON. */
  const add = (usage: string, description: string) =>
    program.command(usage).description(description).option('--json', say('command.jsonOption'));
  type Flags = Record<string, true | undefined>;

  add('status', say('command.status'))
    .option('--check', say('command.checkOption'))
    .action((flags: Flags) =>
      options.run(flags['json'] === true, (context) => status(context, { isCheck: flags['check'] === true })),
    );
  add('connect', say('command.connect'))
    .argument('[server]', say('command.serverArgument'))
    .action((server: string | undefined, flags: Flags) =>
      options.run(flags['json'] === true, (context) => connect(context, server), {
        handlesInterruption: true,
      }),
    );
  add('disconnect', say('command.disconnect')).action((flags: Flags) =>
    options.run(flags['json'] === true, disconnect),
  );
  add('servers', say('command.servers'))
    .option('--measure', say('command.measureOption'))
    .action((flags: Flags) =>
      options.run(flags['json'] === true, (context) =>
        servers(context, { isMeasured: flags['measure'] === true }),
      ),
    );
  const switchOption = (flag: string, description: string) =>
    new Option(`${flag} <on|off>`, description).choices(['on', 'off']);
  const isOn = (value: unknown) => (value === undefined ? undefined : value === 'on');
  add('mode', say('command.mode'))
    .addArgument(new Argument('[mode]', say('command.modeArgument')).choices(modeNames))
    .argument('[items...]', say('command.itemsArgument'))
    .option('--except', say('command.exceptOption'))
    .addOption(switchOption('--kill-switch', say('command.killSwitchOption')))
    .addOption(switchOption('--local-network', say('command.localNetworkOption')))
    .addOption(switchOption('--incoming', say('command.incomingOption')))
    .action((wanted: ModeName | undefined, items: string[], flags: Record<string, unknown>) =>
      options.run(flags['json'] === true, (context) =>
        mode(context, {
          mode: wanted,
          items,
          isExcept: flags['except'] === true,
          killSwitch: isOn(flags['killSwitch']),
          localNetwork: isOn(flags['localNetwork']),
          allowIncoming: isOn(flags['incoming']),
        }),
      ),
    );
  const apps = program.command('apps').description(say('command.apps')).helpCommand(false);
  apps
    .command('list')
    .description(say('command.appsList'))
    .option('--json', say('command.jsonOption'))
    .action((flags: Flags) => options.run(flags['json'] === true, listPrograms));
  apps
    .command('run')
    .description(say('command.appsRun'))
    .argument('<command...>', say('command.commandArgument'))
    .passThroughOptions()
    .action((argv: string[]) =>
      options.run(false, (context) => runRouted(context, argv), { handlesInterruption: true }),
    );
  add('doctor', say('command.doctor')).action((flags: Flags) => options.run(flags['json'] === true, doctor));
  add('restore', say('command.restore'))
    .option('--force', say('command.forceOption'))
    .option('--state-dir <folder>', say('command.stateDirectoryOption'))
    .action((flags: { json?: true; force?: true; stateDir?: string }) =>
      options.run(flags.json === true, (context) =>
        restore(context, { isForced: flags.force === true, stateDirectory: flags.stateDir }),
      ),
    );
  add('self-test', say('command.selfTest'))
    .option('--report <file>', say('command.reportOption'))
    .addOption(new Option('--engine <engine>', say('command.engineOption')).choices(engine.options))
    .addOption(new Option('--serve', say('command.serveOption')).conflicts(['against', 'report', 'engine']))
    .option('--against <computer>', say('command.againstOption'))
    .option('--yes', say('command.selfTestYesOption'))
    .action((flags: SelfTestFlags) =>
      options.run(
        flags.json === true,
        (context) => (flags.serve ? serveSelfTest(context) : selfTest(context, flags)),
        { handlesInterruption: true },
      ),
    );
  add('log', say('command.log'))
    .option('--clear', say('command.clearOption'))
    .action((flags: Flags) =>
      options.run(flags['json'] === true, (context) => log(context, { isCleared: flags['clear'] === true })),
    );
  add('sign-in', say('command.signIn'))
    .argument('[email]', say('command.emailArgument'))
    .action((email: string | undefined, flags: Flags) =>
      options.run(flags['json'] === true, (context) => signIn(context, email)),
    );
  add('sign-out', say('command.signOut')).action((flags: Flags) =>
    options.run(flags['json'] === true, signOut),
  );
  add('reset', say('command.reset'))
    .option('--yes', say('command.yesOption'))
    .action((flags: Flags) =>
      options.run(flags['json'] === true, (context) => reset(context, { isSure: flags['yes'] === true })),
    );
  add('update', say('command.update'))
    .option('--check', say('command.updateCheckOption'))
    .action((flags: Flags) =>
      options.run(flags['json'] === true, (context) => update(context, { isCheck: flags['check'] === true })),
    );
  program
    .command('daemon')
    .description(say('command.daemon'))
    .option('--service', say('command.serviceOption'))
    .action((flags: Flags) => options.daemon({ isService: flags['service'] === true }));
  // Last, because it completes what has been declared before.
  addCompletion(program, options);
  return program;
}
