import { Button, FileButton } from '@mantine/core';
import { Suspense, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { IconOrInitial } from '../../ui/pictures/icon-or-initial.tsx';
import formClasses from '../../ui/forms/form.module.css';
import { lazyComponent } from '../../ui/loading/lazy-component.ts';
import classes from './mini-app-form.module.css';
import { readPicture } from './square-icon.ts';

const CropDialog = lazyComponent(async () => (await import('./crop-dialog.tsx')).CropDialog);

interface IconFieldProps {
  /** A data URL, or empty. */
  icon: string;
  /** The mini-app's name, for one without an icon. */
  name: string;
  error: string | undefined;
  onChange: (icon: string) => void;
}

/** The mini-app's icon: chosen from a file, then cropped. */
export function IconField({ icon, name, error, onChange }: IconFieldProps) {
  const { t } = useTranslation();
  const id = useId();
  const choose = useRef<HTMLButtonElement>(null);
  const resetFile = useRef<() => void>(null);
  const [picture, setPicture] = useState<string>();
  const [unreadable, setUnreadable] = useState(false);
  const problem = unreadable ? t('appForm.iconUnreadable') : error;

  const pick = async (file: File | null) => {
    if (!file) return;
    const read = await readPicture(file);
    setUnreadable(read === undefined);
    setPicture(read);
    // Choosing the same file again should count as a change.
    resetFile.current?.();
  };
  return (
    <fieldset aria-describedby={`${id}-hint`}>
      <legend className={formClasses.label}>{t('appForm.icon')}</legend>
      <div className={classes.iconRow}>
        <IconOrInitial icon={icon} name={name} size={64} />
        <div className={classes.iconText}>
          <p id={`${id}-hint`} className={formClasses.hint}>
            {t('appForm.iconHint')}
          </p>
          <div className={classes.iconButtons}>
            <FileButton
              accept="image/png,image/jpeg,image/webp"
              resetRef={resetFile}
              onChange={(file) => void pick(file)}
            >
              {(props) => (
                <Button {...props} ref={choose} variant="default" size="sm">
                  {t(icon === '' ? 'appForm.iconChoose' : 'appForm.iconChange')}
                </Button>
              )}
            </FileButton>
            {icon !== '' && (
              <Button
                variant="subtle"
                size="sm"
                onClick={() => {
                  onChange('');
                  choose.current?.focus();
                }}
              >
                {t('appForm.iconRemove')}
              </Button>
            )}
          </div>
        </div>
      </div>
      <p role="alert" className={problem && formClasses.error}>
        {problem}
      </p>
      {picture !== undefined && (
        <Suspense>
          <CropDialog
            picture={picture}
            onCut={(cut) => {
              onChange(cut);
              setPicture(undefined);
            }}
            onClose={() => setPicture(undefined)}
          />
        </Suspense>
      )}
    </fieldset>
  );
}
