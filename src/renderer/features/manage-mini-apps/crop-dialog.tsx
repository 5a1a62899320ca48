import { Button } from '@mantine/core';
import { useId, useState } from 'react';
import Cropper from 'react-easy-crop';
import 'react-easy-crop/react-easy-crop.css';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import dialogClasses from '../../ui/dialogs/dialog.module.css';
import classes from './mini-app-form.module.css';
import { cutIcon, type Square } from './square-icon.ts';

interface CropDialogProps {
  /** A data URL that the browser can show. */
  picture: string;
  onCut: (icon: string) => void;
  onClose: () => void;
}

const maxZoom = 5;
/** CSS pixels that an arrow key moves the picture. */
const keyboardStep = 8;

/** Chooses the square part of a picture that becomes the icon: by pointer, wheel and pinch, or by keyboard. */
export function CropDialog({ picture, onCut, onClose }: CropDialogProps) {
  const { t } = useTranslation();
  const zoomId = useId();
  const [position, setPosition] = useState({ x: 0, y: 0 });
  const [zoom, setZoom] = useState(1);
  const [square, setSquare] = useState<Square>();
  return (
    <Dialog title={t('crop.title')} onClose={onClose}>
      <p className={dialogClasses.text}>{t('crop.text')}</p>
      <div className={classes.cropPlace}>
        <Cropper
          image={picture}
          aspect={1}
          crop={position}
          zoom={zoom}
          maxZoom={maxZoom}
          keyboardStep={keyboardStep}
          disableAutomaticStylesInjection
          classes={{ cropAreaClassName: classes.cropArea }}
          cropperProps={{ role: 'group', 'aria-label': t('crop.area') }}
          mediaProps={{ alt: '' }}
          onCropChange={setPosition}
          onZoomChange={setZoom}
          onCropAreaChange={(_, { x, y, width }) => setSquare({ x, y, side: width })}
        />
      </div>
      <div className={classes.zoom}>
        <label htmlFor={zoomId}>{t('crop.zoom')}</label>
        <input
          id={zoomId}
          type="range"
          min={1}
          max={maxZoom}
          step={0.05}
          value={zoom}
          onChange={(event) => setZoom(event.currentTarget.valueAsNumber)}
        />
      </div>
      <div className={dialogClasses.actions}>
        <Button variant="default" onClick={onClose}>
          {t('dialog.cancel')}
        </Button>
        <Button disabled={!square} onClick={() => square && void cutIcon(picture, square).then(onCut)}>
          {t('crop.use')}
        </Button>
      </div>
    </Dialog>
  );
}
