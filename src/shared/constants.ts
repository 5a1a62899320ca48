/** Business constants of the product (specification §9). Names of durations include their unit. */

export const authCodeLength = 6;
export const authCodeLifetimeMinutes = 10;
export const authCodeMaxTries = 5;
export const resendCountdownSeconds = 60;
export const toastAutoHideSeconds = 3;

export const miniAppPriority = { min: 0, max: 100 } as const;
export const appIconPixels = 128;

/** The maximum quantity of a product in one order. */
export const maxOrderQuantity = 12;

/** The maximum number of items in a page of a list, and the maximum length of a cursor. */
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

/** A call of the service that is not answered in this time has failed. */
export const callTimeoutSeconds = 20;

/** How long before its end the app starts to show that a trial is ending. */
export const trialEndingHours = 24;
export const serviceExpiryCheckSeconds = 60;
export const tunnelPollSeconds = 5;
/**
 * `pages` are the external test pages that are used unless the operator names others. They belong to two different
 * operators, are small, and are meant to be requested often. The network counts as reachable if one of them loads.
 */
export const connectivityProbe = {
  everySeconds: 30,
  frameTimeoutSeconds: 5,
  pages: ['https://captive.apple.com/hotspot-detect.html', 'https://example.com/'],
} as const;

/**
 * Here the service answers without content (status 204), over plain http too. Any other answer comes from a captive
 * portal.
 */
export const portalProbePath = '/api/generate_204';

/** A trial has enough traffic left while (in + out) / rated is at most this; rated 0 means unlimited. */
export const trialTrafficEnoughRatio = 0.4;

export const pageNote = { delaySeconds: 3, pageLockSeconds: 1800 } as const;
export const paymentRedirectSeconds = 10;

export const defaultEnvironment = 'production';
export const defaultDeviceLanguage = 'zh-cn';
export const defaultGateway = { protocol: 'anyconnect', port: 443 } as const;

export const webMockTunnel = { connectSeconds: 2, disconnectSeconds: 0.5 } as const;

/** How long the page may show a predicted tunnel state that the helper has not confirmed. */
export const predictionSeconds = 3;

/** A device that has not called the service for this long is signed out. */
export const deviceIdleDays = 90;

/**
 * Settings of error reporting. A replay's idle pause (5 min) and expiry (15 min) are not among them, because the replay
 * library uses these times by itself and has no option for them.
 */
export const errorReporting = {
  tracesSampleRate: 1,
  replaySessionSampleRate: 0.1,
  replayOnErrorSampleRate: 1,
  replayMaxSeconds: 60 * 60,
  replayFlushSeconds: 5,
} as const;
