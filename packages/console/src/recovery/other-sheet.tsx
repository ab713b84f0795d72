import type { SheetRecord, SuccessorSheet } from '@svc/client/recovery-words'
import { useState } from 'preact/hooks'
import { SaidError } from '../failures/sentences.ts'
import type { KnownSheets } from '../sheets/known-sheets.ts'
import { Button } from '../shell/button.tsx'
import { Form } from '../shell/form.tsx'
import { TextArea } from '../shell/text-area.tsx'
import { Heading } from '../sign-in/heading.tsx'
import { words } from '../words/sheets/words.ts'
import { sheetIn } from './written-key.ts'

interface OtherSheetProps {
  /** The sheets that this browser knows before any words are entered here. */
  readonly known: KnownSheets
  /** Returns the sheets that this browser knows together with these. */
  readonly knownWith: (others: readonly SuccessorSheet[]) => Promise<KnownSheets>
  /** Called with the sheets that may follow: all of them, or those that the owner has. */
  readonly onRecords: (records: readonly SheetRecord[]) => Promise<void>
}

/** Asks for the words of each sheet that the identity commits to and this browser does not know. */
export function OtherSheet({ known: found, knownWith, onRecords }: OtherSheetProps) {
  const [known, setKnown] = useState(found)
  const [others, setOthers] = useState<readonly SuccessorSheet[]>([])
  const [text, setText] = useState('')
  const use = async () => {
    const sheet = await sheetIn(text)
    if (!sheet) throw new SaidError(words.otherSheet)
    const more = await knownWith([...others, sheet])
    if (more.records.length === known.records.length) throw new SaidError(words.otherSheet)
    if (more.missing === 0) await onRecords(more.records)
    setOthers([...others, sheet])
    setKnown(more)
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
      <Button look="plain" onPress={() => onRecords(known.records)}>
        {words.otherNone}
      </Button>
    </section>
  )
}
