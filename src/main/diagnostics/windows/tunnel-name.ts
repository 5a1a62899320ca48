/** The name of our own (helper/windows/device/make-adapter.ts). */
export const isTunnelName = (name: string): boolean => name === 'Waymaker';
