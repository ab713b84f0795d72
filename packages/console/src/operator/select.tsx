import { useId } from 'preact/hooks'

interface SelectProps<T extends string> {
  readonly label: string
  readonly options: Readonly<Record<T, string>>
  readonly value: T
  readonly onValue: (value: T) => void
}

export function Select<T extends string>({ label, options, value, onValue }: SelectProps<T>) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => onValue(currentTarget.value as T)}>
        {(Object.keys(options) as T[]).map((option) => (
          <option key={option} value={option}>
            {options[option]}
          </option>
        ))}
      </select>
    </div>
  )
}
