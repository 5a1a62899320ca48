/** Chromium's zoom levels, as in browsers: each makes everything a fifth larger. */
export const zoomLevels = { min: -3, max: 5 } as const;

export type ZoomStep = 'in' | 'out' | 'reset';

export function nextZoom(level: number, step: ZoomStep): number {
  if (step === 'reset') return 0;
  const next = Math.round(level) + (step === 'in' ? 1 : -1);
  return Math.min(zoomLevels.max, Math.max(zoomLevels.min, next));
}
