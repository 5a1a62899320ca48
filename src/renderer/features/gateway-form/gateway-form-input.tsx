import { NativeSelect, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { gatewayFormLimits, type GatewayFormField } from '#shared/host/gateway-form.ts';

interface GatewayFormInputProps {
  field: GatewayFormField;
  value: string;
  onChange: (value: string) => void;
}

/** One field of a gateway's form. */
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
      // The token was the password: any other secret is a one-time code, which no password manager should store.
      autoComplete={field.kind === 'secret' ? 'one-time-code' : 'off'}
      autoCapitalize="off"
      spellCheck={false}
      maxLength={gatewayFormLimits.value}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
