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
  }, [choice]);
  return <ThemeChoiceContext value={choice}>{children}</ThemeChoiceContext>;
}
