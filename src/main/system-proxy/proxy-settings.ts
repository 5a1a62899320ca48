/** The two settings that a PAC file needs, whatever a desktop calls them. */
export interface PacSettings<Value> {
  /** Where the PAC file is. */
  readonly address: Value;
  /** Which way of finding a proxy is in force. */
  readonly mode: Value;
}

/** A value in the desktop's own notation, or null where the user has set none and the default holds. */
export type OwnValue = string | null;

export interface ReadProxySettings {
  /** What the user, or a program in the user's name, has set. */
  readonly own: PacSettings<OwnValue>;
  /** What programs see: defaults and the administrator's settings included. */
  readonly effective: PacSettings<string>;
}

export type ProxyChange = readonly [setting: keyof PacSettings<unknown>, value: OwnValue];

/** One desktop's proxy settings. Every method may reject. */
export interface ProxySettings {
  /** Undefined if this desktop's settings are not installed. */
  read(): Promise<ReadProxySettings | undefined>;
  /** Makes the changes in their order. Need not have taken effect: some tools are silent about a failure. */
  write(changes: readonly ProxyChange[]): Promise<void>;
  /** What the settings are when they point at a PAC file. */
  pointingAt(pacUrl: string): PacSettings<string>;
}
