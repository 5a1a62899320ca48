import { useApp } from '../platform/host-context.tsx';
import { useServiceTranslations } from '../i18n/use-service-translations.ts';
import { SkipLink } from './main-landmark.tsx';
import { NativeLayout } from './native-layout.tsx';
import { WebLayout } from './web-layout.tsx';

/** What every page stands in. */
export function Shell() {
  const { kind } = useApp();
  useServiceTranslations();
  return (
    <>
      <SkipLink />
      {kind === 'web' ? <WebLayout /> : <NativeLayout />}
    </>
  );
}
