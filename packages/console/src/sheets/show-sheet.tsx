import '../start/start.css'
import { Exact } from '../content/exact.tsx'
import { Qr } from '../shell/qr.tsx'
import { useTask } from '../shell/task.tsx'
import { Heading } from '../sign-in/heading.tsx'
import { words } from '../words/sheets/words.ts'

interface ShowSheetProps {
  readonly number: number
  readonly words: string
  readonly onDone: () => void
}

/** Shows the words of a sheet, to be written down or printed. */
export function ShowSheet({ number, words: listed, onDone }: ShowSheetProps) {
  const task = useTask()
  return (
    <section class="panel sheet">
      <Heading>{number === 1 ? words.firstTitle : words.secondTitle}</Heading>
      <p>{number === 1 ? words.firstLead : words.secondLead}</p>
      <h2>{words.sheet(number)}</h2>
      <ol class="word-list">
        {listed.split(' ').map((word, at) => (
          <li key={at}>
            <Exact isPlain>{word}</Exact>
          </li>
        ))}
      </ol>
      <Qr text={listed} label={words.code} />
      <div class="actions">
        <button type="button" disabled={task.isBusy} onClick={onDone}>
          {words.written}
        </button>
        <button type="button" class="plain" onClick={() => print()}>
          {words.print}
        </button>
      </div>
    </section>
  )
}
