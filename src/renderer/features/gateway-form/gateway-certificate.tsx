import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useHost } from '../../platform/host-context.tsx';
import { leaveFocus } from '../../ui/focus/leave-focus.ts';
import { showError, showSuccess } from '../../ui/messages/toast.ts';
import { CertificateDialog } from './certificate-dialog.tsx';
import classes from './gateway-form.module.css';

type Certificates = Awaited<ReturnType<ReturnType<typeof useHost>['gatewayCertificate']['get']>>;

const isOver = ({ validTo }: { validTo: string }) => Date.parse(validTo) < Date.now();

/** The certificate with which the user signs in to the chosen server; nothing if it wants none. */
export function GatewayCertificate({ address }: { address: string }) {
  const { t, i18n } = useTranslation();
  const { gatewayCertificate: host } = useHost();
  const [known, setKnown] = useState<Certificates>();
  const [isChoosing, setChoosing] = useState(false);
  useEffect(() => {
    let isCurrent = true;
    host.get({ address }).then(
      (now) => isCurrent && setKnown(now),
      // A host that does not answer wants none, either.
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [host, address]);

  const certificate = known?.certificate;
  if (!known?.wanted && !certificate) return null;
  const read = () => host.get({ address }).then(setKnown, () => undefined);
  const remove = async () => {
    if (!(await host.remove({ address }).catch(() => false))) return showError(t('error.storage'));
    showSuccess(t('gatewayCertificate.removed'));
    await read();
  };
  return (
    <div className={classes.group}>
      <span>
        {certificate
          ? t(isOver(certificate) ? 'gatewayCertificate.expired' : 'gatewayCertificate.chosen', {
              name: certificate.name,
              date: new Date(certificate.validTo).toLocaleDateString(i18n.language),
            })
          : t('gatewayCertificate.wanted')}
      </span>
      <Button variant="subtle" size="compact-md" onClick={() => setChoosing(true)}>
        {t('gatewayCertificate.choose')}
      </Button>
      {certificate && (
        <Button ref={leaveFocus} variant="subtle" size="compact-md" onClick={() => void remove()}>
          {t('gatewayCertificate.remove')}
        </Button>
      )}
      {isChoosing && (
        <CertificateDialog
          address={address}
          onClose={() => setChoosing(false)}
          onChosen={() => {
            setChoosing(false);
            void read();
            showSuccess(t('gatewayCertificate.kept'));
          }}
        />
      )}
    </div>
  );
}
