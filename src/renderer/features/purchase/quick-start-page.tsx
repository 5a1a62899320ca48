import { useTranslation } from 'react-i18next';
import { Navigate } from 'react-router-dom';
import { errorText } from '../../api/api-failure.ts';
import { useApi } from '../../api/use-api.ts';
import { useSession } from '../session/session-context.tsx';
import { LeavingPanel } from './leaving-panel.tsx';
import { webAddress } from '#shared/host/web-address.ts';

/** Redirects to the purchase page, whoever is signed in (specification §2). */
export function QuickStartPage() {
  const { signedIn } = useSession();
  return signedIn ? <Navigate to="/purchase" replace /> : <QuickStart />;
}

const texts = {
  title: 'quickStart.title',
  opening: 'quickStart.opening',
  outside: 'quickStart.outside',
  open: 'quickStart.open',
} as const;

function QuickStart() {
  const { t } = useTranslation();
  const { data: info, error, refetch } = useApi('basicInfo');
  return (
    <LeavingPanel
      texts={texts}
      target={info && (() => Promise.resolve(webAddress(info.links.quick_start_url)))}
      failure={error && !info ? errorText(error, t) : undefined}
      onRetry={() => void refetch()}
    />
  );
}
