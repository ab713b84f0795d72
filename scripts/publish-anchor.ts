import { reportPublication } from './lib/publication.ts'
import { signingCommand } from './lib/signing-command.ts'

const USAGE = `Usage: scripts/publish-anchor published|confirmed ANCHOR CHAIN TX [options]

Reports a ledger transaction of an anchor, signed by the publisher's key. This is the reference of what a publisher
says to the service; it writes to no ledger.`

await signingCommand({
  usage: USAGE,
  signer: 'publisher',
  async run({ core, operands, seed }) {
    const [state, anchorId, chain, tx] = operands
    if ((state !== 'published' && state !== 'confirmed') || !anchorId || !chain || !tx) return null
    console.log(JSON.stringify(await reportPublication(core, { anchorId, chain, tx, state }, seed()), null, 2))
    return 0
  },
})
