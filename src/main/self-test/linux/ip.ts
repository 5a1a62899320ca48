import { spawnSync } from 'node:child_process';

/** Runs lines of ip(8), which have to succeed, in this thread's network. */
export function ip(lines: readonly string[]): void {
  const { status, stderr, error } = spawnSync('ip', ['-batch', '-'], {
    input: lines.map((line) => `${line}\n`).join(''),
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`ip: ${status === null ? error?.message : stderr.trim()}`);
}

/** What ip(8) tells as JSON of what is asked for; an empty list where there is none. Throws if it fails. */
export function askIp<Told>(command: string): Told[] {
  const { status, stdout, stderr, error } = spawnSync('ip', ['-json', ...command.split(' ')], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`ip ${command}: ${status === null ? error?.message : stderr.trim()}`);
  return stdout.trim() === '' ? [] : (JSON.parse(stdout) as Told[]);
}

/** As hexadecimal digits; empty if the device has none. */
export function hardwareAddress(device: string): string {
  const [link] = askIp<{ address?: string }>(`link show dev ${device}`);
  return (link?.address ?? '').replaceAll(':', '');
}
