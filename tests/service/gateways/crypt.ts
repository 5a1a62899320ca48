import { execFileSync } from 'node:child_process';

/** Whether crypt(3) makes this hash of the password; computed by Perl's crypt, that of the C library. */
export function fits(password: string, hash: string): boolean {
  const script = 'print crypt($ARGV[0], $ARGV[1])';
  // A password can begin with a hyphen.
  return execFileSync('perl', ['-e', script, '--', password, hash], { encoding: 'utf8' }) === hash;
}
