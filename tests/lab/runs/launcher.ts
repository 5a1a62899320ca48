import type { ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { ExecOptions, ProcessResult } from './process.ts';
import { waitLimit } from './wait-limit.ts';

/** A small process that stays, on this machine or inside one of the laboratory, and runs commands there. */
export interface Launcher {
  /** Runs a command to its end; rejects if it cannot be started. What it leaves running is not waited for. */
  readonly exec: (argv: readonly string[], options?: ExecOptions) => Promise<ProcessResult>;
}

/**
 * To start a program from a test's own process costs several times what most programs cost: Node.js forks, which copies
 * the tables of half a gigabyte of memory and makes each page a fault that is written afterwards; and each would enter
 * a machine of the laboratory anew. Perl, which every Debian has, forks within a few megabytes.
 *
 * A request is its length (4 bytes, big-endian) and fields that end with NUL: an id, the directory, the files of
 * standard input, output and error, the number of variables that are set besides, those, and the words of the command.
 * The answers are lines of the id, a letter and the rest: `p` and the process's id when it has started; `x` and its
 * wait status (perlvar, `$?`) when it has ended; `f` and the reason if it cannot be started.
 */
const script = String.raw`
use strict;
use warnings;

# So that select ends when a program does, and this only with whoever asks.
$SIG{CHLD} = $SIG{$_} = sub { } for qw(INT TERM HUP);
my ($asked, %id_of) = ('');
for (;;) {
    my $length = length $asked < 4 ? undef : 4 + unpack('N', $asked);
    if (defined $length && length $asked >= $length) {
        launch(substr $asked, 4, $length - 4);
        $asked = substr $asked, $length;
        next;
    }
    vec(my $waiting = '', fileno STDIN, 1) = 1;
    # One that ends just before select is seen by the next look.
    if (select($waiting, undef, undef, %id_of ? 0.05 : undef) > 0) {
        sysread STDIN, $asked, 65536, length $asked or last;
    }
    while ((my $pid = waitpid -1, 1) > 0) {
        my $id = delete $id_of{$pid};
        syswrite STDOUT, "$id x $?\n" if defined $id;
    }
}
# Whoever asked has ended, even if by a signal.
unlink glob "$ARGV[0]/*";
rmdir $ARGV[0];

sub launch {
    my ($id, $directory, $input, $output, $errors, $variables, @words) = split /\0/, $_[0], -1;
    pop @words;
    my %set = map { split /=/, $_, 2 } splice(@words, 0, $variables);
    # Closed by exec, unless that fails.
    pipe(my $reader, my $writer) or die;
    my $pid = fork() // die;
    if ($pid == 0) {
        eval {
            chdir $directory or die "$!\n";
            open STDIN, '<', $input or die "$!\n";
            open STDOUT, '>>', $output or die "$!\n";
            open STDERR, '>>', $errors or die "$!\n";
            @ENV{keys %set} = values %set;
            no warnings 'exec';
            exec { $words[0] } @words or die "$!\n";
        };
        syswrite $writer, $@;
        kill 'KILL', $$;
    }
    close $writer;
    my $failure = '';
    1 until defined sysread $reader, $failure, 1000;
    $id_of{$pid} = $id unless $failure;
    syswrite STDOUT, $failure ? "$id f $failure" : "$id p $pid\n";
}
`;

/** What starts it; it removes the directory at its end. */
export const launcherCommand = (directory: string): string[] => ['perl', '-e', script, directory];

interface Running {
  started: (pid: number) => void;
  ended: (status: number) => void;
  failed: (why: string) => void;
}

/**
 * `start` starts `launcherCommand` with pipes to its standard input and output; `directory` is for what the commands
 * read and write, in files, so that no pipe has to be carried over.
 */
export function createLauncher(start: () => ChildProcess, directory: string): Launcher {
  const running = new Map<number, Running>();
  let lastId = 0;
  let launcher: ChildProcess | undefined;

  function started(): ChildProcess {
    mkdirSync(directory, { recursive: true });
    const child = start();
    if (!child.stdout) throw new Error('the launcher has no output');
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [, id = '', kind = '', rest = ''] = /^(\d+) ([pxf]) (.*)$/.exec(line) ?? [];
      const program = running.get(Number(id));
      if (kind === 'p') program?.started(Number(rest));
      else if (kind === 'x') program?.ended(Number(rest));
      else program?.failed(rest);
    });
    child.once('exit', () => {
      launcher = undefined;
      for (const { failed } of running.values()) failed('the launcher has ended');
    });
    child.stdin?.on('error', () => undefined);
    return child;
  }

  /** This process need not wait for a launcher that does nothing. */
  function holdWhileRunning(): void {
    const hold = running.size > 0 ? 'ref' : 'unref';
    for (const handle of [launcher, launcher?.stdin, launcher?.stdout] as (Socket | undefined)[])
      handle?.[hold]();
  }

  return {
    async exec(argv, { input = '', env = {}, cwd = process.cwd(), timeout = 60_000 } = {}) {
      const id = (lastId += 1);
      const file = (name: string) => path.join(directory, `${id}-${name}`);
      const [given, output, errors] = [file('input'), file('output'), file('errors')];
      const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
      const places = [cwd, input.length > 0 ? given : '/dev/null', output, errors];
      let limit: NodeJS.Timeout | undefined;
      try {
        const status = await new Promise<number>((resolve, reject) => {
          running.set(id, {
            started(pid) {
              limit = setTimeout(() => process.kill(pid, 'SIGKILL'), waitLimit(timeout));
            },
            ended: resolve,
            failed: (why) => reject(new Error(`${argv[0]} cannot be run: ${why}`)),
          });
          launcher ??= started();
          holdWhileRunning();
          if (input.length > 0) writeFileSync(given, input);
          launcher.stdin?.write(
            request([String(id), ...places, String(variables.length), ...variables, ...argv]),
          );
        });
        const code = (status & 0x7f) === 0 ? status >> 8 : null;
        return { code, stdout: taken(output), stderr: taken(errors) };
      } finally {
        running.delete(id);
        holdWhileRunning();
        clearTimeout(limit);
        for (const left of [given, output, errors]) rmSync(left, { force: true });
      }
    },
  };
}

function request(fields: readonly string[]): Buffer {
  const body = Buffer.from(fields.map((field) => `${field}\0`).join(''));
  const head = Buffer.alloc(4);
  head.writeUInt32BE(body.length);
  return Buffer.concat([head, body]);
}

const taken = (file: string) => readFileSync(file, 'utf8');
