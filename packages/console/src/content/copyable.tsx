import './content.css'
import { Button } from '../shell/button.tsx'
import { useTask } from '../shell/task.tsx'
import { words } from '../words/shell/words.ts'

interface CopyableProps {
  readonly title: string
  readonly text: string
}

/** Lines to be used elsewhere. */
export function Copyable({ title, text }: CopyableProps) {
  const task = useTask()
  return (
    <div class="copyable">
      <div class="title">
        <h3>{title}</h3>
        <Button
          look="quiet"
          label={`${words.copy}: ${title}`}
          onPress={async () => {
            await navigator.clipboard.writeText(text)
            task.say(words.copied)
          }}
        >
          {words.copy}
        </Button>
      </div>
      <pre>{text}</pre>
    </div>
  )
}
