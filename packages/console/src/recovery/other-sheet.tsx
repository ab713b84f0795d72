import type { SuccessorSheet } from '@svc/client/recovery-words'
import { useState } from 'preact/hooks'
import { SaidError } from '../failures/sentences.ts'
import { Button } from '../shell/button.tsx'
import { Form } from '../shell/form.tsx'
import { TextArea } from '../shell/text-area.tsx'
import { Heading } from '../sign-in/heading.tsx'
import { words } from '../words/sheets/words.ts'
import { sheetIn } from './written-key.ts'

interface OtherSheetProps {
  readonly onSheet: (sheet: SuccessorSheet) => Promise<void>
  readonly onNone: () => Promise<void>
}

/** Asks for the words of a sheet that the identity commits to and this browser does not know. */
export function OtherSheet({ onSheet, onNone }: OtherSheetProps) {
  const [text, setText] = useState('')
  const use = async () => {
    const sheet = await sheetIn(text)
    if (!sheet) throw new SaidError(words.otherSheet)
    await onSheet(sheet)
    setText('')
  }
  return (
    <section class="card">
      <Heading>{words.otherTitle}</Heading>
      <p>{words.otherLead}</p>
      <Form onSend={use}>
        <TextArea label={words.typeAll} rows={6} value={text} onValue={setText} />
        <p class="soft">{words.typeAllHint}</p>
        <Button>{words.otherAdd}</Button>
      </Form>
      <Button look="plain" onPress={onNone}>
        {words.otherNone}
      </Button>
    </section>
  )
}
