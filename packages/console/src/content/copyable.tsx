import './content.css'
import { CopyButton } from './copy-button.tsx'

interface CopyableProps {
  readonly title: string
  readonly text: string
}

/** Lines to be used elsewhere. */
export function Copyable({ title, text }: CopyableProps) {
  return (
    <div class="copyable">
      <div class="title">
        <h3>{title}</h3>
        <CopyButton title={title} text={text} />
      </div>
      <pre>{text}</pre>
    </div>
  )
}
