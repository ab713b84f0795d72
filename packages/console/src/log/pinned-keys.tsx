import { Exact } from '../content/exact.tsx'
import type { PublicReader } from '../services/public-reader.ts'
import { Part } from '../shell/part.tsx'
import { words } from '../words/log/words.ts'

/** The one fingerprint of the deployment, to be compared with what the operator publishes elsewhere. */
export function PinnedKeys({ reader }: { readonly reader: PublicReader }) {
  return (
    <Part title={words.fingerprint} of="pinned" read={() => reader.ask({ of: 'pinned' })}>
      {({ fingerprint, threshold, keys, isFirst, witnesses }) =>
        fingerprint === null ? (
          <p>{words.noList}</p>
        ) : (
          <>
            <p class="fingerprint">
              <Exact>{fingerprint}</Exact>
            </p>
            <p>{words.compareFingerprint}</p>
            <p class="soft">
              {words.signers(threshold, keys)} {isFirst ? words.pinnedNow : words.pinnedBefore}
            </p>
            {witnesses.keys === 0 ? null : <p class="soft">{words.proposed(witnesses.threshold, witnesses.keys)}</p>}
          </>
        )
      }
    </Part>
  )
}
