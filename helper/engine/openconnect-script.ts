/**
 * What openconnect runs as its `--script` (openconnect(8)); it hands this text to `/bin/sh -c` itself. It is
 * the same text for every tunnel. It passes its environment to the helper on descriptor 3 and succeeds if the
 * helper's answer on descriptor 4 is "ok"; the helper does all configuration. An empty record ends the
 * environment: `env` itself cannot print one.
 */
export const engineScript = [
  'case "$reason" in connect|reconnect) ;; *) exit 0 ;; esac',
  "{ /usr/bin/env -0 && printf '\\0'; } >&3",
  'read -r answer <&4 && [ "$answer" = ok ]',
].join('\n');

export const scriptAnswer = { accepted: 'ok\n', refused: 'no\n' } as const;

/** Longest environment that is read, in bytes; real ones have less than 2,000. */
const environmentLimit = 64 * 1024;

const endOfEnvironment = Buffer.from('\0\0');

/**
 * Takes the bytes of descriptor 3 and calls back with every whole environment, or with undefined once if
 * there are more bytes than an environment may have.
 */
export function createEnvironmentReader(
  onEnvironment: (environment: Map<string, string> | undefined) => void,
): (bytes: Buffer) => void {
  let unread: Buffer = Buffer.alloc(0);
  let overrun = false;
  return (bytes) => {
    if (overrun) return;
    unread = Buffer.concat([unread, bytes]);
    for (;;) {
      const end = unread.indexOf(endOfEnvironment);
      if ((end === -1 ? unread.length : end) > environmentLimit) {
        overrun = true;
        onEnvironment(undefined);
        return;
      }
      if (end === -1) return;
      const text = unread.subarray(0, end).toString('utf8');
      unread = unread.subarray(end + endOfEnvironment.length);
      onEnvironment(new Map(text.split('\0').map(splitVariable)));
    }
  };
}

function splitVariable(text: string): [name: string, value: string] {
  const equals = text.indexOf('=');
  return equals === -1 ? [text, ''] : [text.slice(0, equals), text.slice(equals + 1)];
}
