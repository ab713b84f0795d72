import { fileName } from '../backup/file-name.ts'
import { Exact } from '../content/exact.tsx'
import { Button } from '../shell/button.tsx'
import { Qr } from '../shell/qr.tsx'
import { saveFile } from '../shell/save-file.ts'
import { Heading } from '../sign-in/heading.tsx'
import { words } from '../words/start/words.ts'
import type { NewSheet } from './create.ts'

export interface RecoveryKeyProps {
  readonly sheet: NewSheet
  readonly onDone: () => Promise<void>
}

/** What takes the place of the root key if that is lost. Shown once. */
export function RecoveryKey({ sheet, onDone }: RecoveryKeyProps) {
  return (
    <section class="panel sheet">
      <Heading>{words.sheetTitle}</Heading>
      <p>{words.sheetLead}</p>
      <h2>
        <Exact isPlain>{words.sheetFor(sheet.of)}</Exact>
      </h2>
      <h3>{words.words}</h3>
      <ol class="word-list">
        {sheet.words.signing.split(' ').map((word, at) => (
          <li key={at}>
            <Exact isPlain>{word}</Exact>
          </li>
        ))}
      </ol>
      <h3>{words.code}</h3>
      <Qr text={sheet.code} label={words.code} />
      <h3>{words.recoveryFile}</h3>
      <p>{words.recoveryFileLead}</p>
      <div class="actions">
        <button
          type="button"
          class="plain"
          onClick={() => saveFile(fileName('recovery', sheet.of), JSON.stringify(sheet.recovery))}
        >
          {words.downloadFile}
        </button>
        <button type="button" class="plain" onClick={() => print()}>
          {words.print}
        </button>
        <Button onPress={onDone}>{words.sheetDone}</Button>
      </div>
    </section>
  )
}
