import { useId } from 'preact/hooks'

interface FileFieldProps {
  readonly label: string
  readonly hint?: string
  readonly accept?: string
  /** Null once the choice is taken back. */
  readonly onFile: (file: File | null) => void
}

/** A file from this computer. The hint says what becomes of it. */
export function FileField({ label, hint, accept, onFile }: FileFieldProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="file"
        accept={accept}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={({ currentTarget }) => onFile(currentTarget.files?.[0] ?? null)}
      />
      {hint === undefined ? null : (
        <small id={`${id}-hint`} class="hint">
          {hint}
        </small>
      )}
    </div>
  )
}
