import type { i18n } from 'i18next';
import type { ReactNode } from 'react';
import { I18nextProvider } from 'react-i18next';
import { MemoryRouter } from 'react-router-dom';
import { Main } from '../ui/pages/main-landmark.tsx';
import { ThemeProvider } from '../ui/theme/theme-provider.tsx';

/** A single page without a reliable host: what `App` has around it, without the host. */
export function BareApp({ i18n, children }: { i18n: i18n; children: ReactNode }) {
  return (
    <ThemeProvider>
      <I18nextProvider i18n={i18n}>
        <MemoryRouter>
          <Main isAlone>{children}</Main>
        </MemoryRouter>
      </I18nextProvider>
    </ThemeProvider>
  );
}
