/** The two settings that a PAC file needs, whatever a desktop calls them. */
export interface PacSettings<Value> {
  /** The PAC file's address. */
  readonly address: Value;
  /** How programs find a proxy. */
  readonly mode: Value;
}

/** A value in the desktop's own notation, or null if the user has set none and the default applies. */
export type OwnValue = string | null;

export interface ReadProxySettings {
  /** What the user, or a program on their behalf, has set. */
  readonly own: PacSettings<OwnValue>;
  /** What programs see, including defaults and the administrator's settings. */
  readonly effective: PacSettings<string>;
}

export type ProxyChange = readonly [setting: keyof PacSettings<unknown>, value: OwnValue];

/** One desktop's proxy settings. Every method may reject. */
export interface ProxySettings {
  /** Undefined if this desktop's settings are not installed. */
  read(): Promise<ReadProxySettings | undefined>;
  /** Writes the changes in order. They may not have taken effect afterwards: some tools do not report failures. */
  write(changes: readonly ProxyChange[]): Promise<void>;
  /** The settings when they point at this PAC file. */
  pointingAt(pacUrl: string): PacSettings<string>;
}
