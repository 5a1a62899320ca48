/** Other names of the same desktop: earlier ones, or those of its sessions. */
const sameAs: Readonly<Record<string, string>> = {
  deepin: 'dde',
  'x-cinnamon': 'cinnamon',
  'budgie-desktop': 'budgie',
  plasma: 'kde',
};

/** A desktop's name as it can be compared: in lower case, and the same for all that it is called. */
export function canonicalDesktop(name: string): string {
  const written = name.trim().toLowerCase();
  return sameAs[written] ?? written;
}

/**
 * The desktop that runs this session, in canonical form, followed by those that it is like: `Budgie:GNOME`. Sessions
 * that do not set XDG_CURRENT_DESKTOP, such as some that are started by hand, are known by older variables.
 * https://specifications.freedesktop.org/mime-apps-spec/latest/file.html names the variable and its form.
 */
export function desktopNames(env: Readonly<NodeJS.ProcessEnv>): string[] {
  const names = (env['XDG_CURRENT_DESKTOP'] ?? '')
    .split(/[:;]/)
    .map(canonicalDesktop)
    .filter((name) => name !== '');
  return names.length > 0 ? names : sessionNames(env);
}

function sessionNames(env: Readonly<NodeJS.ProcessEnv>): string[] {
  const session = env['XDG_SESSION_DESKTOP'] || env['DESKTOP_SESSION'] || '';
  // It may be the path of the session's file.
  const name = canonicalDesktop(session.replace(/^.*\//, ''));
  if (env['KDE_FULL_SESSION'] === 'true' || /^(?:kde|plasma)/.test(name)) return ['kde'];
  if (env['GNOME_DESKTOP_SESSION_ID'] || /^(?:gnome|ubuntu$)/.test(name)) return ['gnome'];
  return name === '' ? [] : [name];
}
