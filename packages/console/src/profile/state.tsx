import type { PublicReader } from '../services/public-reader.ts'
import { momentOf } from '../shell/dates.ts'
import { Part } from '../shell/part.tsx'
import { words } from '../words/profile/words.ts'

export interface Shown {
  readonly did: string
  readonly reader: PublicReader
}

/** What the DID resolves to, and the services that its document names. */
export function State({ did, reader }: Shown) {
  const read = () => reader.ask({ of: 'state', did })
  return (
    <Part title={words.state} of={did} read={read}>
      {({ didDocument, didDocumentMetadata: { created, deactivated } }) => (
        <>
          <p>{words.states[deactivated ? 'deactivated' : didDocument ? 'resolves' : 'absent']}</p>
          {created === undefined ? null : (
            <dl>
              <dt>{words.created}</dt>
              <dd>{momentOf(Date.parse(created))}</dd>
            </dl>
          )}
          {didDocument === null ? null : (
            <>
              <h3>{words.services}</h3>
              {didDocument.service === undefined ? <p>{words.noServices}</p> : null}
              <dl>
                {didDocument.service?.map(({ id, type, serviceEndpoint }) => (
                  <>
                    <dt key={id}>{type}</dt>
                    <dd>{serviceEndpoint}</dd>
                  </>
                ))}
              </dl>
            </>
          )}
        </>
      )}
    </Part>
  )
}
