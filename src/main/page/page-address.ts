/** The app's own pages have a custom scheme, so that nothing else can claim their origin. */
export const pageScheme = 'waymaker';
export const pageHost = 'app';
export const pageUrl = `${pageScheme}://${pageHost}/`;

/** The page that people open the app for, with the button that connects; users who sign in get there afterwards. */
export const connectPath = '/vpn';

/** Whether `url` is one of the app's own pages, or one of the development server's if there is one. */
export function isOwnPage(url: string, developmentUrl?: string): boolean {
  const parsed = URL.parse(url);
  if (!parsed) return false;
  if (parsed.protocol === `${pageScheme}:`) {
    return parsed.host === pageHost && parsed.username === '' && parsed.password === '';
  }
  const development = developmentUrl ? URL.parse(developmentUrl) : null;
  return development !== null && parsed.protocol.startsWith('http') && parsed.origin === development.origin;
}
