import type { Client } from '@svc/client'
import { Exact } from '../content/exact.tsx'
import { momentOf } from '../shell/dates.ts'
import { Part } from '../shell/part.tsx'
import { words } from '../words/directory/words.ts'

interface OfAccount {
  readonly client: Client
  readonly did: string
}

/** The account as the newest map of accounts has it, with who vouches for the log besides the directory. */
export function Audited({ client, did }: OfAccount) {
  const read = async () => {
    const [account, { checkpoint, cosignatures }, listed] = await Promise.all([
      client.transparency.account(did),
      client.transparency.cosigned(),
      client.keyDirectory.list(did),
    ])
    return { account, checkpoint, cosignatures, isSame: account.seq === listed.seq && account.head === listed.head }
  }
  return (
    <Part title={words.audit} of={did} read={read}>
      {({ account, checkpoint, cosignatures, isSame }) => (
        <>
          {/* The map may be some seconds behind what was just published. */}
          <p class={isSame ? 'good' : 'open'}>{isSame ? words.complete : words.behind}</p>
          <dl>
            <dt>{words.updates}</dt>
            <dd>{account.result === 'absent' ? words.nothing : words.count(account.seq)}</dd>
            <dt>{words.log}</dt>
            <dd>
              <Exact>{checkpoint.statement.log}</Exact>
            </dd>
            <dt>{words.checkpoint}</dt>
            <dd>{words.entries(checkpoint.statement.size, momentOf(checkpoint.statement.issuedAt))}</dd>
            <dt>{words.witnesses}</dt>
            <dd>
              {cosignatures.length === 0 ? words.noWitness : null}
              <ul class="list">
                {cosignatures.map(({ statement }) => (
                  <li key={statement.witness}>
                    <div>
                      <Exact class="id">{statement.witness}</Exact>
                      <small>{statement.verifies === 'log+map' ? words.logAndMap : words.logOnly}</small>
                    </div>
                  </li>
                ))}
              </ul>
            </dd>
          </dl>
        </>
      )}
    </Part>
  )
}
