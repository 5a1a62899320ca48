import { lazy, Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { GatewayForm } from '#shared/host/gateway-form.ts';
import { useHost } from '../../platform/host-context.tsx';
import { showError } from '../../ui/toast.ts';

const GatewayFormDialog = lazy(async () => ({
  default: (await import('./gateway-form-dialog.tsx')).GatewayFormDialog,
}));

/** On whatever page the user is: what a gateway asks while the app connects to it. */
export function GatewayForms() {
  const { t } = useTranslation();
  const { gatewayForm: host } = useHost();
  const [form, setForm] = useState<GatewayForm | null>(null);
  // Subscribed first, then read once: a page that was loaded anew gets the form that waits.
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
    // The host says by an event that the form is gone, also when it was so already.
    await host.answer({ id: form.id, answers }).catch(() => showError(t('reason.unavailable')));
  };
  return (
    <Suspense>
      <GatewayFormDialog
        key={form.id}
        form={form}
        onAnswer={(answers) => void answer(answers)}
        onCancel={() => void answer(null)}
      />
    </Suspense>
  );
}
