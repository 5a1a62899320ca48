import { useState } from 'react';
import type { TextPort } from '../../platform/webview/webview-port.ts';
import { appBehind } from './app-under-test.ts';
import { ConformancePage } from './conformance-page.tsx';

/** The page, with the app behind this port under test. */
export function ConformanceTest({ port }: { port: TextPort }) {
  const [under] = useState(() => appBehind(port));
  return <ConformancePage under={under} />;
}
