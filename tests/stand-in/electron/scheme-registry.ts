import type Electron from 'electron';

let schemes: Electron.CustomScheme[] | undefined;
let started = false;

export function registerSchemes(custom: Electron.CustomScheme[]): void {
  if (started) throw new Error('protocol.registerSchemesAsPrivileged should be called before app is ready');
  if (schemes) throw new Error('registerSchemesAsPrivileged can be called once only');
  for (const { scheme, privileges } of custom) {
    // Pages live under an https origin here, which is both; anything less would be dishonest.
    if (!privileges?.standard || !privileges.secure) {
      throw new Error(`stand-in: only standard and secure schemes are implemented, not ${scheme}`);
    }
  }
  schemes = custom;
}

export const setStarted = (): void => {
  started = true;
};

export const registeredSchemes = (): string[] => (schemes ?? []).map(({ scheme }) => scheme);
