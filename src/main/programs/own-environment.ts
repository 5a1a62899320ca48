/**
 * Variables that are meant for this app would confuse other programs: Chromium takes names from them, Node its options.
 */
export function ownEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isOurs =
    /^(?:ELECTRON_|NODE_|WAYMAKER_|CHROME_DESKTOP$|GIO_LAUNCHED_|DESKTOP_STARTUP_ID$|XDG_ACTIVATION_TOKEN$)/;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isOurs.test(name)));
}
