import { Exact } from '../content/exact.tsx'
import type { Own } from '../own/own.ts'
import { Confirmed } from '../shell/confirmed.tsx'
import { momentOf } from '../shell/dates.ts'
import { Heading } from '../sign-in/heading.tsx'
import { words } from '../words/inbox/words.ts'
import { type Letter, mailTo } from './letters.ts'
import { Reply } from './reply.tsx'

interface LetterViewProps {
  readonly own: Own
  readonly letter: Letter
  readonly onBack: () => void
  readonly onDelete: () => Promise<void>
}

/** One message. Who wrote it is what the sender typed. */
export function LetterView({ own, letter, onBack, onDelete }: LetterViewProps) {
  const { message, content } = letter
  return (
    <>
      <button type="button" class="quiet" onClick={onBack}>
        {words.back}
      </button>
      <article class="panel letter">
        <Heading>{content?.subject || words.noSubject}</Heading>
        <dl>
          <dt>{words.from}</dt>
          <dd>
            {content?.name} &lt;{content?.email}&gt;
          </dd>
          <dt>{words.received}</dt>
          <dd>{momentOf(message.receivedAt)}</dd>
          <dt>{words.about}</dt>
          <dd>
            <Exact>{message.assetId}</Exact>
          </dd>
        </dl>
        <p class="text">{content?.message}</p>
        <p class="soft">{words.proved}</p>
        {content?.sealedWith === 'ml-kem-768' ? <p class="soft">{words.sealedWithOne}</p> : null}
      </article>
      <section class="panel">
        <h2>{words.answer}</h2>
        {content?.replyKeyB64u === undefined ? (
          <>
            <p>{words.byMailLead}</p>
            {content ? <a href={mailTo(content)}>{words.byMail}</a> : null}
          </>
        ) : (
          <Reply own={own} message={message} content={content} />
        )}
      </section>
      <section class="panel">
        <h2>{words.delete}</h2>
        <p>{words.deleteText}</p>
        <Confirmed action={words.delete} title={words.deleteTitle} onConfirm={onDelete}>
          <p>{words.deleteText}</p>
        </Confirmed>
      </section>
    </>
  )
}
