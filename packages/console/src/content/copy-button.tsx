import { Button } from '../shell/button.tsx'
import { useTask } from '../shell/task.tsx'
import { words } from '../words/shell/words.ts'

interface CopyButtonProps {
  /** Says what is copied, to those who cannot see what is beside the button. */
  readonly title: string
  readonly text: string
}

export function CopyButton({ title, text }: CopyButtonProps) {
  const task = useTask()
  return (
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
  )
}
