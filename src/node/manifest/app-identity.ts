/**
 * By what systems tell this app from others, as installer and app have to say alike: macOS' bundle identifier, and
 * Windows' AppUserModelID, which groups windows with the icon that somebody has pinned, and under which notifications
 * are switched off. Its domain is one that nobody can have (RFC 2606).
 */
export const appId = 'example.waymaker.Waymaker';

/**
 * The class that Windows asks for when somebody clicks a notification (System.AppUserModel.ToastActivatorCLSID).
 * Electron invents another one at each start of an app that does not say which.
 */
export const toastActivator = '{AEB01D33-97F6-4F04-B219-1D01E6F45EF4}';
