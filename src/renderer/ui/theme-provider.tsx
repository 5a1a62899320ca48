import { MantineProvider } from '@mantine/core';
import { useLayoutEffect, type ReactNode } from 'react';
import type { ThemeChoice } from '#shared/host/contract.ts';
import { theme } from './theme.ts';

/** Gives everything in it the product's look: light or dark as the system is, unless one of them is chosen. */
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
  return (
    // The variables of Mantine's theme are in theme.css: generated ones would come with the script only.
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      {...(choice !== 'system' && { forceColorScheme: choice })}
      withCssVariables={false}
      withGlobalClasses={false}
    >
      {children}
    </MantineProvider>
  );
}
