import { SuccessorSheet } from '@svc/client/recovery-words'
import { useState } from 'preact/hooks'
import { Button } from '../shell/button.tsx'
import { Heading } from '../sign-in/heading.tsx'
import { words } from '../words/sheets/words.ts'
import { CheckSheet } from './check-sheet.tsx'
import type { MadeSheet } from './made-sheet.ts'
import { ShowSheet } from './show-sheet.tsx'

interface MakeSheetsProps {
  /** Called once all sheets are written down. Nothing is created before, so leaving the page loses nothing. */
  readonly onMade: (sheets: readonly MadeSheet[]) => Promise<void>
}

/** The part of the dialog about the newest sheet. */
type Step = 'words' | 'check' | 'another'

/** Creates one or two sheets of words, and asks for two words of each. */
export function MakeSheets({ onMade }: MakeSheetsProps) {
  const [sheet, setSheet] = useState(() => SuccessorSheet.create())
  const [made, setMade] = useState<readonly MadeSheet[]>([])
  const [step, setStep] = useState<Step>('words')
  const number = made.length + 1
  const keep = async (confirmedAt: number | null) => {
    const now = [...made, { sheet, confirmedAt }]
    // If this fails, the person checks the second sheet again, which still counts as the second.
    if (now.length > 1) return onMade(now)
    setMade(now)
    setStep('another')
  }
  if (step === 'words') return <ShowSheet number={number} words={sheet.revealWords()} onDone={() => setStep('check')} />
  if (step === 'check')
    return (
      <CheckSheet
        sheet={sheet}
        onRight={() => keep(Date.now())}
        onSkip={() => keep(null)}
        onBack={() => setStep('words')}
      />
    )
  return (
    <section class="card">
      <Heading>{words.anotherTitle}</Heading>
      <p>{words.anotherLead}</p>
      <div class="actions">
        <Button
          onPress={async () => {
            setSheet(SuccessorSheet.create())
            setStep('words')
          }}
        >
          {words.another}
        </Button>
        <Button look="plain" onPress={() => onMade(made)}>
          {words.oneIsEnough}
        </Button>
      </div>
    </section>
  )
}
