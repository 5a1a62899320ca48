import type { AppType } from '#shared/entities.ts';
import type { TextKey } from '#shared/texts/texts.ts';

/** How each type of app is called, and what it does when it is opened. */
export const appTypeTexts: Record<AppType, { name: TextKey; text: TextKey }> = {
  browser: { name: 'apps.typeBrowser', text: 'apps.typeBrowserText' },
  webkit: { name: 'apps.typeWebkit', text: 'apps.typeWebkitText' },
  native: { name: 'apps.typeNative', text: 'apps.typeNativeText' },
};
