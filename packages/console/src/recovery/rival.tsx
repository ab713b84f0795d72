import { Button } from '../shell/button.tsx'
import { Heading } from '../sign-in/heading.tsx'
import { words } from '../words/recovery/words.ts'

interface RivalProps {
  readonly onMine: () => Promise<void>
  readonly onNotMine: () => Promise<void>
}

/** Asks whether a pending rotation to another key of the sheets is the owner's own or a thief's. */
export function Rival({ onMine, onNotMine }: RivalProps) {
  return (
    <section class="card">
      <Heading>{words.rivalTitle}</Heading>
      <p>{words.rivalLead}</p>
      <p>{words.rivalMineLead}</p>
      <p>{words.rivalNotMineLead}</p>
      <div class="actions">
        <Button onPress={onMine}>{words.rivalMine}</Button>
        <Button look="danger" onPress={onNotMine}>
          {words.rivalNotMine}
        </Button>
      </div>
    </section>
  )
}
