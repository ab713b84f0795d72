import './text-area.css'
import { useId } from 'preact/hooks'
import { useSending } from './sending.ts'

interface TextAreaProps {
  readonly label: string
  readonly value: string
  readonly onValue: (value: string) => void
  readonly rows?: number
}

/** Text of several lines, written by a person. */
export function TextArea({ label, value, onValue, rows = 12 }: TextAreaProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        class="written"
        rows={rows}
        readOnly={useSending()}
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    </div>
  )
}
