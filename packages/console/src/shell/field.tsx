import { useId } from 'preact/hooks'
import { useSending } from './sending.ts'

interface FieldProps {
  readonly label: string
  readonly value: string
  readonly onValue: (value: string) => void
  readonly isSecret?: boolean
  readonly autocomplete?: string
  readonly hint?: string
  readonly inputMode?: 'numeric' | 'text'
  readonly maxLength?: number
}

export function Field({ label, value, onValue, isSecret, autocomplete, hint, inputMode, maxLength }: FieldProps) {
  const id = useId()
  const shared = {
    id,
    value,
    autocomplete: autocomplete ?? 'off',
    inputMode: inputMode ?? 'text',
    maxLength: maxLength ?? 254,
    readOnly: useSending(),
    spellcheck: false,
    autocapitalize: 'none' as const,
    ...(hint === undefined ? {} : { 'aria-describedby': `${id}-hint` }),
    onInput: (event: InputEvent) => onValue((event.currentTarget as HTMLInputElement).value),
  }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {isSecret ? <input type="password" {...shared} /> : <input type="text" {...shared} />}
      {hint === undefined ? null : (
        <small id={`${id}-hint`} class="hint">
          {hint}
        </small>
      )}
    </div>
  )
}
