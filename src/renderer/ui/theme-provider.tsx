import { MantineProvider } from '@mantine/core';
import type { ReactNode } from 'react';
import { theme } from './theme.ts';

/** Gives everything in it the product's look, light or dark as the system is. */
export function ThemeProvider({ children }: { children: ReactNode }) {
  return (
    // The variables of Mantine's theme are in theme.css: generated ones would come with the script only.
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
    >
      {children}
    </MantineProvider>
  );
}
