import { Button, TextInput } from '@mantine/core';
import { IconFile } from '@tabler/icons-react';
import { useId, useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { useHost } from '../../platform/host-context.tsx';
import dialogClasses from '../../ui/dialogs/dialog.module.css';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { Message } from '../../ui/messages/message.tsx';
import classes from './gateway-form.module.css';

interface CertificateDialogProps {
  address: string;
  onChosen: () => void;
  onClose: () => void;
}

/** Larger than any file with one certificate, its issuers and a key. */
const maxFileBytes = 64 * 1024;

const errorTexts = {
  'wrong-password': 'gatewayCertificate.wrongPassword',
  'not-a-certificate': 'gatewayCertificate.notACertificate',
  unsupported: 'gatewayCertificate.unsupported',
  'key-refused': 'gatewayCertificate.keyRefused',
  'not-stored': 'gatewayCertificate.notStored',
} as const;

const base64 = (bytes: Uint8Array) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));

/** Lets the user choose a PKCS#12 or PEM file; it goes to the host, and the page keeps nothing of it. */
export function CertificateDialog({ address, onChosen, onClose }: CertificateDialogProps) {
  const { t } = useTranslation();
  const { gatewayCertificate: host } = useHost();
  const id = useId();
  const [file, setFile] = useState<File>();
  const [password, setPassword] = useState('');
  const [error, setError] = useState<keyof typeof errorTexts>();
  const send = async () => {
    if (!file) return;
    if (file.size > maxFileBytes) return setError('not-a-certificate');
    const bytes = new Uint8Array(await file.arrayBuffer());
    const result = await host.set({ address, file: base64(bytes), password });
    if (result.ok) onChosen();
    else setError(result.error);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setError(undefined);
    send().catch(() => setError('not-stored'));
  };
  return (
    <Dialog title={t('gatewayCertificate.title')} describedBy={`${id}-hint`} onClose={onClose}>
      <form className={classes.form} onSubmit={submit} autoComplete="off">
        {error && <Message tone="bad">{t(errorTexts[error])}</Message>}
        <p id={`${id}-hint`} className={classes.gateway}>
          {t('gatewayCertificate.hint')}
        </p>
        <TextInput
          label={t('gatewayCertificate.file')}
          size="md"
          type="file"
          classNames={{ input: classes.file }}
          // The browser's own words are in its language, not in the app's. They are still what is heard.
          leftSectionWidth="100%"
          leftSectionPointerEvents="none"
          leftSection={
            <span aria-hidden className={classes.fileWords} data-chosen={file && true}>
              <IconFile size={20} stroke={1.8} className={classes.fileIcon} />
              <span>{file?.name ?? t('gatewayCertificate.noFile')}</span>
            </span>
          }
          accept=".p12,.pfx,.pem,application/x-pkcs12"
          onChange={(event) => setFile(event.currentTarget.files?.[0])}
        />
        <TextInput
          label={t('gatewayCertificate.password')}
          size="md"
          type="password"
          autoComplete="off"
          maxLength={256}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <div className={dialogClasses.actions}>
          <Button variant="default" onClick={onClose}>
            {t('dialog.cancel')}
          </Button>
          <Button type="submit" disabled={!file}>
            {t('gatewayCertificate.use')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
