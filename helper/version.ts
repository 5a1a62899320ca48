import { routingModes } from './modes/routing-plan.ts';

/** What the helper says of itself in `hello`. */
export const helperVersion = '0.1.0';

/** The routing modes that this helper has, and that it can open the way to a captive portal. */
export const helperCapabilities = [
  ...routingModes.map((mode) => `routing.${mode}` as const),
  'portal',
] as const;
