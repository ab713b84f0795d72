import type { OpenedReply, ReplyKey } from '@svc/client'
import { Exact } from '../content/exact.tsx'
import { momentOf } from '../shell/dates.ts'
import { Heading } from '../sign-in/heading.tsx'
import { words } from '../words/reply/words.ts'

interface AnswerProps {
  /** Whom the message went to, and what it was about. */
  readonly of: Pick<ReplyKey, 'owner' | 'assetId'>
  readonly opened: OpenedReply
  readonly onAnother: () => void
}

/** An opened answer. Its signature was verified. */
export function Answer({ of: { owner, assetId }, opened, onAnother }: AnswerProps) {
  return (
    <>
      <article class="panel letter">
        <Heading>{words.opened}</Heading>
        <dl>
          <dt>{words.from}</dt>
          <dd>
            <a href={`/did/${owner}`}>
              <Exact>{owner}</Exact>
            </a>
          </dd>
          <dt>{words.signed}</dt>
          <dd>{momentOf(opened.issuedAt)}</dd>
          <dt>{words.about}</dt>
          <dd>
            <Exact>{assetId}</Exact>
          </dd>
        </dl>
        <p class="text">{opened.text}</p>
        <p class="soft">{words.proved}</p>
      </article>
      <button type="button" class="quiet after" onClick={onAnother}>
        {words.another}
      </button>
    </>
  )
}
