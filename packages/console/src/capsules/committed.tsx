import type { KeptCommitment } from '@svc/client'
import { download } from '../content/download.ts'
import { Exact } from '../content/exact.tsx'
import { words } from '../words/capsules/words.ts'

/** The salt is not kept in the browser: it opens the commitment. */
export function Committed({ commitment }: { readonly commitment: KeptCommitment }) {
  return (
    <section class="panel">
      <h2>{words.result}</h2>
      <p>{words.committed}</p>
      <dl>
        <dt>{words.id}</dt>
        <dd>
          <Exact>{commitment.commitment.id}</Exact>
        </dd>
      </dl>
      <p class="note">{words.committedText}</p>
      <button type="button" class="plain" onClick={() => download('commitment.json', commitment)}>
        {words.keepOpening}
      </button>
    </section>
  )
}
