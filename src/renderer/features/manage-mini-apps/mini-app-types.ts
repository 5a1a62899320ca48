import type { MiniAppType } from '#shared/entities.ts';
import type { TextKey } from '#shared/texts/texts.ts';

/** The name of each type of mini-app, and what opening it does. */
export const miniAppTypeTexts: Record<MiniAppType, { name: TextKey; text: TextKey }> = {
  browser: { name: 'apps.typeBrowser', text: 'apps.typeBrowserText' },
  webkit: { name: 'apps.typeWebkit', text: 'apps.typeWebkitText' },
  native: { name: 'apps.typeNative', text: 'apps.typeNativeText' },
};
