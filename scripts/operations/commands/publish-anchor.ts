import { UsageError } from '@svc/platform/entry'
import { reportPublication } from '../publication.ts'
import { signingCommand } from '../signing-command.ts'

const USAGE = `Usage: scripts/publish-anchor published|confirmed ANCHOR CHAIN TX [options]

Reports a ledger transaction of an anchor, signed with the publisher's key. This is the reference for what a publisher
sends to the service; it writes to no ledger itself.`

await signingCommand({
  name: 'scripts/publish-anchor',
  usage: USAGE,
  signer: 'publisher',
  async run({ core, realm, operands, seed }) {
    const [state, anchorId, chain, tx] = operands
    if (state !== 'published' && state !== 'confirmed')
      throw new UsageError("The first operand is 'published' or 'confirmed'")
    if (!anchorId || !chain || !tx) throw new UsageError('ANCHOR, CHAIN and TX are required')
    const record = await reportPublication({ core, realm }, { anchorId, chain, tx, state }, seed())
    console.log(JSON.stringify(record, null, 2))
    return 0
  },
})
