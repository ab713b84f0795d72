import { type Readiness, recoveryReadiness } from '@svc/client/recovery-words'
import { useState } from 'preact/hooks'
import { SaidError } from '../failures/sentences.ts'
import type { Own } from '../own/own.ts'
import { sheetIn } from '../recovery/written-key.ts'
import { Button } from '../shell/button.tsx'
import { dayOf } from '../shell/dates.ts'
import { Form } from '../shell/form.tsx'
import { Part } from '../shell/part.tsx'
import { useTask } from '../shell/task.tsx'
import { TextArea } from '../shell/text-area.tsx'
import { words } from '../words/sheets/words.ts'
import { type KeptSheets, keepSheets, keptSheets } from './kept-sheets.ts'
import { saveRecovery } from './save-recovery.ts'

/** Shows on the overview how the identity can be recovered with the words that its owner has checked. */
export function RecoveryPart({ client, device }: Own) {
  const [change, setChange] = useState(0)
  const read = async () => {
    const [kept, { epoch, commitment }] = await Promise.all([keptSheets(device.did), client.chain.root(device.did)])
    if (commitment.next.length === 0) return { sentence: kept ? words.notYet : words.uncommitted }
    if (!kept) return { sentence: words.unknown }
    const readiness = recoveryReadiness({ epoch, commitment, sheets: kept.sheets, recovery: kept.recovery })
    return { sentence: words.meanings[readiness.meaning ?? 'never'] ?? '', found: { kept, readiness } }
  }
  return (
    <Part title={words.title} of={String(change)} read={read}>
      {({ sentence, found }) => (
        <>
          <p>{sentence}</p>
          {found ? <Sheets {...found} onChecked={() => setChange((count) => count + 1)} /> : null}
        </>
      )}
    </Part>
  )
}

interface SheetsProps {
  readonly kept: KeptSheets
  readonly readiness: Readiness
  readonly onChecked: () => void
}

function Sheets({ kept, readiness, onChecked }: SheetsProps) {
  const { recovery } = kept
  return (
    <>
      <ul>
        {readiness.sheets.map((sheet, at) => (
          <li key={at}>{stateOf(sheet, at + 1)}</li>
        ))}
      </ul>
      <div class="actions">
        {readiness.hasFile ? (
          <button type="button" class="plain" onClick={() => saveRecovery(recovery)}>
            {words.download}
          </button>
        ) : null}
      </div>
      <CheckAgain kept={kept} onChecked={onChecked} />
    </>
  )
}

function stateOf({ isNamed, confirmedAt }: Readiness['sheets'][number], number: number): string {
  if (!isNamed) return words.sheetVoid(number)
  return confirmedAt === null ? words.sheetUnchecked(number) : words.sheetChecked(number, dayOf(confirmedAt))
}

/** Asks for all words, because this browser stores none of them. Compares the keys that are derived from them. */
function CheckAgain({ kept, onChecked }: Omit<SheetsProps, 'readiness'>) {
  const task = useTask()
  const [isOpen, setOpen] = useState(false)
  const [text, setText] = useState('')
  const close = () => {
    setText('')
    setOpen(false)
  }
  const compare = async () => {
    const at = await numberOf(text, kept)
    const sheets = kept.sheets.map((record, of) => (of === at ? { ...record, confirmedAt: Date.now() } : record))
    await keepSheets({ ...kept, sheets })
    close()
    onChecked()
    task.say(words.checked(at + 1))
  }
  if (!isOpen)
    return (
      <button type="button" class="quiet" onClick={() => setOpen(true)}>
        {words.checkSheet}
      </button>
    )
  return (
    <Form onSend={compare}>
      <TextArea label={words.typeAll} rows={6} value={text} onValue={setText} />
      <p class="soft">{words.typeAllHint}</p>
      <div class="actions">
        <Button>{words.compare}</Button>
        <button type="button" class="plain" onClick={close}>
          {words.cancel}
        </button>
      </div>
    </Form>
  )
}

/** Returns the index of the sheet that has these words. */
async function numberOf(text: string, { sheets, recovery: { scope } }: KeptSheets): Promise<number> {
  const sheet = await sheetIn(text)
  if (!sheet) throw new SaidError(words.otherSheet)
  const { kemPublicKeyB64u } = await sheet.reader(scope)
  const at = sheets.findIndex((record) => record.kemPublicKeyB64u === kemPublicKeyB64u)
  if (at < 0) throw new SaidError(words.otherSheet)
  return at
}
