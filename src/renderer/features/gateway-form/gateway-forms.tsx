import { Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { GatewayForm } from '#shared/host/gateway-form.ts';
import { lazyPage } from '../../ui/loading/lazy-page.ts';
import { useHost } from '../../platform/host-context.tsx';
import { ErrorBoundary } from '../../ui/pages/error-boundary.tsx';
import { showError } from '../../ui/messages/toast.ts';
import { useOnArrival } from '../../ui/use-on-arrival.ts';

const GatewayFormDialog = lazyPage(async () => (await import('./gateway-form-dialog.tsx')).GatewayFormDialog);

/** Shows a gateway's questions during connecting, whatever page the user is on. */
export function GatewayForms() {
  const { t } = useTranslation();
  const { gatewayForm: host } = useHost();
  const [form, setForm] = useState<GatewayForm | null>(null);
  // Subscribes first, then reads once: a reloaded page gets the form that waits.
  useEffect(() => {
    let told = false;
    const unsubscribe = host.changed((now) => {
      told = true;
      setForm(now);
    });
    host.get().then(
      (now) => {
        if (!told) setForm(now);
      },
      // A host that does not answer has nothing to ask, either.
      () => undefined,
    );
    return unsubscribe;
  }, [host]);

  if (!form) return null;
  const answer = async (answers: string[] | null) => {
    // The host emits an event when the form is gone, even if it already was.
    await host.answer({ id: form.id, answers }).catch(() => showError(t('reason.unavailable')));
  };
  return (
    <ErrorBoundary key={form.id} fallback={<GiveUp onGiveUp={() => void answer(null)} />}>
      <Suspense>
        <GatewayFormDialog
          form={form}
          onAnswer={(answers) => void answer(answers)}
          onCancel={() => void answer(null)}
        />
      </Suspense>
    </ErrorBoundary>
  );
}

/** A form that cannot be shown is answered as if the user gave up; otherwise the gateway would wait for nothing. */
function GiveUp({ onGiveUp }: { onGiveUp: () => void }) {
  const { t } = useTranslation();
  useOnArrival(() => {
    showError(t('error.network'));
    onGiveUp();
  });
  return null;
}
