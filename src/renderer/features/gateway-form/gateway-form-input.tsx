import { NativeSelect, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { gatewayFormLimits, type GatewayFormField } from '#shared/host/gateway-form.ts';

interface GatewayFormInputProps {
  field: GatewayFormField;
  value: string;
  onChange: (value: string) => void;
}

/** One thing that a gateway asks. */
export function GatewayFormInput({ field, value, onChange }: GatewayFormInputProps) {
  const { t } = useTranslation();
  const label = field.label || t('gatewayForm.answer');
  if (field.kind === 'choice') {
    return (
      <NativeSelect
        label={label}
        size="md"
        value={value}
        data={[...field.choices]}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  }
  return (
    <TextInput
      label={label}
      size="md"
      type={field.kind === 'secret' ? 'password' : 'text'}
      // The token was the password: what else is secret is good for once, and not for a password manager to keep.
      autoComplete={field.kind === 'secret' ? 'one-time-code' : 'off'}
      autoCapitalize="off"
      spellCheck={false}
      maxLength={gatewayFormLimits.value}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
