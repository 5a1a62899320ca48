import { TextInput, type TextInputProps } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';

interface SearchFieldProps extends Omit<TextInputProps, 'type' | 'leftSection' | 'value' | 'onChange'> {
  value: string;
  onSearch: (text: string) => void;
}

/** A field whose text filters the list below it. */
export function SearchField({ onSearch, ...rest }: SearchFieldProps) {
  return (
    <TextInput
      {...rest}
      type="search"
      autoComplete="off"
      spellCheck={false}
      maxLength={100}
      leftSection={<IconSearch size={18} aria-hidden />}
      onChange={({ currentTarget }) => onSearch(currentTarget.value)}
    />
  );
}
