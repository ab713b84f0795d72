import { askedPositions, confirmsWords, type SuccessorSheet } from '@svc/client/recovery-words'
import { useState } from 'preact/hooks'
import { SaidError } from '../failures/sentences.ts'
import { Button } from '../shell/button.tsx'
import { Field } from '../shell/field.tsx'
import { Form } from '../shell/form.tsx'
import { Heading } from '../sign-in/heading.tsx'
import { words } from '../words/sheets/words.ts'

interface CheckSheetProps {
  readonly sheet: SuccessorSheet
  readonly onRight: () => Promise<void>
  readonly onSkip: () => Promise<void>
  readonly onBack: () => void
}

/** Asks for two words of the sheet, which only a person who has written them down can enter. */
export function CheckSheet({ sheet, onRight, onSkip, onBack }: CheckSheetProps) {
  const [asked] = useState(askedPositions)
  const [typed, setTyped] = useState<Readonly<Record<number, string>>>({})
  const check = async () => {
    const wrong = asked.find((position) => !confirmsWords(sheet, [position], [typed[position] ?? '']))
    if (wrong !== undefined) throw new SaidError(words.wrongWord(wrong))
    await onRight()
  }
  return (
    <section class="card">
      <Heading>{words.checkTitle}</Heading>
      <p>{words.checkLead}</p>
      <Form onSend={check}>
        {asked.map((position) => (
          <Field
            key={position}
            label={words.word(position)}
            value={typed[position] ?? ''}
            onValue={(value) => setTyped((before) => ({ ...before, [position]: value }))}
          />
        ))}
        <Button>{words.check}</Button>
      </Form>
      <div class="actions">
        <button type="button" class="plain" onClick={onBack}>
          {words.showAgain}
        </button>
        <Button look="quiet" onPress={onSkip}>
          {words.skip}
        </Button>
      </div>
      <p class="soft">{words.skipHint}</p>
    </section>
  )
}
