/** Business constants of the product (specification §9). Durations say their unit in the name. */

export const authCodeLength = 6;
export const authCodeLifetimeMinutes = 10;
export const authCodeMaxTries = 5;
export const resendCountdownSeconds = 60;
export const toastAutoHideSeconds = 3;

export const appPriority = { min: 0, max: 100 } as const;
export const appIconPixels = 128;

/** How many of a product one order can be for. */
export const maxOrderQuantity = 12;

/** How many items a page of a list has at most, and how long a cursor can be. */
export const maxPageItems = 100;
export const maxCursorLength = 512;

/** How long an invitation to a group can be accepted. */
export const invitationLifetimeDays = 14;

export const cacheSeconds = {
  user: 60 * 60,
  service: 60 * 60,
  basicInfo: 24 * 60 * 60,
  translations: 7 * 24 * 60 * 60,
  pac: 24 * 60 * 60,
  ipList: 30 * 24 * 60 * 60,
} as const;

/** After which a call of the service that is not answered counts as failed. */
export const callTimeoutSeconds = 20;

/** How long before its end a trial is shown to be about to end. */
export const trialEndingHours = 24;
export const serviceExpiryCheckSeconds = 60;
export const tunnelPollSeconds = 5;
/**
 * `pages` are the external test pages where the service's operator names no others: of two operators, small and made for
 * being asked often. The network counts as reachable if one loads.
 */
export const connectivityProbe = {
  everySeconds: 30,
  frameTimeoutSeconds: 5,
  pages: ['https://captive.apple.com/hotspot-detect.html', 'https://example.com/'],
} as const;

/** Where the service answers with nothing (status 204), also over plain http: another answer is a captive portal's. */
export const portalProbePath = '/api/generate_204';

/** A trial has traffic enough while (in + out) / rated is at most this; rated 0 means unlimited. */
export const trialTrafficEnoughRatio = 0.4;

export const pageNote = { delaySeconds: 3, pageLockSeconds: 1800 } as const;
export const paymentRedirectSeconds = 10;

export const defaultEnvironment = 'production';
export const defaultDeviceLanguage = 'zh-cn';
export const defaultGateway = { protocol: 'anyconnect', port: 443 } as const;

export const webMockTunnel = { connectSeconds: 2, disconnectSeconds: 0.5 } as const;

/** How long the page may show a predicted tunnel state that the helper has not confirmed. */
export const predictionSeconds = 3;

/** A device that has not called the service for so long is signed out. */
export const deviceIdleDays = 90;

/**
 * Settings of error reporting. A replay's idle pause (5 min) and expiry (15 min) are not among them: the replay
 * library keeps to these times by itself, and offers no option for them.
 */
export const errorReporting = {
  tracesSampleRate: 1,
  replaySessionSampleRate: 0.1,
  replayOnErrorSampleRate: 1,
  replayMaxSeconds: 60 * 60,
  replayFlushSeconds: 5,
} as const;
