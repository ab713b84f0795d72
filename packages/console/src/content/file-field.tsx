import { useId } from 'preact/hooks'

interface FileFieldProps {
  readonly label: string
  readonly hint: string
  readonly accept?: string
  readonly onFile: (file: File) => void
}

/** Takes a file of this device. What becomes of it is said in the hint. */
export function FileField({ label, hint, accept, onFile }: FileFieldProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="file"
        accept={accept}
        aria-describedby={`${id}-hint`}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? []
          if (file) onFile(file)
        }}
      />
      <small id={`${id}-hint`} class="hint">
        {hint}
      </small>
    </div>
  )
}
