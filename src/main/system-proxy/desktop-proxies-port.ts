import type { Logger } from 'pino';
import type { ProxySettings } from './proxy-settings.ts';
import type { RunProgram } from '../run-program.ts';

/**
 * Where a desktop keeps its proxy settings, as noted down before they are changed; its meaning depends on the system.
 */
export type ProxyPlace = string;

/** The proxy settings that desktops of this system have. */
export interface DesktopProxies {
  /** Those that programs of the current desktop look at; empty if it is not supported. May reject. */
  current(): Promise<readonly ProxyPlace[]>;
  /** Throws for a place of another system. */
  at(place: ProxyPlace): ProxySettings;
}

export interface DesktopProxiesOptions {
  run: RunProgram;
  /** The environment of the desktop session. */
  env: Readonly<NodeJS.ProcessEnv>;
  log: Logger;
}
