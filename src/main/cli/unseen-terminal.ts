/**
 * Whether the standard input may be a terminal that looks like a pipe: those of MSYS2, Git Bash and Cygwin (mintty) do
 * to programs of Windows, unless these are started by winpty. Their shells set these variables.
 */
export const mayBeUnseenTerminal = (env: Readonly<NodeJS.ProcessEnv>): boolean =>
  env['MSYSTEM'] !== undefined || env['TERM_PROGRAM'] === 'mintty';
