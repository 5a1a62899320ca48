import { createContext, useContext, useLayoutEffect, type ReactNode } from 'react';
import type { ThemeChoice } from '#shared/host/common-contract.ts';

const ThemeChoiceContext = createContext<ThemeChoice>('system');

export const useThemeChoice = (): ThemeChoice => useContext(ThemeChoiceContext);

/** Gives its content the product's look: light or dark like the system, unless one of them is chosen. */
export function ThemeProvider({
  choice = 'system',
  children,
}: {
  choice?: ThemeChoice;
  children: ReactNode;
}) {
  useLayoutEffect(() => {
    const { dataset } = document.documentElement;
    if (choice === 'system') delete dataset['theme'];
    else dataset['theme'] = choice;
    // The bars of a phone's browser.
    for (const colour of document.querySelectorAll<HTMLMetaElement>('meta[data-theme]')) {
      const theme = colour.dataset['theme'];
      if (choice === 'system') colour.media = `(prefers-color-scheme: ${theme})`;
      else colour.media = theme === choice ? 'all' : 'not all';
    }
  }, [choice]);
  return <ThemeChoiceContext value={choice}>{children}</ThemeChoiceContext>;
}
