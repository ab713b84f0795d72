import { Confirmed } from '../shell/confirmed.tsx'
import { momentOf } from '../shell/dates.ts'
import { useTask } from '../shell/task.tsx'
import { words } from '../words/inbox/words.ts'
import type { Letter, Letters } from './letters.ts'

interface LetterListProps {
  readonly letters: Letters
  readonly onShow: (letter: Letter) => void
  readonly onDelete: (msgId: string) => Promise<void>
}

export function LetterList({ letters, onShow, onDelete }: LetterListProps) {
  const task = useTask()
  return (
    <section class="panel">
      <h2>{words.messages}</h2>
      <p class="soft">{words.count(letters.total)}</p>
      <ul class="list letters">
        {letters.letters.map((letter) => (
          <li key={letter.message.msgId}>
            {letter.content ? (
              <button type="button" class="plain entry" disabled={task.isBusy} onClick={() => onShow(letter)}>
                <Summary letter={letter} />
              </button>
            ) : (
              <>
                <div>
                  <Summary letter={letter} />
                </div>
                <Confirmed
                  look="quiet"
                  action={words.delete}
                  label={`${words.delete}: ${momentOf(letter.message.receivedAt)}`}
                  title={words.deleteTitle}
                  onConfirm={() => onDelete(letter.message.msgId)}
                >
                  <p>{words.deleteText}</p>
                </Confirmed>
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Summary({ letter: { message, content } }: { readonly letter: Letter }) {
  return (
    <>
      <strong>{content ? content.subject || words.noSubject : words.encrypted}</strong>
      {message.readAt === null ? <span class="tag">{words.unread}</span> : null}
      {content ? <span class="from">{content.name}</span> : null}
      {content === null ? <span class="from">{words.closed}</span> : null}
      <small>{momentOf(message.receivedAt)}</small>
    </>
  )
}
